import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dcq.evidence.prediction import SPREADS, NormalPrediction, predict

CASES = (
    # scores and sizes of controls, noise, score and size of the target
    ([0.3, 0.35, 0.42], [30, 40, 25], 0.05, 0.5, 34),
    ([0.4], [20], 0.2, 0.7, 15),
    ([0.1, 0.5], [100, 12], 0.03, 0.45, 60),
    ([0.3, 0.31, 0.29, 0.3, 0.3], [50] * 5, 0.001, 0.33, 50),
)


def by_brute_force(
    scores: list[float], n: list[int], noise: float, score: float, size: int
) -> tuple[float, float, float]:
    """p-value, mean and P(true score < .4), both unknowns summed over much finer grids."""
    found, sizes = np.array(scores), np.array(n)
    total = np.zeros(4)
    for spread in 0.00125 + (np.arange(800) + 0.5) * 0.25 / 800:
        error = np.sqrt(spread**2 + noise / sizes)
        middle, margin = np.average(found, weights=error**-2), 9 / np.sqrt((error**-2).sum())
        mean = np.linspace(middle - margin, middle + margin, 401)
        weight = stats.norm.pdf(found[:, None], mean, error[:, None]).prod(axis=0)
        weight *= mean[1] - mean[0]
        above = stats.norm.sf(score, mean, np.sqrt(spread**2 + noise / size))
        below = stats.norm.cdf(0.4, mean, spread)
        total += [weight.sum(), weight @ above, weight @ mean, weight @ below]
    return float(total[1] / total[0]), float(total[2] / total[0]), float(total[3] / total[0])


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_brute_force(case: tuple[list[float], list[int], float, float, int]) -> None:
    p_value, center, below = by_brute_force(*case)
    scores, n, noise, score, size = case
    found = predict(scores, n, noise)
    assert found.p_value(score, size) == pytest.approx(p_value, rel=5e-3)
    assert found.center == pytest.approx(center, rel=1e-4)
    assert found.p_value(0.4, np.inf) == pytest.approx(1 - below, rel=5e-3)
    assert found.limits(0.9).low == pytest.approx(found.critical(np.inf, 0.95))
    assert found.limits(0.9).high == pytest.approx(found.critical(np.inf, 0.05))


def test_agrees_with_the_prototype_of_the_rule() -> None:
    # Numbers of the prototype that the constants were chosen with, on the same grid.
    three = predict([0.3, 0.35, 0.42], [30, 40, 25], 0.05)
    assert three.p_value(0.5, 34) == pytest.approx(0.09511056, abs=1e-8)
    assert three.center == pytest.approx(0.35515161167307663)
    assert three.spread == pytest.approx(0.08547679704271449)
    one = predict([0.4], [20], 0.2)
    assert one.p_value(0.7, 15) == pytest.approx(0.10720649, abs=1e-8)
    assert one.spread == pytest.approx(0.12625)


def test_the_grid_of_spreads() -> None:
    assert pytest.approx(np.arange(1, 101) * 0.0025) == SPREADS


def test_many_controls_give_the_textbooks_prediction_interval() -> None:
    scores = np.random.default_rng(8).normal(0.4, 0.08, size=150)
    found = predict(scores, np.full(150, 1e6), 0.2)
    margin = stats.t.ppf(0.975, 149) * scores.std(ddof=1) * np.sqrt(1 + 1 / 150)
    assert found.limits() == pytest.approx(
        (scores.mean() - margin, scores.mean() + margin), abs=4e-3
    )


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.integers(5, 300),
    st.floats(0.001, 0.25),
)
@settings(max_examples=40)
def test_order_of_what_is_predicted(scores: list[float], n: int, noise: float) -> None:
    found = predict(scores, np.full(len(scores), n), noise)
    assert found.weight.sum() == pytest.approx(1)
    assert found.noise == noise
    assert min(scores) - 1e-9 <= found.center <= max(scores) + 1e-9
    assert found.p_value(found.center - 0.1, n) > found.p_value(found.center + 0.1, n)
    assert found.p_value(1.0, n) <= found.p_value(1.0, 5) + 1e-12 or found.center > 0.9
    assert found.critical(n, 0.01) > found.critical(n, 0.05) > found.critical(np.inf, 0.05)
    assert found.p_value(found.critical(n, 0.05), n) == pytest.approx(0.05)
    low, high = found.limits()
    assert low < found.center < high


def test_limits_are_for_95_per_cent_unless_asked_otherwise() -> None:
    found = NormalPrediction(np.array([0.4]), np.array([0.01]), np.array([1.0]), 0.2)
    assert found.limits() == pytest.approx(stats.norm.interval(0.95, 0.4, 0.1))
    assert found.limits(0.5) == pytest.approx(stats.norm.interval(0.5, 0.4, 0.1))
    assert found.critical(20, 0.05) == pytest.approx(stats.norm.isf(0.05, 0.4, 0.02**0.5))
