import bisect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.baseline import fit_baseline
from dcq.evidence.controls import calibrate_counts, calibrate_rotated
from dcq.evidence.interval import Interval, wilson
from dcq.evidence.prediction import predict
from dcq.evidence.ratio import kappa_interval

counts = st.integers(1, 90).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def rotated(share: float, n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((n, 4)) < share


@given(counts, st.lists(counts, min_size=1, max_size=5))
@settings(max_examples=20)
def test_range_order_and_monotonicity(
    target: tuple[int, int], controls: list[tuple[int, int]]
) -> None:
    found = calibrate_counts(target, controls)
    assert found is not None
    assert 0 <= found.p_value <= 1
    assert found.control_low <= found.control_score <= found.control_high
    if found.kappa_control is not None and found.kappa_high is not None:
        assert (found.kappa_low or -np.inf) <= found.kappa_control + 1e-9
        assert found.kappa_control <= found.kappa_high + 1e-9 <= 1 + 1e-8
    correct, n = target
    more = calibrate_counts((min(correct + 1, n), n), controls)
    assert more is not None
    assert more.p_value <= found.p_value + 1e-9


def test_one_control_is_boschloos_test_and_many_answers_fishers() -> None:
    small = calibrate_counts((40, 60), [(20, 60)])
    table = [[40, 20], [20, 40]]
    assert small is not None
    assert small.method == "Boschloo's exact test"
    assert small.p_value == pytest.approx(
        stats.boschloo_exact(table, alternative="greater").pvalue, abs=1e-9
    )
    large = calibrate_counts((70, 100), [(40, 100), (45, 100)])
    assert large is not None
    assert large.method == "Fisher's exact test"
    counts = np.array([[70, 85], [30, 115]])
    assert large.p_value == pytest.approx(stats.fisher_exact(counts, alternative="greater").pvalue)
    assert large.kappa_control == pytest.approx((0.7 - 0.425) / 0.575)


def test_all_or_none_correct() -> None:
    all_right = calibrate_counts((9, 9), [(8, 8)])
    assert all_right is not None
    assert (all_right.p_value, all_right.kappa_control, all_right.kappa_high) == (1, None, None)
    none_right = calibrate_counts((0, 9), [(0, 8)])
    assert none_right is not None
    assert (none_right.p_value, none_right.kappa_control) == (1, 0)
    for control in ([(20, 20)] * 3, [(0, 20)] * 3):
        found = calibrate_counts((10, 20), control)
        assert found is not None
        assert np.isfinite(found.p_value)


def test_nothing_to_compare() -> None:
    assert calibrate_counts((0, 0), [(3, 9)]) is None
    assert calibrate_counts((3, 9), []) is None
    assert calibrate_counts((3, 9), [(0, 0)]) is None
    assert calibrate_rotated(np.empty((0, 4)), [rotated(0.3, 9, 0)]) is None
    assert calibrate_rotated(rotated(0.3, 9, 0), [np.empty((0, 4))]) is None
    with pytest.raises(InputError, match="impossible"):
        calibrate_counts((3, 9), [(5, 4)])


def test_many_alike_controls_come_near_the_true_beta_binomial() -> None:
    even = stats.betabinom.ppf((np.arange(300) + 0.5) / 300, 100, 30, 70)
    controls = tuple((int(k), 100) for k in even)
    baseline = fit_baseline(controls)
    assert baseline.mass.sum() == pytest.approx(1)
    for correct in (35, 40, 45):
        expected = float(stats.betabinom.sf(correct - 1, 100, 30, 70))
        assert baseline.tail(correct, 100) == pytest.approx(expected, rel=0.25)
    assert baseline.limits() == pytest.approx(stats.beta.ppf([0.025, 0.975], 30, 70), abs=0.02)


def test_spread_among_controls_weakens_the_same_target() -> None:
    alike = calibrate_counts((50, 100), [(30, 100)] * 6)
    spread = calibrate_counts((50, 100), [(10, 100), (50, 100), (20, 100), (40, 100), (30, 100)])
    assert alike is not None
    assert spread is not None
    assert alike.p_value < 0.01 < 0.05 < spread.p_value
    assert (alike.minimum_kappa or 1) < (spread.minimum_kappa or 1)


def significant(correct: int, controls: list[tuple[int, int]]) -> bool:
    found = calibrate_counts((correct, 100), controls)
    return found is not None and found.p_value <= 0.05


def test_the_minimum_effect_is_found_with_its_power() -> None:
    rng = np.random.default_rng(6)
    for controls in ([(35, 100)] * 2, [(35, 100), (30, 100), (40, 100), (33, 100), (37, 100)]):
        base = calibrate_counts((50, 100), controls)
        assert base is not None
        assert base.minimum_kappa is not None
        share = base.control_score + base.minimum_kappa * (1 - base.control_score)
        critical = bisect.bisect_left(range(100), True, key=lambda k: significant(k, controls))
        drawn = rng.binomial(100, share, size=4000)
        assert (drawn >= critical).mean() == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("controls", [1, 2, 3, 8])
def test_rotated_scores_find_the_seen_and_pass_the_unseen(controls: int) -> None:
    known = [rotated(0.45, 80, seed) for seed in range(controls)]
    seen, unseen = rotated(0.8, 80, 91), rotated(0.45, 80, 92)
    found, passed = calibrate_rotated(seen, known), calibrate_rotated(unseen, known)
    assert found is not None
    assert passed is not None
    assert found.p_value < 0.05 < passed.p_value
    assert found.kappa_control == pytest.approx((seen.mean() - 0.45) / 0.55, abs=0.1)
    assert passed.kappa_low is not None
    assert passed.kappa_low < 0


def test_prediction_is_the_textbook_one_where_sampling_is_negligible() -> None:
    scores = np.random.default_rng(8).normal(0.4, 0.08, size=60)
    found = predict(scores, np.full(60, 1e6))
    reach = stats.t.ppf(0.975, 59) * scores.std(ddof=1) * np.sqrt(1 + 1 / 60)
    assert found.limits() == pytest.approx((scores.mean() - reach, scores.mean() + reach), abs=5e-3)
    assert found.tail(found.critical(80, 0.05), 80) == pytest.approx(0.05)


def test_a_known_base_gives_the_interval_of_the_score_alone() -> None:
    own = wilson(70, 100)
    assert own is not None
    low, high = kappa_interval(0.7, own, 0.25, Interval(0.25, 0.25))
    assert (low, high) == pytest.approx(((own.low - 0.25) / 0.75, (own.high - 0.25) / 0.75))


def test_limits_without_errors() -> None:
    sure = Interval(0.96, 1.0)
    assert kappa_interval(1.0, sure, 0.4, Interval(0.3, 0.5))[1] == 1
    assert kappa_interval(0.5, Interval(0.4, 0.6), 1.0, sure) == (None, None)
    low, high = kappa_interval(0.5, Interval(0.4, 0.6), 0.98, Interval(0.9, 1.0))
    assert low is None
    assert high is not None
