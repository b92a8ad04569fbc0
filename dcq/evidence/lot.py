"""Did a model know the lots? Tests a benchmark of which one of k wordings of each item was
published, drawn by lot.

If a model never saw the benchmark, the published wording's place among its item's scores is
uniform, whatever the model prefers or refuses. So the null distribution is known exactly, item by
item, and no controls are needed. A missing score is the lowest of its item: to drop an item because
of its published wording would let refusals decide.

Ranking a published wording among unpublished ones is the idea of STAMP (Rastogi et al. 2025, arXiv
2504.13416), which draws one key for a data set and compares means by a t-test; a lot for each item,
and the test that follows from it, are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.interval import wilson_over_instances
from dcq.evidence.power import ALPHA, POWER, critical_counts, detectable_kappa

Array = NDArray[np.float64]
FEWEST = 2  # wordings of an item
_MOST, _MOST_WORDINGS = 1_000_000, 64
STOP = 1 / ALPHA  # the e-value at which a watch may end: by Ville's inequality 5 % reach it by luck
# The mixture: the share recognised is Beta(1, _SKEW), on midpoints of so many equal parts. A
# skewed prior finds small shares sooner; docs/method.md has the items that it takes.
_PARTS, _SKEW = 200, 2.0


@dataclass(frozen=True)
class LotTest:
    """The test of a benchmark's ``items``. ``wordings`` is their number in each item, None where
    items differ.

    ``statistic`` is the sum of the published wordings' midranks, 1 for the lowest; ``expected`` its
    mean for an unseen benchmark, and ``p_value`` the exact probability that it is as high for one.
    ``e_value`` is the last value of ``e_process``; ``p_anytime``, the inverse of the highest, holds
    whenever a person looked. ``picked`` counts the items whose published wording scores highest,
    ties as fractions; ``share`` is their share with its 95 % interval, and ``recognised`` is (share
    − 1/k)/(1 − 1/k), which is 0 for an unseen benchmark and 1 where all are picked.
    """

    items: int
    wordings: int | None
    statistic: float
    expected: float
    p_value: float
    e_value: float
    p_anytime: float
    picked: float
    share: float
    low: float
    high: float
    recognised: float
    recognised_low: float
    recognised_high: float


def assess(items: Sequence[ArrayLike]) -> LotTest:
    """Test ``items``, each the scores of its wordings with the published one first; higher is a
    stronger preference, NaN is missing. Raises InputError for no item, and for an item of one
    wording."""
    tables = [_checked(item, place) for place, item in enumerate(items)]
    if not tables:
        raise InputError("There is no item to test; give at least one.")
    ranks = [_doubled_midranks(item) for item in tables]
    chances = np.array([1 / len(item) for item in tables])
    fractions = np.array([_picked(item) for item in ranks])
    chance, share = float(chances.mean()), float(fractions.mean())
    interval = wilson_over_instances(fractions)
    low, high = interval if interval is not None else (0.0, 1.0)
    process = e_process(fractions, chances)
    sizes = {len(item) for item in tables}
    return LotTest(
        items=len(tables),
        wordings=sizes.pop() if len(sizes) == 1 else None,
        statistic=sum(int(item[0]) for item in ranks) / 2,
        expected=sum(len(item) + 1 for item in ranks) / 2,
        p_value=_tail(ranks),
        e_value=float(process[-1]),
        p_anytime=float(min(1.0, 1 / process.max())),
        picked=float(fractions.sum()),
        share=share,
        low=low,
        high=high,
        recognised=(share - chance) / (1 - chance),
        recognised_low=(low - chance) / (1 - chance),
        recognised_high=(high - chance) / (1 - chance),
    )


def picked_fractions(items: Sequence[ArrayLike]) -> Array:
    """By item, 1/m where the published wording, which comes first, scores highest together with
    m − 1 others, 0 elsewhere; 1/k where all scores are missing. Shape (items,)."""
    return np.array(
        [_picked(_doubled_midranks(_checked(item, place))) for place, item in enumerate(items)]
    )


def e_process(fractions: ArrayLike, chances: ArrayLike) -> Array:
    """The evidence after each item, which may be looked at any time: for an unseen benchmark the
    chance that it ever reaches 1/α is at most α (Ville 1939).

    ``fractions`` are those of ``picked_fractions``, ``chances`` 1/k, both of shape (items,). For a
    benchmark of which a share is recognised, an item's published wording is picked with
    probability θ = 1/k + share·(1 − 1/k); an item multiplies the evidence by the likelihood ratio
    of θ to 1/k, linear in the fraction, so that ties keep its mean at 1. Mixed over shares by a
    Beta prior. Order matters for looks, never for the last value.
    """
    x, chance = np.asarray(fractions, np.float64)[:, None], np.asarray(chances, np.float64)[:, None]
    recognised = (np.arange(_PARTS) + 0.5) / _PARTS
    weights = (1 - recognised) ** (_SKEW - 1)
    theta = chance + recognised * (1 - chance)
    ratios = x * theta / chance + (1 - x) * (1 - theta) / (1 - chance)
    logs = np.cumsum(np.log(ratios), axis=0)
    top = logs.max(axis=1, keepdims=True)
    mixed = np.exp(logs - top) @ (weights / weights.sum())
    with np.errstate(over="ignore"):  # beyond the largest float it is infinite, and so it is shown
        return np.asarray(np.minimum(np.exp(np.log(mixed) + top[:, 0]), np.finfo(np.float64).max))


def call_models(e_values: Sequence[float], alpha: float = ALPHA) -> list[bool]:
    """Which of many models are called, by e-BH (Wang & Ramdas 2022): the share of false calls among
    the calls is at most ``alpha`` on average, whatever the dependence. Models share the lots, so
    theirs are dependent, and a product over models would hold nothing."""
    order = np.argsort(e_values)[::-1]
    ranked = np.asarray(e_values, np.float64)[order]
    places = np.arange(1, len(ranked) + 1)
    passing = np.flatnonzero(ranked >= len(ranked) / (alpha * places))
    called = np.zeros(len(ranked), np.bool_)
    if len(passing):
        called[order[: passing[-1] + 1]] = True
    return [bool(call) for call in called]


def smallest_share(
    items: int, wordings: int, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """The smallest share picked that the exact binomial test finds with this ``power``, with one
    request for each item; None where none is found. It falls as items increase, but for small steps
    back, since counts are whole. Raises InputError for impossible numbers."""
    _check_plan(items, wordings, alpha)
    kappa = detectable_kappa(items, power=power, alpha=alpha, chance=1 / wordings)
    return None if kappa is None else 1 / wordings + kappa * (1 - 1 / wordings)


def power_at(items: int, wordings: int, share: float, *, alpha: float = ALPHA) -> float:
    """The power of the same test if this ``share`` is picked."""
    from scipy import special  # here, because whoever reads results needs none of it

    _check_plan(items, wordings, alpha)
    if not 0 <= share <= 1:
        raise InputError(f"A share is from 0 to 1, not {share:g}.")
    critical = float(critical_counts(items, 1 / wordings, alpha))
    return float(special.bdtrc(critical - 1, items, share)) if critical <= items else 0.0


def _check_plan(items: int, wordings: int, alpha: float) -> None:
    if not 1 <= items <= _MOST:
        raise InputError(f"A benchmark has 1 to {_MOST:,} items, not {items:,}.")
    if not FEWEST <= wordings <= _MOST_WORDINGS:
        raise InputError(f"A lot takes {FEWEST} to {_MOST_WORDINGS} wordings, not {wordings}.")
    if not 0 < alpha < 1:
        raise InputError(f"A level is between 0 and 1, not {alpha:g}; 0.05 is usual.")


def _checked(item: ArrayLike, place: int) -> Array:
    scores = np.asarray(item, np.float64)
    if scores.ndim != 1 or len(scores) < FEWEST:
        raise InputError(
            f"Item {place + 1} has {scores.size} wording; a lot takes at least {FEWEST}."
        )
    return scores


def _doubled_midranks(scores: Array) -> NDArray[np.int64]:
    """Twice the midrank of each score, 2 to 2k, which are whole; what is missing ties for the
    lowest."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    below = (filled[None, :] < filled[:, None]).sum(axis=1)
    equal = (filled[None, :] == filled[:, None]).sum(axis=1)
    return np.asarray(2 * below + equal + 1, np.int64)


def _picked(ranks: NDArray[np.int64]) -> float:
    return float(ranks[0] == ranks.max()) / int((ranks == ranks.max()).sum())


def _tail(ranks: Sequence[NDArray[np.int64]]) -> float:
    """P(sum of the items' ranks ≥ that of the first of each), each uniform among its own. All terms
    are positive, so the smallest p-values keep their digits."""
    # Counted from each item's lowest and in the largest step that all share: short arrays.
    raised = [item - item.min() for item in ranks]
    step = math.gcd(*(int(value) for item in raised for value in item)) or 1
    observed = sum(int(item[0]) for item in raised) // step
    if observed == 0:
        return 1.0
    pmf = np.ones(1)
    for item in raised:
        values, counts = np.unique(item // step, return_counts=True)
        wider = np.zeros(len(pmf) + int(values[-1]))
        for value, count in zip(values, counts, strict=True):
            wider[value : value + len(pmf)] += pmf * (count / len(item))
        pmf = wider
    return min(1.0, float(pmf[observed:].sum()))
