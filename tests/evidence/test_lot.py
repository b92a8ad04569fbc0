"""The test by lot: against enumeration of all lots, at extremes, and its rates by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy

from dcq.errors import InputError
from dcq.evidence.lot import (
    STOP,
    as_one_draw,
    assess,
    call_models,
    chance_of_repeats,
    e_process,
    picked_fractions,
    power_at,
    smallest_share,
)

NAN = math.nan
TIED = [
    [0.3, 0.1, 0.3, -2.0],
    [1.0, 1.0, 1.0],
    [NAN, 0.5, NAN, 0.2],
    [5.0, 4.0],
    [NAN, NAN, NAN, NAN],
]


def midranks(scores: list[float]) -> list[float]:
    """By scipy; what is missing is the lowest."""
    known = [-1e9 if math.isnan(one) else one for one in scores]
    return list(scipy.stats.rankdata(known))


def test_the_p_value_is_the_share_of_lots_with_as_high_a_sum() -> None:
    ranks = [midranks(item) for item in TIED]
    sums = np.array([sum(lot) for lot in itertools.product(*ranks)])
    for item in TIED:  # each wording in turn published
        item[0], item[-1] = item[-1], item[0]
        found = assess(TIED)
        own = sum(midranks(one)[0] for one in TIED)
        assert found.statistic == pytest.approx(own)
        assert found.expected == pytest.approx(sums.mean())
        assert found.p_value == pytest.approx((sums >= own - 1e-9).mean())


def test_one_ask_an_item_is_the_exact_binomial() -> None:
    """The one that was chosen scores 1, the others 0; a refused item counts for nothing."""
    items = [[1, 0, 0, 0]] * 9 + [[0, 1, 0, 0]] * 11 + [[NAN] * 4] * 7
    found = assess(items)
    assert found.p_value == pytest.approx(scipy.stats.binomtest(9, 20, 0.25, "greater").pvalue)
    assert found.picked == pytest.approx(9 + 7 / 4)


def test_small_p_values_keep_their_digits() -> None:
    assert assess([[1, 0, 0, 0]] * 200).p_value == pytest.approx(0.25**200, rel=1e-9)
    assert assess([list(range(8, 0, -1))] * 300).p_value == pytest.approx(8.0**-300, rel=1e-9)
    assert assess([[0, 1, 2, 3]] * 300).p_value == 1.0


def test_shares_and_what_is_recognised() -> None:
    found = assess([[2, 1, 0, 0]] * 30 + [[0, 1, 0, 0]] * 70)
    assert (found.items, found.wordings, found.picked, found.share) == (100, 4, 30.0, 0.3)
    assert found.low < 0.3 < found.high
    assert found.recognised == pytest.approx((0.3 - 0.25) / 0.75)
    assert found.recognised_low == pytest.approx((found.low - 0.25) / 0.75)
    assert assess([[1, 0], [1, 0, 0]]).wordings is None


def test_ties_for_the_first_place_are_fractions() -> None:
    assert list(picked_fractions([[1, 1, 0, 0], [0, 1, 1, 0], [NAN] * 4, [NAN, 0, 0, 0]])) == [
        0.5,
        0.0,
        0.25,
        0.0,
    ]


@pytest.mark.parametrize("items", [[], [[1.0]], [[]]])
def test_what_is_no_lot_is_told(items: list[list[float]]) -> None:
    with pytest.raises(InputError):
        assess(items)


def test_the_evidence_is_one_on_average_over_the_lots() -> None:
    """Exactly: over all lots of four items with ties."""
    items = [[0.3, 0.3, 0.1], [2.0, 1.0, 0.0], [NAN, NAN, NAN], [1.0, 1.0, 1.0, 0.0]]
    values = []
    for lots in itertools.product(*(range(len(item)) for item in items)):
        turned = [item[lot:] + item[:lot] for item, lot in zip(items, lots, strict=True)]
        chances = [1 / len(item) for item in items]
        values.append(e_process(picked_fractions(turned), chances)[-1])
    assert np.mean(values) == pytest.approx(1.0)


def test_the_evidence_is_the_mixture_of_likelihood_ratios() -> None:
    """Against scipy's quadrature of the same prior."""
    picked, n = 12, 20

    def ratio(recognised: float) -> float:
        theta = 0.25 + 0.75 * recognised
        return float(
            scipy.stats.beta.pdf(recognised, 1, 2)
            * (theta / 0.25) ** picked
            * ((1 - theta) / 0.75) ** (n - picked)
        )

    wanted, _ = scipy.integrate.quad(ratio, 0, 1)
    found = e_process([1.0] * picked + [0.0] * (n - picked), [0.25] * n)
    assert found[-1] == pytest.approx(wanted, rel=1e-3)
    assert np.isfinite(e_process([1.0] * 2000, [0.125] * 2000)).all()


def test_many_models_are_called_by_their_evidence() -> None:
    """e-BH by its definition: the largest j such that j models have an e-value of m/(αj)."""
    values = [100.0, 1.0, 39.0, 0.0, 41.0]
    assert call_models(values, 0.05) == [True, False, True, False, True]  # 39 is above 100/3
    assert call_models([99.0, 1.0, 30.0, 0.0, 41.0], 0.05) == [False] * 5
    assert call_models([60.0, 55.0, 52.0, 0.1, 50.0], 0.05) == [True, True, True, False, True]
    assert call_models([], 0.05) == []


@pytest.mark.parametrize(
    ("share", "items"), [(0.30, 522), (0.35, 141), (0.40, 68), (0.45, 41), (0.55, 19)]
)
def test_the_plan(share: float, items: int) -> None:
    assert all(power_at(n, 4, share) >= 0.8 for n in range(items, items + 60))
    assert power_at(items - 1, 4, share) < 0.8
    found = smallest_share(items, 4)
    assert found is not None
    assert found <= share + 1e-9
    assert power_at(items, 4, found) == pytest.approx(0.8)


def test_plans_that_are_none() -> None:
    assert smallest_share(1, 4) is None
    assert power_at(1, 4, 1.0) == 0.0
    for bad in ((0, 4, 0.05), (10, 1, 0.05), (10, 4, 1.5)):
        with pytest.raises(InputError):
            smallest_share(bad[0], bad[1], alpha=bad[2])
    with pytest.raises(InputError):
        power_at(10, 4, 1.2)


K, N, LOTS = 4, 30, 10_000


def slot_lover(rng: np.random.Generator) -> np.ndarray:
    """It always picks the first slot; which wording is there was shuffled once."""
    scores = np.zeros((N, K))
    scores[np.arange(N), rng.integers(K, size=N)] = 1
    return scores


def lover_of_length(rng: np.random.Generator) -> np.ndarray:
    return np.round(rng.normal(100, 15, (N, K)))


def who_refuses_by_wording(rng: np.random.Generator) -> np.ndarray:
    """Wordings of high score are refused, more often the higher."""
    scores = rng.standard_t(2, (N, K))
    scores[rng.random((N, K)) < 1 / (1 + np.exp(-scores))] = np.nan
    return scores


@pytest.mark.simulation
@pytest.mark.parametrize("model", [slot_lover, lover_of_length, who_refuses_by_wording])
def test_no_preference_makes_false_calls(model) -> None:  # type: ignore[no-untyped-def]  # a function
    """Scores stay, lots are drawn anew: at every level p is below it at most so often."""
    rng = np.random.default_rng(29)
    scores = model(rng)
    ranks = np.array([midranks(row) for row in scores])
    by_sum: dict[float, float] = {}
    p_values = np.empty(LOTS)
    for at in range(LOTS):
        lots = rng.integers(K, size=N)
        total = float(ranks[np.arange(N), lots].sum())
        if total not in by_sum:  # of the same scores p depends on the sum alone
            by_sum[total] = assess(
                [
                    np.r_[row[lot], np.delete(row, lot)]
                    for row, lot in zip(scores, lots, strict=True)
                ]
            ).p_value
        p_values[at] = by_sum[total]
    for level in (0.01, 0.05, 0.1, 0.25, 0.5):
        error = math.sqrt(level * (1 - level) / LOTS)
        assert (p_values <= level).mean() <= level + 3.5 * error


@pytest.mark.simulation
def test_looking_all_the_time_makes_few_false_calls() -> None:
    """1,500 looks each; 5 % may reach E = 20."""
    rng = np.random.default_rng(3)
    runs = 300
    reached = sum(
        e_process((rng.random(1_500) < 0.25).astype(float), np.full(1_500, 0.25)).max() >= STOP
        for _ in range(runs)
    )
    assert reached / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.simulation
def test_models_that_like_the_same_wordings_are_rarely_called_together() -> None:
    """50 models of one taste, one benchmark: a false call of any is the false discovery of all."""
    rng = np.random.default_rng(4)
    runs, models, items = 100, 50, 100
    false = 0
    for _ in range(runs):
        liked = rng.random(items) < 0.25  # the lot fell on what they all like
        values = []
        for _ in range(models):
            own = np.where(rng.random(items) < 0.9, liked, rng.random(items) < 0.25)
            values.append(e_process(own.astype(float), np.full(items, 0.25))[-1])
        false += any(call_models(values))
    assert false / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_one_wording_for_all_items_is_as_likely_as_one_draw_repeated() -> None:
    for items, wordings in ((1, 4), (2, 3), (6, 4), (200, 8)):
        expected = min(1.0, float(wordings) ** (1 - items))
        assert chance_of_repeats(items, items, wordings) == pytest.approx(expected)
    assert chance_of_repeats(3, 12, 4) == 1.0  # as many as a lot gives
    with pytest.raises(InputError, match="repeats"):
        chance_of_repeats(13, 12, 4)


def test_one_draw_gives_no_more_than_its_chance() -> None:
    limited = as_one_draw(assess([[1.0, 0.0, 0.5]] * 9), 3)
    assert (limited.p_value, limited.p_anytime, limited.e_value) == (1 / 3, 1 / 3, 3.0)
    assert limited.picked == 9
    weak = assess([[0.0, 1.0]] * 4)
    assert as_one_draw(weak, 2) == weak
