"""Every bootstrap and coefficient of agreement beside exact counting, other libraries or resamples
drawn one by one."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa  # type: ignore[import-untyped]  # it ships no types

from dcq.evidence.agreement import agree
from dcq.evidence.bootstrap import paired_bootstrap, resampled_means
from dcq.evidence.consistency import compare_sets
from dcq.evidence.replication.guidance import compare_instructions

Array = NDArray[np.float64]


def exact_resamples(gains: int, losses: int, n: int) -> tuple[Array, Array]:
    """All sums of n draws with replacement from gains (+1), losses (−1) and zeros, and the chance
    that a resample has at most that sum."""
    one = np.array([losses, n - gains - losses, gains]) / n
    chances = np.ones(1)
    for _ in range(n):
        chances = np.convolve(chances, one)
    return np.arange(-n, n + 1.0), np.asarray(chances.cumsum())


@pytest.mark.parametrize(
    ("gains", "losses", "n"),
    [(1, 0, 10), (9, 0, 10), (5, 5, 10), (3, 1, 30), (1, 0, 400), (60, 200, 400)],
)
def test_the_paired_bootstrap_is_that_of_all_resamples(gains: int, losses: int, n: int) -> None:
    before = np.concatenate([np.zeros(n - losses), np.ones(losses)])
    after = np.concatenate([np.ones(gains), np.zeros(n - gains)])
    sums, at_most = exact_resamples(gains, losses, n)
    told = compare_instructions(before, after)
    for found in (paired_bootstrap(before, after), told):
        for limit, wanted in ((found.low, 0.025), (found.high, 0.975)):
            assert limit is not None
            place = int(np.searchsorted(sums, round(limit * n)))
            assert sums[place] == pytest.approx(limit * n)
            # 10,000 resamples scatter by .0016.
            assert at_most[place - 1] - 0.006 <= wanted <= at_most[place] + 0.006
    assert told.p_value == pytest.approx(at_most[n], abs=0.02)  # guided does not beat general


@pytest.mark.parametrize(("n", "samples"), [(65, 400_000), (700, 20_000), (2_001, 20_000)])
def test_means_of_resamples_have_the_moments_of_the_bootstrap(n: int, samples: int) -> None:
    """Of skewed values, few enough for sums of two and too many; an odd number has a draw more."""
    values = np.random.default_rng(n).exponential(size=n)
    means = resampled_means(values, samples, np.random.default_rng(1))
    error = values.std() / math.sqrt(n)
    assert means.mean() == pytest.approx(values.mean(), abs=5 * error / math.sqrt(samples))
    assert means.var() == pytest.approx(error**2, rel=4.5 * math.sqrt(2 / samples))
    assert stats.skew(means) == pytest.approx(stats.skew(values) / math.sqrt(n), abs=0.07)


def test_the_limits_of_kappa_and_alpha_are_those_of_whole_units_drawn_again() -> None:
    """Units of one to nine items, resampled one by one, κ by statsmodels, α by its library."""
    rng = np.random.default_rng(2)
    units = [
        [(label, label if rng.random() < 0.75 else "b") for label in rng.choice(["a", "b", "c"], m)]
        for m in [1] * 20 + [3] * 8 + [9] * 4
    ]
    flat = [(at, *pair) for at, unit in enumerate(units) for pair in unit]
    found = agree([a for _, a, _ in flat], [b for *_, b in flat], units=[at for at, *_ in flat])
    kappas, alphas = [], []
    for _ in range(400):
        drawn = [pair for at in rng.integers(0, len(units), len(units)) for pair in units[at]]
        codes = np.array([["abc".index(label) for label in pair] for pair in drawn])
        table = np.zeros((3, 3))
        np.add.at(table, (codes[:, 0], codes[:, 1]), 1)
        kappas.append(cohens_kappa(table, return_results=False))
        alphas.append(krippendorff.alpha(codes.T, level_of_measurement="nominal"))
    for limits, by_one in ((found.kappa_interval, kappas), (found.alpha_interval, alphas)):
        assert limits == pytest.approx(np.quantile(by_one, [0.025, 0.975]), abs=0.05)


@pytest.mark.parametrize(("right", "n"), [(1, 10), (9, 10), (40, 60), (9_999, 10_000)])
def test_kappa_and_alpha_at_extreme_agreement(right: int, n: int) -> None:
    first = ["y"] * (n - 1) + ["n"]
    second = ["y"] * right + ["n"] * (n - right)
    found = agree(first, second)
    table = [[right, n - 1 - right], [0, 1]]
    assert found.kappa == pytest.approx(cohens_kappa(np.array(table), return_results=False))
    # Krippendorff (2011), B: 1 − (2n − 1) · 2 · disagreements / (2 · yes · no).
    yes = n - 1 + right
    assert found.alpha == pytest.approx(1 - (2 * n - 1) * (n - 1 - right) / (yes * (2 * n - yes)))
    assert agree(second, first).alpha == pytest.approx(found.alpha)


def test_the_limits_of_agreement_between_sets_are_those_of_instances_drawn_again() -> None:
    rng = np.random.default_rng(6)
    table = (rng.random((80, 3)) < rng.choice([0.02, 0.3], (80, 1))).astype(float)
    found = compare_sets(table).agreement
    assert found is not None
    alphas = []
    for _ in range(400):
        drawn = table[rng.integers(0, 80, 80)]
        alphas.append(krippendorff.alpha(drawn.T, level_of_measurement="nominal"))
    assert (found.low, found.high) == pytest.approx(np.quantile(alphas, [0.025, 0.975]), abs=0.05)


def test_the_limits_of_kappa_and_alpha_over_all_resamples_of_ten() -> None:
    """Four times yes, three times no, three times differing: all 66 resamples by the libraries."""
    kinds = np.array([[0, 0], [1, 1], [0, 1]])
    found = agree(["y"] * 4 + ["n"] * 3 + ["y"] * 3, ["y"] * 4 + ["n"] * 6)
    rows = []
    for yes in range(11):
        for no in range(11 - yes):
            times = [yes, no, 10 - yes - no]
            if max(yes, no) == 10:
                continue  # all alike: no value
            codes = np.repeat(kinds, times, axis=0).T
            alpha = krippendorff.alpha(codes, level_of_measurement="nominal", value_domain=[0, 1])
            kappa = cohens_kappa(np.array([[yes, times[2]], [0, no]]), return_results=False)
            rows.append((stats.multinomial.pmf(times, 10, [0.4, 0.3, 0.3]), kappa, alpha))
    chances, kappas, alphas = np.array(rows).T
    for limits, values in ((found.kappa_interval, kappas), (found.alpha_interval, alphas)):
        assert limits is not None
        for limit, share in zip(limits, (0.025, 0.975), strict=True):
            assert np.abs(values - limit).min() < 1e-9
            # 2,000 resamples scatter by .0035.
            assert chances[values < limit - 1e-9].sum() <= share + 0.012
            assert chances[values <= limit + 1e-9].sum() >= share - 0.012
