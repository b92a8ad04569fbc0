import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline

from dcq.errors import InputError
from dcq.evidence import constat as constat_module
from dcq.evidence.constat import constat, spline_at


@pytest.mark.parametrize("seed", range(8))
def test_the_spline_is_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0.2, 0.9, int(rng.integers(5, 14))))
    y = 0.5 * x + 0.2 * np.sin(6 * x) + rng.normal(0, 0.03, len(x))
    curve = make_smoothing_spline(x, y)
    where = np.linspace(x[0], x[-1], 7)
    ours = spline_at(np.tile(x, (7, 1)), np.tile(y, (7, 1)), where)
    assert ours == pytest.approx(curve(where), abs=5e-4)


def test_beyond_the_points_it_is_straight() -> None:
    x = np.tile(np.linspace(0.4, 0.8, 6), (2, 1))
    assert spline_at(x, 2 * x, np.array([0.9, 0.1])) == pytest.approx([1.8, 0.2])
    rng = np.random.default_rng(0)
    y = x + rng.normal(0, 0.05, x.shape)
    ends = [spline_at(x, y, np.full(2, 0.8 + step)) for step in (0.0, 0.1, 0.2)]
    assert ends[2] - ends[1] == pytest.approx(ends[1] - ends[0])


def _answers(gain: float, models: int = 8, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    levels = np.append(0.6, rng.uniform(0.4, 0.8, models))
    first, second = (rng.random((models + 1, n)) < levels[:, None] for _ in range(2))
    first[0] |= rng.random(n) < gain
    return first.astype(float), second.astype(float)


def test_a_gain_is_found_and_none_is_not() -> None:
    clean, gained = (constat(*_answers(gain), samples=200) for gain in (0.0, 0.5))
    assert clean is not None
    assert gained is not None
    assert clean.p_value > 0.05
    assert gained.p_value <= 0.01
    assert gained.low < gained.delta
    assert gained.delta == pytest.approx(0.2, abs=0.07)


def test_fewer_than_five_references_say_nothing() -> None:
    assert constat(*_answers(0.1, models=4)) is None
    assert constat(np.ones((7, 9)), np.ones((7, 9)), samples=2) is None
    with pytest.raises(InputError):
        constat(np.ones((7, 9)), np.ones((6, 9)))


def test_the_same_seed_gives_the_same() -> None:
    assert constat(*_answers(0.1), samples=20) == constat(*_answers(0.1), samples=20)


@pytest.mark.parametrize("end", [0, -1])
def test_beyond_the_points_it_goes_on_with_the_slope_at_the_last(end: int) -> None:
    rng = np.random.default_rng(2)
    x = np.sort(rng.uniform(0.3, 0.8, 9))
    y = x + 0.3 * np.sin(9 * x) + rng.normal(0, 0.02, 9)
    curve = make_smoothing_spline(x, y)
    beyond = x[end] + (0.1 if end else -0.1)
    ours = spline_at(x[None], y[None], np.array([beyond]))
    straight = curve(x[end]) + curve.derivative()(x[end]) * (beyond - x[end])
    assert ours == pytest.approx(straight, abs=1e-3)


def test_at_least_five_references_differ_in_each_resample() -> None:
    rng = np.random.default_rng(0)
    drawn = constat_module._models(6, 500, rng)
    assert {len(set(row)) for row in drawn.tolist()} == {5, 6}
    assert set(drawn.ravel().tolist()) == set(range(1, 7))
    five = constat_module._models(5, 3, rng)
    assert five.tolist() == [[1, 2, 3, 4, 5]] * 3


def test_each_curve_of_several_is_as_if_alone() -> None:
    rng = np.random.default_rng(4)
    x = np.sort(rng.uniform(0.2, 0.9, (3, 8)))
    y = x + np.array([[0.0], [0.3], [-0.2]]) * np.sin(8 * x) + rng.normal(0, 0.03, (3, 8))
    where = np.array([0.4, 0.5, 0.6])
    alone = [spline_at(x[[i]], y[[i]], where[[i]])[0] for i in range(3)]
    assert spline_at(x, y, where) == pytest.approx(alone, rel=1e-9)


def test_answers_to_nothing_say_nothing() -> None:
    full, empty = np.ones((7, 9)), np.ones((7, 0))
    assert constat(full, empty) is None
    assert constat(empty, full) is None
