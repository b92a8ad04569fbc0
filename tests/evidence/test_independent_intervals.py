"""Every interval beside an independent implementation, at extreme shares and unequal sizes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]  # it ships no types
from statsmodels.stats.contingency_tables import Table2x2  # type: ignore[import-untyped]  # as above
from statsmodels.stats.proportion import (  # type: ignore[import-untyped]  # as above
    confint_proportions_2indep,
    proportion_confint,
)

from dcq.evidence.ablation import above_own_baseline, compare
from dcq.evidence.agreement import agree
from dcq.evidence.association import associate
from dcq.evidence.compare import compare_paired, compare_unpaired
from dcq.evidence.groups import compare_groups
from dcq.evidence.interval import (
    LEAST_SQUARES,
    Interval,
    effective_answers,
    effective_size,
    kappa_interval,
    mean_interval,
    wilson,
    wilson_over_instances,
)
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.people import pool
from dcq.evidence.protocol2 import contamination_range, non_preferred
from dcq.evidence.replication.cross_check import cross_check
from dcq.evidence.replication.replicated import count_matches, false_alarms
from dcq.evidence.rotated import rotated_kappa
from dcq.evidence.subsets import accuracy_of, trend
from tests.support.exact import EXTREMES, UNEQUAL, splits

Array = NDArray[np.float64]
Z = float(stats.norm.ppf(0.975))


def answers(right: int, n: int) -> Array:
    return (np.arange(n) < right).astype(np.float64)


def theirs(right: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval by statsmodels."""
    low, high = proportion_confint(right, n, alpha=1 - confidence, method="wilson")
    return float(low), float(high)


def size_of(right: Array, asked: Array) -> float:
    """The effective size of answers in clusters: the variance is statsmodels' cluster-robust one of
    a regression on nothing but a constant, with the floor of the package added."""
    k, total = len(asked), float(asked.sum())
    cluster = np.repeat(np.arange(k), asked.astype(int))
    hit = np.concatenate([answers(int(r), int(m)) for r, m in zip(right, asked, strict=True)])
    fitted = OLS(hit, np.ones(len(hit))).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    variance = float(fitted.cov_params()[0, 0]) + k / (k - 1) * LEAST_SQUARES / total**2
    share, shrink = hit.mean(), Z / float(stats.t.ppf(0.975, k - 1))
    design = float((asked**2).sum()) / total
    return float(min(max(share * (1 - share) / variance * shrink**2, total / design), total))


CLUSTERS = (
    # answers about each instance, and how many of them are right
    ([3, 1, 4, 1, 5], [3, 0, 2, 1, 1]),
    ([1, 1, 30], [1, 0, 6]),
    ([4] * 12, [4, 4, 4, 0, 0, 0, 4, 4, 0, 4, 4, 4]),
    ([4] * 12, [1] * 12),
    ([2, 9], [0, 0]),
    ([2, 9], [2, 9]),
    ([1] * 40 + [4] * 10, [1] * 25 + [0] * 15 + [4, 0] * 5),
)


@pytest.mark.parametrize(("right", "n"), EXTREMES)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_wilsons_interval_is_statsmodels(right: int, n: int, confidence: float) -> None:
    expected = pytest.approx(theirs(right, n, confidence), abs=1e-12)
    shares = answers(right, n)
    assert wilson(right, n, confidence) == expected
    # With yes or no for each instance the effective size is n.
    assert wilson_over_instances(shares, confidence) == expected
    found = accuracy_of(shares, confidence)
    assert (found.low, found.high) == expected
    kappa = kappa_fixed(right, n, 0.2, confidence=confidence)
    assert kappa.kappa_low is not None
    assert kappa.kappa_high is not None
    assert (0.2 + 0.8 * kappa.kappa_low, 0.2 + 0.8 * kappa.kappa_high) == expected
    assert kappa.kappa_fixed == pytest.approx((right / n - 0.2) / 0.8)


@pytest.mark.parametrize(("right", "n"), EXTREMES)
def test_counts_of_matches_and_of_false_alarms_have_wilsons_interval(right: int, n: int) -> None:
    expected = pytest.approx(theirs(right, n), abs=1e-12)
    assert count_matches(n, right // 2, right - right // 2).interval == expected
    assert false_alarms([True] * right + [False] * (n - right)).interval == expected
    unlike = agree(["y"] * n, ["y"] * right + ["n"] * (n - right))
    assert unlike.interval == expected


@pytest.mark.parametrize(
    "shares",
    [[0.25] * 9, [0.5, 0.25], [1, 1, 1, 0.75], [0, 0, 0, 0.25] * 2500, [0.0, 1.0, 0.5, 0.75, 0.5]],
)
def test_the_effective_size_is_that_of_a_mean_with_its_own_standard_error(
    shares: list[float],
) -> None:
    values, n = np.array(shares), len(shares)
    variance = stats.sem(values) ** 2 + LEAST_SQUARES / n / (n - 1)
    as_normal = variance * (stats.t.ppf(0.975, n - 1) / Z) ** 2
    expected = max(n, values.mean() * (1 - values.mean()) / as_normal)
    assert effective_size(values) == pytest.approx(expected)
    limits = pytest.approx(theirs(values.mean() * expected, expected), abs=1e-9)
    assert wilson_over_instances(values) == limits
    table = np.arange(4) < np.rint(4 * values)[:, None]
    kappa = rotated_kappa(table)
    assert kappa.kappa_low is not None
    assert kappa.kappa_high is not None
    assert (0.25 + 0.75 * kappa.kappa_low, 0.25 + 0.75 * kappa.kappa_high) == limits


@pytest.mark.parametrize(("asked", "right"), CLUSTERS)
def test_answers_in_clusters_have_a_cluster_robust_variance(
    asked: list[int], right: list[int]
) -> None:
    size = size_of(np.array(right, float), np.array(asked, float))
    assert effective_answers(np.array(right, float), np.array(asked, float)) == pytest.approx(size)
    share = sum(right) / sum(asked)
    limits = pytest.approx(theirs(share * size, size), abs=1e-9)
    told = [
        (person, place, person < hits)
        for place, (m, hits) in enumerate(zip(asked, right, strict=True))
        for person in range(m)
    ]
    pooled = pool(told).kappa
    assert pooled.kappa_low is not None
    assert pooled.kappa_high is not None
    assert (0.25 + 0.75 * pooled.kappa_low, 0.25 + 0.75 * pooled.kappa_high) == limits
    both = agree(
        ["y"] * len(told), ["y" if hit else "n" for *_, hit in told], units=[u for _, u, _ in told]
    )
    assert both.interval == limits


@pytest.mark.simulation
def test_agreement_over_unequal_units_covers() -> None:
    """Fifty units with one item and fifty with four that are labelled alike: 80 % agree."""
    rng, covered = np.random.default_rng(4), 0
    sizes = np.repeat([1, 4], 50)
    units = np.repeat(np.arange(100), sizes)
    for _ in range(600):
        alike = np.repeat(rng.random(100) < 0.8, sizes)
        found = agree(["y"] * len(units), np.where(alike, "y", "n").tolist(), units=units.tolist())
        assert found.interval is not None
        covered += found.interval.low <= 0.8 <= found.interval.high
    assert covered / 600 >= 0.935  # scatters by .009


@pytest.mark.parametrize(
    "values", [[0.0, 1.0], [-1.0, -1.0], [0.0] * 9_999 + [1.0], [-1, 0.5, 0.25]]
)
def test_the_interval_of_a_mean_is_that_of_scipy(values: list[float]) -> None:
    found, n = mean_interval(np.array(values)), len(values)
    error = math.sqrt(stats.sem(values) ** 2 + LEAST_SQUARES / n / (n - 1))
    assert found == pytest.approx(stats.t.interval(0.95, n - 1, np.mean(values), error))


def bonett_price(gained: int, lost: int, n: int) -> tuple[float, float]:
    """Wald's interval of a mean paired difference after one gain and one loss are added."""
    gaps = np.concatenate([np.ones(gained + 1), -np.ones(lost + 1), np.zeros(n - gained - lost)])
    margin = Z * gaps.std() / math.sqrt(len(gaps))
    return max(-1.0, gaps.mean() - margin), min(1.0, gaps.mean() + margin)


@pytest.mark.parametrize(
    ("gained", "lost", "n"),
    [
        *((*pair, 1) for pair in splits(1)),
        *((*pair, 2) for pair in splits(2)),
        *((7, 0, 7), (0, 7, 7), (0, 0, 10_000), (3, 0, 10_000), (1, 9_000, 10_000), (14, 4, 50)),
    ],
)
def test_paired_shares_have_the_interval_of_bonett_and_price(
    gained: int, lost: int, n: int
) -> None:
    before = np.concatenate([np.zeros(gained), np.ones(lost), np.zeros(n - gained - lost)])
    after = np.concatenate([np.ones(gained), np.zeros(lost), np.zeros(n - gained - lost)])
    limits = pytest.approx(bonett_price(gained, lost, n))
    found, paired = compare(before, after), compare_paired(before[:, None], after[:, None])
    assert (found.low, found.high) == (paired.low, paired.high) == limits
    assert found.difference == pytest.approx((gained - lost) / n)
    kappa, base = above_own_baseline(found), lost / n
    if base < 1:
        assert kappa.kappa_low is not None
        assert kappa.kappa_high is not None
        low, high = bonett_price(gained, lost, n)
        assert kappa.kappa_low * (1 - base) == pytest.approx(low)
        assert kappa.kappa_high * (1 - base) == pytest.approx(min(high, 1 - base))


@pytest.mark.parametrize(("first", "second"), UNEQUAL)
def test_unpaired_shares_have_newcombes_interval(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    found = compare_unpaired(answers(*first)[:, None], answers(*second)[:, None])
    expected = confint_proportions_2indep(*second, *first, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    one, other = np.concatenate([answers(*first), answers(*second)]), np.arange(2) == 1
    member = np.repeat(other, [first[1], second[1]]).astype(float)
    linked = associate(one, member)
    assert (linked.low, linked.high) == pytest.approx(expected, abs=1e-9)
    cells = np.array([[second[0], second[1] - second[0]], [first[0], first[1] - first[0]]])
    table = Table2x2(cells + 0.5)  # Haldane's half
    assert linked.odds_ratio == pytest.approx(table.oddsratio)
    assert (linked.odds_low, linked.odds_high) == pytest.approx(table.oddsratio_confint())
    crossed = cross_check(one, member)
    assert (crossed.low, crossed.high) == (linked.low, linked.high)
    assert (crossed.odds_low, crossed.odds_high) == (linked.odds_low, linked.odds_high)
    assert (crossed.match_right, crossed.match_wrong) == tuple(cells[0])
    assert (crossed.other_right, crossed.other_wrong) == tuple(cells[1])


def test_a_group_has_newcombes_interval_against_the_rest() -> None:
    table = np.concatenate([answers(9_995, 10_000), answers(4, 12)])[:, None]
    large, small = compare_groups(table, ["large"] * 10_000 + ["small"] * 12)
    assert large.comparison is not None
    assert small.comparison is not None
    expected = confint_proportions_2indep(4, 12, 9_995, 10_000, method="newcomb", compare="diff")
    assert (small.comparison.low, small.comparison.high) == pytest.approx(expected)
    assert (large.comparison.low, large.comparison.high) == pytest.approx(
        (-expected[1], -expected[0])
    )


def test_rotated_shares_have_newcombes_interval_at_their_effective_sizes() -> None:
    first, second = np.array([0, 0, 0.25, 0]), np.array([0.5, 1, 0.75, 1, 1, 0.25] * 20)
    found = compare_unpaired(*(np.arange(4) < 4 * one[:, None] for one in (first, second)))
    sizes = [effective_size(one) for one in (first, second)]
    expected = confint_proportions_2indep(
        second.mean() * sizes[1],
        sizes[1],
        first.mean() * sizes[0],
        sizes[0],
        method="newcomb",
        compare="diff",
    )
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize(("base", "own"), UNEQUAL)
def test_the_limits_of_a_ratio_leave_no_difference(
    own: tuple[int, int], base: tuple[int, int]
) -> None:
    """At a limit R of the ratio of error rates, the limit of x − R·y (MOVER) is 0: by bisection."""
    (x, x_low, x_high), (y, y_low, y_high) = (
        (1 - k / n, 1 - theirs(k, n)[1], 1 - theirs(k, n)[0]) for k, n in (own, base)
    )
    found = kappa_interval(
        1 - x, Interval(1 - x_high, 1 - x_low), 1 - y, Interval(1 - y_high, 1 - y_low)
    )
    if y == 0:
        assert found == (None, None)
        return

    def least(ratio: float) -> float:
        return x - ratio * y - math.hypot(x - x_low, ratio * (y_high - y))

    def most(ratio: float) -> float:
        return x - ratio * y + math.hypot(x_high - x, ratio * (y - y_low))

    # Without an error of its own the ratio's lower limit is 0, but for rounding.
    low = optimize.brentq(least, 0, x / y, xtol=1e-13) if least(0) > 1e-12 else 0.0
    assert found[1] == pytest.approx(1 - low, abs=1e-6)
    if y_low < 1e-12:
        assert found[0] is None or found[0] < -1e3  # nothing bounds the ratio
        return
    assert found[0] is not None
    high = optimize.brentq(most, x / y, 1e6, xtol=1e-10)
    assert found[0] == pytest.approx(1 - high, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("n", [5, 6, 12, 10_000])
def test_a_rank_correlation_has_the_interval_of_bonett_and_wright(n: int) -> None:
    order = np.arange(n, dtype=float)
    gains = np.random.default_rng(n).permutation(order) + order
    found, r = trend(order, gains), float(stats.spearmanr(order, gains).statistic)
    assert found.low is not None
    assert found.high is not None
    error = math.sqrt((1 + r * r / 2) / (n - 3))
    assert stats.norm.interval(0.95, math.log((1 + r) / (1 - r)) / 2, error) == pytest.approx(
        (math.atanh(found.low), math.atanh(found.high))
    )


def test_the_range_of_protocol_v2_by_trying_all_orders() -> None:
    """All counts of two and three slots with up to three answers: the slot found most, of those the
    one that was liked least, is first; any other may be second."""
    for n, slots in itertools.product((1, 2, 3), repeat=2):
        answered = tuple(itertools.product(range(n + 1), repeat=2))  # found, liked without it
        for counts in itertools.product(answered, repeat=slots):
            right = dict(zip("ABC", (found for found, _ in counts), strict=False))
            liked = dict(zip("ABC", (without for _, without in counts), strict=False))
            most, least = min((-found, without) for found, without in counts)
            kappa = (-most - least) / (n - least) if least < n else 0.0
            seconds = [min(two) for two in itertools.combinations(right.values(), 2)]
            low = max([kappa, *(second / n for second in seconds)])
            found = contamination_range(liked, right, n)
            assert (found.kappa, found.high, found.low) == pytest.approx((kappa, -most / n, low))


def test_slots_that_are_seldom_chosen_have_less_than_a_fifth() -> None:
    for n in (1, 2, 4, 5, 6, 71, 10_000):
        for count in {0, 1, n // 5, n // 5 + 1, n} & set(range(n + 1)):
            used = non_preferred({"A": count, "B": n}, n)
            assert used == (("A",) if 5 * count < n else ("A", "B"))
