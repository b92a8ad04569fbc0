import numpy as np
import pytest
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.looks import FUTILE, Looks, plan_looks, plan_shares
from dcq.evidence.prediction import NormalPrediction, predict

SIZES = (10, 18, 26, 34)
CONTROLS = predict([0.3, 0.35, 0.42], [30, 40, 25], 0.05)
FREE = NormalPrediction(
    np.array([0.4]), np.array([1e-12]), np.ones(1), 0.24
)  # information rises with n


def drawn(prediction: NormalPrediction, sizes: tuple[int, ...], repeats: int) -> np.ndarray:
    """p-values of unseen partitions at each look, shape (repeats, looks); others' own stream."""
    rng = np.random.default_rng(99)
    part = rng.choice(len(prediction.weight), p=prediction.weight, size=repeats)
    true = rng.normal(prediction.mean[part], np.sqrt(prediction.variance[part]))
    answers = true[:, None] + rng.normal(size=(repeats, sizes[-1])) * prediction.noise**0.5
    scores = np.cumsum(answers, axis=1)[:, np.array(sizes) - 1] / np.array(sizes)
    found = np.empty((repeats, len(sizes)))
    for look, n in enumerate(sizes):
        spread = np.sqrt(prediction.variance + prediction.noise / n)
        tails = stats.norm.sf((scores[:, look, None] - prediction.mean) / spread)
        found[:, look] = tails @ prediction.weight
    return found


def test_two_looks_agree_with_exact_normal_integrals() -> None:
    looks = plan_looks(FREE, (50, 100))
    assert looks.times == pytest.approx((0.5, 1.0))
    # Lan and DeMets' spending of O'Brien and Fleming's kind: 2 − 2Φ(z₀.₀₂₅/√t).
    first = 2 * stats.norm.sf(stats.norm.isf(0.025) / 0.5**0.5)
    assert looks.limits[0] == pytest.approx(first, rel=0.05)
    both = stats.multivariate_normal([0, 0], [[1, 0.5**0.5], [0.5**0.5, 1]])
    never = both.cdf(-stats.norm.ppf(looks.limits))
    assert 1 - never == pytest.approx(0.05, abs=0.0005)


def test_four_equal_looks_are_those_of_the_tables() -> None:
    # O'Brien–Fleming-like spending, one-sided 0.05, looks at 1/4 to 4/4 of the information.
    looks = plan_looks(FREE, (25, 50, 75, 100))
    z = np.asarray(-stats.norm.ppf(looks.limits))
    spent = 2 * stats.norm.sf(stats.norm.isf(0.025) / np.sqrt(looks.times))
    assert looks.limits[0] == pytest.approx(spent[0], rel=0.3)  # 9 in 100,000
    assert z[1:] == pytest.approx([2.54, 2.02, 1.72], abs=0.03)


def test_agrees_with_the_prototype_of_the_rule() -> None:
    # Limits of the prototype of the rule, with the same prior.
    found = plan_looks(CONTROLS, SIZES)
    assert found.limits == pytest.approx([0.03057784, 0.03308497, 0.03322791, 0.0333465], abs=1e-8)
    assert found.n == SIZES
    assert found.times[-1] == 1


def test_one_look_has_the_whole_level() -> None:
    assert plan_looks(CONTROLS, (34,)).limits == pytest.approx((0.05,), abs=3e-4)
    assert plan_looks(CONTROLS, (34,), alpha=0.01).limits == pytest.approx((0.01,), abs=3e-4)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_all_looks_together_keep_the_level(alpha: float) -> None:
    looks = plan_looks(CONTROLS, SIZES, alpha=alpha)
    found = drawn(CONTROLS, SIZES, 20_000)
    assert (found <= looks.limits).any(axis=1).mean() == pytest.approx(alpha, abs=0.012)


def test_the_overall_p_value_is_even_where_nothing_was_seen() -> None:
    looks = plan_looks(CONTROLS, SIZES)
    overall = []
    for row in drawn(CONTROLS, SIZES, 1_500):
        met = np.flatnonzero(row <= looks.limits)
        look = int(met[0]) if len(met) else len(row) - 1
        p = looks.overall_p(look, float(row[look]))
        assert (p <= 0.05) == bool(len(met))
        assert p >= row[look]
        overall.append(p)
    for level in (0.05, 0.1, 0.3, 0.6):
        assert np.mean(np.array(overall) <= level) == pytest.approx(level, abs=0.035)


def test_the_overall_p_value_by_exact_integrals() -> None:
    looks = plan_looks(FREE, (50, 100))
    limit, p = -stats.norm.ppf(looks.limits[0]), 0.03
    both = stats.multivariate_normal([0, 0], [[1, 0.5**0.5], [0.5**0.5, 1]])
    never = both.cdf([limit, -stats.norm.ppf(p)])
    assert looks.overall_p(1, p) == pytest.approx(1 - never, abs=0.0005)
    assert looks.overall_p(0, 0.002) == 0.002


def test_a_tiny_p_value_stays_above_nothing() -> None:
    looks = plan_looks(FREE, (5, 100))
    assert looks.limits[0] == 0  # so early that its limit is beyond what 200,000 paths show
    assert looks.overall_p(1, 1e-9) >= 1e-9
    assert Looks((9,), (0.05,), (1.0,)).overall_p(0, 1e-9) == 1e-9


def test_where_looks_are_planned() -> None:
    assert plan_shares(34) == SIZES
    assert plan_shares(100) == (30, 53, 76, 100)
    # A verdict rests on ten instances at least, so no look comes earlier.
    assert plan_shares(20) == (10, 11, 15, 20)
    assert plan_shares(12) == (10, 12)
    assert plan_shares(7) == (7,)


@pytest.mark.parametrize("n", [(), (0, 5), (5, 5), (9, 4), plan_shares(0)])
def test_looks_that_do_not_rise_are_refused(n: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="numbers of instances that rise"):
        plan_looks(CONTROLS, n)


def test_looks_may_begin_with_the_first_instance() -> None:
    assert plan_looks(CONTROLS, (1, 2)).n == (1, 2)


def test_the_level_of_futility() -> None:
    assert FUTILE == 0.3
