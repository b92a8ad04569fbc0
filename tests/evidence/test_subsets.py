from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable  # type: ignore[import-untyped]  # it ships no types
from statsmodels.stats.proportion import confint_proportions_2indep  # type: ignore[import-untyped]  # it ships no types

from benchmarks.overlap_effect import draw
from dcq.errors import InputError
from dcq.evidence.subsets import (
    accuracy_by_score,
    accuracy_of,
    adjusted_difference,
    difference_between,
    lead_differences,
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


Counts = tuple[int, int, int, int]  # right of the part, its size, right of the rest, its size


def _tables(*counts: Counts) -> Strata:
    """One stratum for each table."""
    correct, part, level = [], [], []
    for number, (x, n, y, m) in enumerate(counts):
        correct += [1.0] * x + [0.0] * (n - x) + [1.0] * y + [0.0] * (m - y)
        part += [True] * n + [False] * m
        level += [float(number)] * (n + m)
    return np.array(correct), np.array(part), np.array(level)


@pytest.mark.parametrize(
    "counts", [(45, 50, 25, 50), (45, 50, 50, 200), (190, 200, 3, 10), (2, 20, 60, 80)]
)
def test_in_one_stratum_the_variance_is_that_of_two_shares(counts: Counts) -> None:
    found = adjusted_difference(*_tables(counts))
    expected = confint_proportions_2indep(*counts, method="wald")
    assert (found.low, found.high) == pytest.approx(expected)


def test_where_the_strata_differ_alike_their_variances_add_up() -> None:
    tables: list[Counts] = [(90, 100, 10, 20), (9, 10, 50, 100), (12, 20, 20, 100)]
    found = adjusted_difference(*_tables(*tables))
    weights = np.array([n * m / (n + m) for _, n, _, m in tables])
    variances = np.array(
        [x / n * (1 - x / n) / n + y / m * (1 - y / m) / m for x, n, y, m in tables]
    )
    margin = 1.959964 * math.sqrt((weights**2 * variances).sum()) / weights.sum()
    assert found.difference == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((0.4 - margin, 0.4 + margin))


def _far_apart(rng: np.random.Generator, strata: int, inside: int, outside: int) -> Strata:
    """Shares .5 apart, from .35 to .45 in the rest, and groups of unequal size."""
    level = np.repeat(np.arange(strata), inside + outside)
    part = np.tile(np.arange(inside + outside) < inside, strata)
    share = 0.35 + 0.1 * level / max(1, strata - 1) + 0.5 * part
    return (rng.random(len(level)) < share).astype(float), part, level.astype(float)


@pytest.mark.simulation
@pytest.mark.parametrize("groups", [(1, 60, 60), (4, 40, 10), (4, 10, 40), (60, 1, 3), (60, 3, 1)])
def test_the_adjusted_interval_covers(groups: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(3)
    inside = [0, 0]
    for _ in range(1_000):
        near, far = adjusted_difference(*_strata(rng, 0.1, 400)), _far_apart(rng, *groups)
        for place, (one, truth) in enumerate([(near, 0.1), (adjusted_difference(*far), 0.5)]):
            assert one.low is not None
            assert one.high is not None
            inside[place] += one.low <= truth <= one.high
    assert all(0.92 <= hits / 1_000 <= 0.97 for hits in inside), inside


def test_fractions_are_tested_with_the_variance_that_they_have() -> None:
    rng = np.random.default_rng(4)
    level = np.repeat([0.0, 1.0], [30, 50])
    part = rng.random(80) < 0.2 + 0.3 * level
    correct = np.clip(0.4 + 0.2 * level + 0.03 * part + rng.normal(0, 0.05, 80), 0, 1)

    def moved() -> float:
        mixed = np.concatenate([rng.permutation(correct[level == one]) for one in (0, 1)])
        shuffled = adjusted_difference(mixed, part, level)
        assert shuffled.difference is not None
        return abs(shuffled.difference)

    found = adjusted_difference(correct, part, level)
    assert found.difference is not None
    assert found.p_value is not None
    drawn = np.array([moved() for _ in range(2_000)])
    assert found.p_value == pytest.approx((drawn >= abs(found.difference)).mean(), abs=0.02)
    assert found.low is not None
    assert found.high is not None
    assert (found.low > 0) == (found.p_value < 0.05)
    assert found.high - found.low < 0.1


def test_what_never_varies_has_no_limits() -> None:
    right = adjusted_difference([1] * 6, [True, False] * 3, [0] * 6)
    assert (right.difference, right.low, right.p_value) == (0, None, 1)
    thirds = adjusted_difference([0.3] * 6, [True, False] * 3, [0] * 6)
    assert thirds.difference == pytest.approx(0)
    assert (thirds.low, thirds.p_value) == (None, 1)
    apart = adjusted_difference([1, 0] * 3, [True, False] * 3, [0] * 6)
    assert (apart.difference, apart.low) == (1, None)


def test_a_lead_is_told_among_instances_that_equally_many_get_right() -> None:
    """By hand: of two models, only instances on which they differ say anything."""
    answers = [[1, 0]] * 6 + [[0, 1]] * 4 + [[1, 1]] * 9 + [[0, 0]]
    answers += [[1, 0]] * 5 + [[0, 1]] * 5 + [[1, 1]] * 2 + [[0, 0]] * 8
    part = [True] * 20 + [False] * 20
    one, other = lead_differences(answers, part)
    weights = 10 * 10 / 20, 9 * 2 / 11, 1 * 8 / 9  # of one, two and none right
    assert one.difference == pytest.approx(2 * weights[0] * (0.6 - 0.5) / sum(weights))
    assert one.p_value == pytest.approx(  # the test is McNemar's between found and clean
        StratifiedTable([np.array([[6, 4], [5, 5]])]).test_null_odds(correction=False).pvalue
    )
    assert (one.n, one.strata, one.others) == (40, 3, 1)
    assert one.difference is not None
    assert other.difference == pytest.approx(-one.difference)


def test_instances_that_one_model_answered_have_no_lead() -> None:
    gap = float("nan")
    alone = lead_differences([[1, gap], [0, gap], [gap, 1]], [True, False, True])
    assert [(one.n, one.difference) for one in alone] == [(0, None), (0, None)]
    assert [one.n for one in lead_differences(np.zeros((0, 2)), [])] == [0, 0]
    with pytest.raises(InputError, match="a row for each"):
        lead_differences([[1, 0]], [True, False])
    with pytest.raises(InputError, match="from 0"):
        lead_differences([[1, 2], [0, 1]], [True, False])


def test_a_lead_cannot_change_by_more_than_all() -> None:
    one, other = lead_differences([[1, 0]] * 9 + [[0, 1]] * 9, [True] * 9 + [False] * 9)
    assert (one.difference, other.difference) == (1, -1)


def _false_calls(rng: np.random.Generator, draws: int, asked: list[int], n: int) -> float:
    """How often the first model's lead is significant where being found helps none; models are
    asked so many times."""
    hits = 0
    for _ in range(draws):
        chances, found, _ = draw(rng, n, len(asked) - 1, asked=100_000)
        answers = np.round(rng.binomial(asked, chances) / asked, 2)
        p_value = lead_differences(answers, found)[0].p_value
        hits += p_value is not None and p_value <= 0.05
    return hits / draws


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("n", "asked"),
    [
        (1_600, [1] * 2),
        (400, [1] * 6),
        (1_600, [1] * 6),
        (400, [1] * 15),
        (400, [5] * 6),
        (400, [1, 5, 5, 5, 5, 5]),
        (400, [5, 1, 3, 1, 1, 10]),
    ],
)
def test_easier_instances_are_no_lead(n: int, asked: list[int]) -> None:
    # 0.05 and three Monte Carlo errors
    assert _false_calls(np.random.default_rng(0), 1_000, asked, n) <= 0.07


@pytest.mark.simulation
@pytest.mark.parametrize("others", [1, 5, 14])
def test_a_gain_of_one_model_is_seen_in_points(others: int) -> None:
    rng = np.random.default_rng(7)
    off, covered = [], 0
    for _ in range(300):
        answers, found, gained = draw(rng, 1_600, others, gain=0.1)
        one = lead_differences(answers, found)[0]
        assert one.difference is not None
        assert one.low is not None
        assert one.high is not None
        off.append(one.difference - gained)
        covered += one.low <= gained <= one.high
    assert abs(float(np.mean(off))) < 0.02
    assert covered / 300 > 0.88


def test_fractions_that_are_no_means_still_have_levels() -> None:
    rng = np.random.default_rng(8)
    answers = rng.random((400, 6))
    [one, *_] = lead_differences(answers, rng.random(400) < 0.5)
    assert one.strata > 20
    assert one.n > 350


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
    assert (found.n, wide.n, many.n) == (4, 6, 12)
    assert many.correlation == pytest.approx(1)
    assert (many.low, many.high) == (None, None)  # no width at 1
    assert trend([7, 13], [0, 1]).correlation is None
    assert trend([7, 7, 7], [0, 1, 2]).correlation is None
    with pytest.raises(InputError, match="none may be missing"):
        trend([1, 2, 3, math.nan], [1, 2, 3, 4])
    with pytest.raises(InputError, match="one of each"):
        trend([1, 2, 3, 4], [1, 2, 3])


def test_below_ten_pairs_all_orders_are_counted() -> None:
    sizes, gains = [1.0, 2, 2, 4, 5, 6], [0.1, 0.4, 0.2, 0.2, 0.5, 0.4]
    found = trend(sizes, gains)
    orders = [stats.spearmanr(sizes, order).statistic for order in itertools.permutations(gains)]
    reached = np.array(orders) >= stats.spearmanr(sizes, gains).statistic - 1e-9
    assert found.p_value == pytest.approx(2 * reached.mean())


@pytest.mark.parametrize("wrong", [[2], [-1], [float("nan")], [[1]]])
def test_what_is_no_answer_is_refused(wrong: list[object]) -> None:
    with pytest.raises(InputError, match="from 0"):
        accuracy_of(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("others", [1, 4])
def test_the_limits_of_a_lead_are_in_the_unit_of_the_difference(others: int) -> None:
    """Of M models asked once, accuracy differs by (M - 1) / M of what the lead does."""
    rng = np.random.default_rng(11)
    answers = (rng.random((300, others + 1)) < 0.6).astype(float)
    part = rng.random(300) < 0.4
    one = lead_differences(answers, part)[0]
    plain = adjusted_difference(answers[:, 0], part, answers.sum(axis=1))
    share = others / (others + 1)
    assert plain.difference is not None
    for ours, theirs in zip(
        (one.difference, one.low, one.high),
        (plain.difference, plain.low, plain.high),
        strict=True,
    ):
        assert ours is not None
        assert ours * share == pytest.approx(theirs)
