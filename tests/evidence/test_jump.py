"""The fall at a moment, against another library and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]  # has no types

from dcq.errors import InputError
from dcq.evidence.jump import LEAST, LEAST_OTHER, LEAST_TIMES, Jump, jump, placebo_jumps


def drawn(
    rng: np.random.Generator,
    n: int = 300,
    *,
    fall: float = 0.0,
    slope: float = 0.1,
    bend: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Right answers (0 or 1) to items of two years, with a fall in their middle."""
    times = rng.uniform(-1, 1, n)
    level = 0.6 - slope * times - bend * times**3 - fall * (times > 0)
    return times, (rng.random(n) < level).astype(float)


def found(times: np.ndarray, values: np.ndarray, cut: float = 0.0) -> Jump:
    one = jump(times, values, cut)
    assert one is not None
    return one


def test_it_is_the_regression_of_another_library() -> None:
    rng = np.random.default_rng(1)
    times, values = drawn(rng, fall=0.2)
    after = (times > 0).astype(float)
    design = np.column_stack([np.ones_like(times), after, times, after * times])
    theirs = sm.OLS(values, design).fit(cov_type="HC3", use_t=True)
    ours = found(times, values)
    assert ours.fall == pytest.approx(-theirs.params[1])
    low, high = -theirs.conf_int()[1]
    assert (ours.low, ours.high) == pytest.approx((high, low))
    assert ours.p_value == pytest.approx(theirs.pvalues[1] / 2)
    assert (ours.n_before, ours.n_after) == ((times <= 0).sum(), (times > 0).sum())


def test_the_unit_and_the_origin_of_time_do_not_matter() -> None:
    times, values = drawn(np.random.default_rng(2))
    here = found(times, values)
    there = found(738_000 + 365.25 * times, values, 738_000)
    assert (there.fall, there.low, there.p_value) == pytest.approx(
        (here.fall, here.low, here.p_value), rel=1e-6
    )


def test_an_exact_fall_has_no_error() -> None:
    times = np.linspace(-1, 1, 100)
    one = found(times, np.where(times > 0, 0.25, 0.75))
    assert (one.fall, one.low, one.high) == pytest.approx((0.5, 0.5, 0.5))
    assert one.p_value == pytest.approx(0)


def test_too_little_on_a_side_is_none() -> None:
    times, values = np.linspace(-1, 1, 100), np.tile([1.0, 0.0], 50)
    assert jump(times, values, times[LEAST - 2]) is None
    assert jump(times, values, times[LEAST - 1]) is not None
    few = np.repeat(np.arange(LEAST_TIMES - 1), LEAST).astype(float)
    both = np.concatenate([-1 - few, 1 + few])
    assert jump(both, np.tile([1.0, 0.0], len(both) // 2), 0) is None
    assert jump([], [], 0) is None
    with pytest.raises(InputError):
        jump([1.0], [1.0, 2.0], 0)


def test_values_that_are_nearly_all_alike_are_too_little() -> None:
    times = np.linspace(-1, 1, 200)
    for value in (0.0, 0.3, 1.0):
        assert jump(times, np.full(200, value), 0) is None
    values = np.ones(200)
    values[-LEAST_OTHER + 1 :] = 0
    assert jump(times, values, 0) is None
    values[-LEAST_OTHER:] = 0
    assert jump(times, values, 0) is not None


@pytest.mark.simulation
@pytest.mark.parametrize("share", [0.005, 0.02, 0.05, 0.95, 0.98, 0.995])
def test_no_more_is_called_where_nearly_all_answers_are_alike(share: float) -> None:
    rng = np.random.default_rng(6)
    called, times = 0, 2_000
    for _ in range(times):
        one = jump(rng.uniform(-1, 1, 200), (rng.random(200) < share).astype(float), 0.0)
        called += one is not None and one.p_value <= 0.05
    assert called / times <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "slope"), [(80, 0.0), (80, 0.3), (300, 0.3)])
def test_false_alarms_and_coverage(n: int, slope: float) -> None:
    """Without a fall, whatever the trend: at most 5 % are called, and 95 % of intervals hold 0."""
    rng = np.random.default_rng(n)
    called, covered, times = 0, 0, 4_000
    for _ in range(times):
        one = jump(*drawn(rng, n, slope=slope), 0.0)
        if one is None:
            times -= 1
            continue
        called += one.p_value <= 0.05
        covered += one.low <= 0 <= one.high
    error = np.sqrt(0.05 * 0.95 / times)
    assert called / times <= 0.05 + 3 * error
    assert covered / times >= 0.95 - 3 * error


@pytest.mark.simulation
def test_a_fall_is_found() -> None:
    rng = np.random.default_rng(0)
    power = np.mean([found(*drawn(rng, 1_000, fall=0.2)).p_value <= 0.05 for _ in range(500)])
    assert power > 0.9


@pytest.mark.simulation
def test_placebos_show_a_trend_that_is_no_line() -> None:
    """What bends looks like a fall, at the cut and elsewhere; what falls does so at the cut."""
    rng = np.random.default_rng(3)

    def larger(**about: float) -> float:
        beaten = []
        for _ in range(100):
            times, values = drawn(rng, 1_500, **about)
            real = found(times, values)
            others = placebo_jumps(times, values, 0.0)
            assert len(others) == 6
            assert all(one.n_before + one.n_after < 1_500 for one in others)
            beaten.append(np.mean([one.fall >= real.fall for one in others]))
        return float(np.mean(beaten))

    assert larger(fall=0.25) < 0.1
    assert larger() > 0.3


def test_placebos_are_at_the_quartiles_of_each_side() -> None:
    rng = np.random.default_rng(4)
    times, values = drawn(rng, 800)
    found_here = placebo_jumps(times, values, 0.0)
    sides = times[times <= 0], times[times > 0]
    assert [one.at for one in found_here] == pytest.approx(
        [np.quantile(side, share) for side in sides for share in (0.25, 0.5, 0.75)]
    )
    assert [one.n_before + one.n_after for one in found_here] == [len(sides[0])] * 3 + [
        len(sides[1])
    ] * 3
    first = jump(sides[0], values[times <= 0], found_here[0].at)
    assert found_here[0] == first
    assert placebo_jumps(times[times > 0], values[times > 0], 0.0) == found_here[3:]
