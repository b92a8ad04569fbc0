from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.subsets import (
    accuracy_by_score,
    accuracy_of,
    adjusted_difference,
    difference_between,
    trend,
)


def test_accuracy_has_wilsons_limits() -> None:
    found = accuracy_of([1, 1, 1, 0])
    low, high = stats.binomtest(3, 4).proportion_ci(method="wilson")
    assert (found.n, found.accuracy) == (4, 0.75)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert accuracy_of([]).accuracy is None


def test_the_difference_is_second_minus_first_with_fishers_test() -> None:
    first, second = [1] * 30 + [0] * 70, [1] * 60 + [0] * 40
    found = difference_between(first, second)
    assert found.difference == pytest.approx(0.3)
    assert found.p_value == pytest.approx(stats.fisher_exact(np.array([[30, 70], [60, 40]])).pvalue)
    assert found.low is not None
    assert 0 < found.low < 0.3
    assert difference_between(first, []).difference is None


def test_fractions_are_compared_by_welch() -> None:
    first, second = [0.5, 0.25, 0.5, 0.0], [1.0, 0.75, 0.5, 1.0]
    assert difference_between(first, second).method == "Welch, by instance"


Strata = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]


def _strata(rng: np.random.Generator, gain: float, n: int = 4_000) -> Strata:
    """Contaminated instances are the easier ones; within a level the part adds ``gain``."""
    level = rng.integers(0, 5, n)
    part = rng.random(n) < 0.1 + 0.15 * level
    correct = rng.random(n) < 0.2 + 0.12 * level + gain * part
    return correct.astype(float), part, level.astype(float)


def test_easier_instances_do_not_count_as_a_gain() -> None:
    correct, part, level = _strata(np.random.default_rng(1), 0.0)
    raw = difference_between(correct[~part], correct[part])
    adjusted = adjusted_difference(correct, part, level)
    assert raw.low is not None
    assert raw.low > 0.05
    assert adjusted.low is not None
    assert adjusted.high is not None
    assert adjusted.low < 0 < adjusted.high


def test_the_adjusted_test_is_cochran_mantel_haenszels() -> None:
    correct, part, level = _strata(np.random.default_rng(2), 0.03)
    tables = [
        np.histogram2d(part[level == one], correct[level == one], bins=2)[0]
        for one in np.unique(level)
    ]
    expected = StratifiedTable(tables).test_null_odds(correction=False).pvalue
    assert adjusted_difference(correct, part, level).p_value == pytest.approx(expected)


@pytest.mark.simulation
def test_the_adjusted_interval_covers() -> None:
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(400):
        found = adjusted_difference(*_strata(rng, 0.1, 400))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 0.1 <= found.high
    assert 0.92 <= inside / 400 <= 0.98


def test_without_shared_levels_there_is_no_adjusted_difference() -> None:
    found = adjusted_difference([1, 0], [True, False], [1, 2])
    assert (found.n, found.difference, found.p_value) == (0, None, None)
    assert adjusted_difference([1, 0], [True, False], [np.nan, np.nan]).difference is None


def test_bins_hold_their_lower_edge_and_the_last_also_1() -> None:
    scores = [0.0, 0.3, 0.7, 0.79, 1.0, np.nan]
    found = accuracy_by_score(scores, [0, 0, 1, 0, 1, 1])
    assert [one.accuracy.n for one in found] == [1, 0, 0, 1, 0, 0, 0, 2, 0, 1]
    assert found[7].accuracy.accuracy == 0.5


def test_the_trend_is_spearmans() -> None:
    sizes, gains = [7, 13, 34, 70], [0.01, 0.02, 0.05, 0.04]
    found = trend(sizes, gains)
    assert found.correlation == pytest.approx(stats.spearmanr(sizes, gains).statistic)
    assert found.p_value == pytest.approx(8 / 24)
    assert found.low is None  # four pairs
    wide = trend([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6])
    assert wide.correlation is not None
    margin = 1.959964 * ((1 + wide.correlation**2 / 2) / 3) ** 0.5
    limits = [math.tanh(math.atanh(wide.correlation) + sign * margin) for sign in (-1, 1)]
    assert [wide.low, wide.high] == pytest.approx(limits)
    many = trend(range(12), [n * n for n in range(12)])
    assert many.correlation == pytest.approx(1)
    assert (many.low, many.high) == (None, None)  # no width at 1
    assert trend([7, 13], [0, 1]).correlation is None
    assert trend([7, 7, 7], [0, 1, 2]).correlation is None


@pytest.mark.parametrize("wrong", [[2], [-1], [float("nan")], [[1]]])
def test_what_is_no_answer_is_refused(wrong: list[object]) -> None:
    with pytest.raises(InputError, match="from 0"):
        accuracy_of(wrong)  # type: ignore[arg-type]
