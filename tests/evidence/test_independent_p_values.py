"""Every p-value and correction beside exact counting, another library or numerical integration, at
extreme shares and unequal sizes."""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]  # it ships no types
from statsmodels.stats.contingency_tables import cochrans_q  # type: ignore[import-untyped]  # as above
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # as above

from dcq.evidence.ablation import above_own_baseline, compare, mcnemar
from dcq.evidence.association import associate
from dcq.evidence.chance import binomial_tail, chance_p_value
from dcq.evidence.compare import compare_paired, compare_unpaired
from dcq.evidence.consistency import Heterogeneity, compare_sets
from dcq.evidence.family import benjamini_hochberg, holm
from dcq.evidence.groups import compare_groups
from dcq.evidence.interval import LEAST_SQUARES, effective_answers, effective_size
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.people import pool
from dcq.evidence.replication.cross_check import cross_check
from dcq.evidence.replication.guidance import compare_instructions
from dcq.evidence.rotated import rotated_kappa
from dcq.evidence.subsets import difference_between, trend
from tests.support.exact import EXTREMES, UNEQUAL, fisher, sign_flip, tail, two_sided_half

CHANCES = (Fraction(1, 4), Fraction(1, 5), Fraction(1, 2), Fraction(1, 100), Fraction(99, 100))
SPLITS = (
    *((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (5, 0), (3, 11), (400, 0), (0, 10_000)),
    *((4_900, 5_100), (5_000, 5_000)),
)


def answers(right: int, n: int) -> np.ndarray:
    return (np.arange(n) < right).astype(np.float64)


def rotated(shares: np.ndarray) -> np.ndarray:
    """Four calls an instance."""
    return np.asarray(np.arange(4) < np.rint(4 * shares)[:, None], dtype=np.float64)


@pytest.mark.parametrize(("right", "n"), EXTREMES)
@pytest.mark.parametrize("chance", CHANCES, ids=str)
def test_the_tail_of_guessing_is_counted(right: int, n: int, chance: Fraction) -> None:
    expected = pytest.approx(tail(right, n, chance), rel=1e-9, abs=1e-300)
    assert chance_p_value(right, n, float(chance)) == expected
    assert kappa_fixed(right, n, float(chance)).p_value == expected
    assert binomial_tail(right, n, float(chance)) == expected
    alike = np.repeat(answers(right, n)[:, None], 4, axis=1)  # four calls that agree are one
    assert rotated_kappa(alike, float(chance)).p_value == expected
    one_each = [("ada", place, place < right) for place in range(n)]
    assert pool(one_each, float(chance)).kappa.p_value == expected


@pytest.mark.parametrize(
    ("right", "size"), [(0.5, 1.0), (3.2, 11.7), (0.01, 900.5), (899.9, 900.5)]
)
def test_between_whole_counts_the_tail_is_a_beta_integral(right: float, size: float) -> None:
    def density(share: float) -> float:
        return math.exp(
            math.lgamma(size + 1)
            - math.lgamma(right)
            - math.lgamma(size - right + 1)
            + (right - 1) * math.log(share)
            + (size - right) * math.log1p(-share)
        )

    expected = integrate.quad(density, 0, 0.25, epsabs=0, epsrel=1e-10)[0]
    assert binomial_tail(right, size, 0.25) == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_clusters_and_rotations_are_tested_at_their_effective_size() -> None:
    shares = np.array([0.25, 0.5, 0.25, 0.25, 1.0, 0.0, 0.5])
    size = effective_size(shares)
    assert size > 7
    expected = stats.beta.cdf(0.25, shares.mean() * size, size * (1 - shares.mean()) + 1)
    assert rotated_kappa(rotated(shares)).p_value == pytest.approx(expected)
    asked, right = np.array([3.0, 1, 9, 2]), np.array([3.0, 0, 8, 0])
    told = [(who, at, who < k) for at, k in enumerate(right) for who in range(int(asked[at]))]
    size = effective_answers(right, asked)
    assert size < 14
    k = right.sum() / 15 * size
    assert pool(told).kappa.p_value == pytest.approx(stats.beta.cdf(0.25, k, size - k + 1))


@pytest.mark.parametrize(("gained", "lost"), SPLITS)
def test_mcnemars_p_is_counted(gained: int, lost: int) -> None:
    expected = pytest.approx(two_sided_half(gained, lost), rel=1e-9, abs=1e-300)
    assert mcnemar(gained, lost) == expected
    before = np.repeat([0.0, 1.0, 1.0], [gained, lost, 3])
    after = np.repeat([1.0, 0.0, 1.0], [gained, lost, 3])
    found = compare(before, after)
    assert found.p_value == compare_paired(before[:, None], after[:, None]).p_value == expected
    if gained:  # else nothing is left to be above
        assert above_own_baseline(found).p_value == expected
    # Where all that differ do so by as much, signs are flipped as McNemar's are.
    wide = compare_paired(np.repeat(before[:, None], 2, 1), np.repeat(after[:, None], 2, 1))
    assert wide.p_value == expected


@pytest.mark.parametrize(("first", "second"), UNEQUAL)
def test_fishers_p_is_counted(first: tuple[int, int], second: tuple[int, int]) -> None:
    expected = pytest.approx(fisher(first, second), rel=1e-7)
    one, other = answers(*first), answers(*second)
    assert compare_unpaired(one[:, None], other[:, None]).p_value == expected
    assert difference_between(one, other).p_value == expected
    right, member = np.concatenate([one, other]), np.repeat([0.0, 1.0], [first[1], second[1]])
    assert associate(right, member).p_value == expected
    assert cross_check(right, member).p_value == expected


def test_groups_are_fishers_tests_corrected_by_holm() -> None:
    parts = {"huge": (4_990, 5_000), "ten": (10, 10), "none": (0, 12), "most": (29, 30)}
    table = np.concatenate([answers(*part) for part in parts.values()])[:, None]
    names = [name for name, (_, n) in parts.items() for _ in range(n)]
    total = np.sum(list(parts.values()), axis=0)
    raw = [fisher((int(total[0]) - k, int(total[1]) - n), (k, n)) for k, n in parts.values()]
    found = compare_groups(table, names)
    assert [one.comparison and one.comparison.p_value for one in found] == pytest.approx(raw)
    corrected = multipletests(raw, method="holm")[1]
    assert [one.p_holm for one in found] == pytest.approx(list(corrected))


SHARES = (
    ([0.0, 0.0], [1.0] * 3),
    ([0.25, 0.5], [0.0, 0.25, 0.25, 1.0] * 2_500),
    ([1.0] * 400, [1.0, 1.0, 0.75]),
    ([0.25] * 40, [0.25] * 5),
)


@pytest.mark.parametrize(("first", "second"), SHARES)
def test_unpaired_shares_are_tested_as_by_scipys_welch(
    first: list[float], second: list[float]
) -> None:
    sides = [np.array(side) for side in (second, first)]
    spread = [math.sqrt(np.var(s, ddof=1) + LEAST_SQUARES / (len(s) - 1)) for s in sides]
    expected = stats.ttest_ind_from_stats(
        *(sides[0].mean(), spread[0], len(sides[0])),
        *(sides[1].mean(), spread[1], len(sides[1])),
        equal_var=False,
    ).pvalue
    found = compare_unpaired(*(rotated(np.array(side)) for side in (first, second)))
    assert found.p_value == pytest.approx(expected)


def test_signs_of_many_instances_are_counted() -> None:
    rng = np.random.default_rng(5)
    for n, least in ((1, 0), (2, 0), (12, 0), (90, 0), (90, 4), (400, 1)):
        first, second = rng.integers(0, 4, n), rng.integers(least, 5, n)
        found = compare_paired(rotated(first / 4), rotated(second / 4))
        assert found.p_value == pytest.approx(sign_flip((second - first).tolist()), rel=1e-9)
        # Three calls beside four: gaps are whole twelfths.
        thirds = np.minimum(second, 3)
        three = (np.arange(3) < thirds[:, None]).astype(float)
        expected = sign_flip((4 * thirds - 3 * first).tolist())
        assert compare_paired(rotated(first / 4), three).p_value == pytest.approx(
            expected, rel=1e-9
        )


def rank(values: tuple[float, ...]) -> list[float]:
    """Mean ranks, by counting."""
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


@pytest.mark.parametrize(
    ("sizes", "gains"),
    [
        ((1, 2, 3), (3, 2, 1)),
        ((7, 7, 13, 13), (0.1, 0.1, 0.2, 0.1)),
        ((1, 1, 1, 1, 9), (0, 0, 0, 0.1, 0.5)),
        ((1, 2, 3, 4, 5, 6), (2, 1, 4, 3, 6, 5)),
        ((1, 1, 2, 2, 3, 70, 70, 70), (5, 4, 4, 3, 3, 2, 0, 1)),
    ],
)
def test_the_trends_p_is_counted_over_all_orders(
    sizes: tuple[float, ...], gains: tuple[float, ...]
) -> None:
    """Twice the smaller tail of the sum of products of ranks, which are whole quarters."""
    first, second = rank(sizes), rank(gains)
    every = [
        sum(a * b for a, b in zip(order, second, strict=True))
        for order in itertools.permutations(first)
    ]
    seen = every[0]
    tails = [sum(one >= seen for one in every), sum(one <= seen for one in every)]
    found = trend(sizes, gains)
    assert found.p_value == pytest.approx(min(1.0, 2 * min(tails) / len(every)))
    assert found.correlation == pytest.approx(np.corrcoef(first, second)[0, 1])


def test_the_trend_of_nine_models_does_not_keep_a_page_waiting() -> None:
    begun = time.process_time()
    found = trend(range(9), [0, 1, 2, 3, 4, 5, 6, 8, 7])
    assert time.process_time() - begun < 4  # seconds of the processor; takes one
    # Nine in order and one swap of neighbours at any of eight places are at least as far.
    assert found.p_value == pytest.approx(2 * 9 / math.factorial(9))


@pytest.mark.parametrize("n", [10, 11, 5_000])
def test_many_models_have_students_p(n: int) -> None:
    order = np.arange(n, dtype=float)
    gains = np.random.default_rng(n).permutation(order) + order / 4
    r = np.corrcoef(order, stats.rankdata(gains))[0, 1]
    t = r * math.sqrt((n - 2) / (1 - r * r))
    assert trend(order, gains).p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 2), abs=1e-12)


def heterogeneity(table: np.ndarray) -> Heterogeneity:
    found = compare_sets(table).heterogeneity
    assert found is not None
    return found


@pytest.mark.parametrize("high", [[1, 1, 3], [12, 0, 0, 0], [4_000, 4_100], [30, 1, 60, 2, 90]])
def test_cochrans_q_where_nearly_all_or_nearly_none_are_right(high: list[int]) -> None:
    rng, n = np.random.default_rng(1), max(100, 2 * max(high))
    for share in (0.0, 1.0):
        table = np.full((n, len(high)), share)
        for at, count in enumerate(high):
            table[rng.permutation(n)[:count], at] = 1 - share
        theirs, found = cochrans_q(table), heterogeneity(table)
        assert found.q == pytest.approx(theirs.statistic)
        if (np.ptp(table, axis=1) > 0).sum() * len(high) >= 24:
            assert found.p_value == pytest.approx(theirs.pvalue)


def test_the_spread_between_sets_is_that_of_a_two_way_analysis_of_variance() -> None:
    """Sums of squares as the fit of statsmodels worsens without the sets' own terms."""
    rng = np.random.default_rng(3)
    for n, k, step in ((12, 2, 0.5), (40, 5, 0.1), (30, 3, 0.0)):
        table = rng.integers(0, 5, (n, k)) / 4 * (1 - step) + step * np.arange(k) / k
        rows, columns = np.repeat(np.eye(n), k, axis=0), np.tile(np.eye(k)[:, 1:], (n, 1))
        left = OLS(table.ravel(), np.hstack([rows, columns])).fit().ssr
        sets = (OLS(table.ravel(), rows).fit().ssr - left) / (k - 1)
        rest = left / (n - 1) / (k - 1)
        found = heterogeneity(table)
        assert found.tau == pytest.approx(math.sqrt(max(0.0, (sets - rest) / n)))
        assert found.noise == pytest.approx(math.sqrt(rest / n))
        assert found.i_squared == pytest.approx(max(0.0, 1 - rest / sets))


@pytest.mark.parametrize(
    ("first", "second"),
    [([1, 1, 1, 0.5, 0.25], [0, 0, 1, 0, 0.5]), ([1, 1, 1], [0, 0, 0]), ([0, 1], [1, 0])],
)
def test_few_instances_that_differ_are_permuted_in_all_ways(
    first: list[float], second: list[float]
) -> None:
    table = np.zeros((15, 3))
    table[: len(first), 0], table[: len(first), 1] = first, second
    ways = [list(itertools.permutations(row)) for row in table[: len(first)].tolist()]
    sums = np.array([np.sum(rows, axis=0) for rows in itertools.product(*ways)])
    reached = sums.var(axis=1) >= table.sum(axis=0).var() - 1e-12
    # 2,000 drawn permutations scatter by up to .011.
    assert heterogeneity(table).p_value == pytest.approx(reached.mean(), abs=0.035)


@pytest.mark.parametrize(
    "gaps", [[1.0, -1.0], [3, -1, -1], [1, 1, 1, -4], [2, 0, 0, -1, 0], [0, 0, 0, 0, 0, 0.5]]
)
def test_guidance_is_tested_over_all_resamples(gaps: list[float]) -> None:
    n = len(gaps)
    better = [sum(drawn) > 0 for drawn in itertools.product(gaps, repeat=n)]
    found = compare_instructions(np.zeros(n), np.array(gaps))
    assert found.p_value == pytest.approx(1 - np.mean(better), abs=0.02)  # scatters by .005


@pytest.mark.parametrize(
    "raw",
    [
        [0.0],
        [1.0],
        [0.0, 0.0, 1.0, 1.0],
        [1e-300, 0.05, 0.05, 0.05, 0.9],
        [0.2] * 7,
        (np.random.default_rng(9).random(3_000) ** 4).tolist(),
    ],
)
def test_corrections_are_those_of_statsmodels(raw: list[float]) -> None:
    for adjust, method in ((benjamini_hochberg, "fdr_bh"), (holm, "holm")):
        expected = multipletests(raw, method=method)[1]
        assert np.array(adjust(raw), float) == pytest.approx(expected, rel=1e-12, abs=1e-300)
