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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import LARGEST, MOST, check_level, check_number, read_numbers
from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import wilson_over_instances
from dcq.evidence.lot_tail import tail
from dcq.evidence.power import ALPHA, POWER, critical_counts, detectable_kappa

Array = NDArray[np.float64]
FEWEST = 2  # wordings of an item
_MOST, _MOST_WORDINGS = 1_000_000, 64
STOP = 1 / ALPHA  # the e-value at which a watch may end: by Ville's inequality 5 % reach it by luck
# The mixture: the share recognised is Beta(1, _SKEW), on midpoints of so many equal parts. A
# skewed prior finds small shares sooner; docs/method.md has the items that it takes.
_PARTS, _SKEW = 200, 2.0
_CHUNK = 10_000  # items whose evidence is computed at once, 16 MB
# The ranks of items of one number of wordings, shape (items, wordings), and where they stand.
_Tables = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


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
    stronger preference, NaN is missing. Raises InputError for no item, for an item of one wording,
    and for an infinite preference."""
    if not len(items):
        raise InputError("There is no item to test; give at least one.")
    tables = _ranked(items)
    chances = _by_item(tables, lambda ranks: np.full(len(ranks), 1 / ranks.shape[1]))
    fractions = _by_item(tables, _picked)
    chance, share = float(chances.mean()), float(fractions.mean())
    interval = wilson_over_instances(fractions)
    low, high = interval if interval is not None else (0.0, 1.0)
    process = e_process(fractions, chances)
    ranks = [of_items for _, of_items in tables]
    return LotTest(
        items=len(items),
        wordings=ranks[0].shape[1] if len(ranks) == 1 else None,
        statistic=sum(int(of_items[:, 0].sum()) for of_items in ranks) / 2,
        expected=sum(len(of_items) * (of_items.shape[1] + 1) for of_items in ranks) / 2,
        p_value=tail(ranks),
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


def chance_of_repeats(times: int, items: int, wordings: int) -> float:
    """How likely lots publish one of ``wordings`` that all items share ``times`` or more of
    ``items`` times, k·P(X ≥ times) for X ~ Binomial(items, 1/k); for all of them k^(1 − items).
    Raises InputError for impossible numbers."""
    check_number(items, "The number of items", 1, MOST)
    check_number(wordings, "The number of wordings", FEWEST, MOST)
    check_number(times, "The number of repeats", 0, items)
    return min(1.0, wordings * binomial_tail(times, items, 1 / wordings))


def as_one_draw(test: LotTest, wordings: int) -> LotTest:
    """The test of items that were not drawn one by one: one draw among ``wordings`` gives no
    p-value below 1/k and no e-value above k, however many items follow it. Raises InputError for an
    impossible number."""
    check_number(wordings, "The number of wordings", FEWEST, MOST)
    least = 1 / wordings
    return replace(
        test,
        p_value=max(test.p_value, least),
        e_value=min(test.e_value, float(wordings)),
        p_anytime=max(test.p_anytime, least),
    )


def picked_fractions(items: Sequence[ArrayLike]) -> Array:
    """By item, 1/m where the published wording, which comes first, scores highest together with
    m − 1 others, 0 elsewhere; 1/k where all scores are missing. Shape (items,)."""
    return _by_item(_ranked(items), _picked)


def e_process(fractions: ArrayLike, chances: ArrayLike) -> Array:
    """The evidence after each item, which may be looked at any time: for an unseen benchmark the
    chance that it ever reaches 1/α is at most α (Ville 1939).

    ``fractions`` are those of ``picked_fractions``, ``chances`` 1/k, both of shape (items,). For a
    benchmark of which a share is recognised, an item's published wording is picked with
    probability θ = 1/k + share·(1 − 1/k); an item multiplies the evidence by the likelihood ratio
    of θ to 1/k, linear in the fraction, so that ties keep its mean at 1. Mixed over shares by a
    Beta prior. Order matters for looks, never for the last value. Raises InputError where the items
    differ in number, and for impossible values.
    """
    x = read_numbers(fractions, "Fractions", 0, 1)[:, None]
    chance = read_numbers(chances, "Chances", 1 / _MOST, 1 / FEWEST)[:, None]
    if len(x) != len(chance):
        raise InputError("Fractions and chances differ in number; give one of each for an item.")
    process, reached = np.empty(len(x)), np.zeros(_PARTS)
    for start in range(0, len(x), _CHUNK):
        part = slice(start, start + _CHUNK)
        process[part], reached = _mixed(x[part], chance[part], reached)
    return process


def _mixed(x: Array, chance: Array, reached: Array) -> tuple[Array, Array]:
    """The evidence after each of some items, and the logarithm of it for each share, which was
    ``reached`` before them."""
    recognised = (np.arange(_PARTS) + 0.5) / _PARTS
    weights = (1 - recognised) ** (_SKEW - 1)
    theta = chance + recognised * (1 - chance)
    ratios = x * theta / chance + (1 - x) * (1 - theta) / (1 - chance)
    logs = reached + np.cumsum(np.log(ratios), axis=0)
    top = logs.max(axis=1, keepdims=True)
    mixed = np.exp(logs - top) @ (weights / weights.sum())
    with np.errstate(over="ignore"):  # beyond the largest float it is infinite, and so it is shown
        evidence = np.minimum(np.exp(np.log(mixed) + top[:, 0]), np.finfo(np.float64).max)
    return evidence, logs[-1]


def call_models(e_values: Sequence[float], alpha: float = ALPHA) -> list[bool]:
    """Which of many models are called, by e-BH (Wang & Ramdas 2022): the share of false calls among
    the calls is at most ``alpha`` on average, whatever the dependence. Models share the lots, so
    theirs are dependent, and a product over models would hold nothing. Raises InputError for an
    e-value that is missing or negative."""
    check_level(alpha)
    values = read_numbers(e_values, "E-values", 0, math.inf)
    order = np.argsort(values)[::-1]
    ranked = values[order]
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
    check_number(share, "A share", 0, 1)
    critical = float(critical_counts(items, 1 / wordings, alpha))
    return float(special.bdtrc(critical - 1, items, share)) if critical <= items else 0.0


def _check_plan(items: int, wordings: int, alpha: float) -> None:
    if not 1 <= items <= _MOST:
        raise InputError(f"A benchmark has 1 to {_MOST:,} items, not {items:,}.")
    if not FEWEST <= wordings <= _MOST_WORDINGS:
        raise InputError(f"A lot takes {FEWEST} to {_MOST_WORDINGS} wordings, not {wordings}.")
    check_level(alpha)


def _ranked(items: Sequence[ArrayLike]) -> _Tables:
    """The items by their number of wordings: their places, and twice the midranks of the scores."""
    of_size: dict[int, tuple[list[int], list[Array]]] = {}
    for place, item in enumerate(items):
        # A wording may have no probability at all, but none is preferred without a limit.
        scores = read_numbers(item, "Scores", -math.inf, LARGEST, axes=None, gaps=True)
        if scores.ndim != 1 or len(scores) < FEWEST:
            raise InputError(
                f"Item {place + 1} has {scores.size} wording; a lot takes at least {FEWEST}."
            )
        places, rows = of_size.setdefault(len(scores), ([], []))
        places.append(place)
        rows.append(scores)
    return [
        (np.array(places, np.int64), _doubled_midranks(np.stack(rows)))
        for places, rows in of_size.values()
    ]


def _by_item(tables: _Tables, compute: Callable[[NDArray[np.int64]], Array]) -> Array:
    """What is computed of each item, in the order of the items."""
    values = np.empty(sum(len(places) for places, _ in tables))
    for places, ranks in tables:
        values[places] = compute(ranks)
    return values


def _doubled_midranks(scores: Array) -> NDArray[np.int64]:
    """Twice the midrank of each score in its row, 2 to 2k, which are whole; what is missing ties
    for the lowest."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(filled, axis=1, kind="stable")
    ordered = np.take_along_axis(filled, order, axis=1)
    place = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    changes = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((len(scores), 1), np.bool_)
    first = np.where(np.hstack([edge, changes]), place, 0)
    last = np.where(np.hstack([changes, edge]), place, scores.shape[1])
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(scores.shape, np.int64)
    np.put_along_axis(ranks, order, first + last + 2, axis=1)
    return ranks


def _picked(ranks: NDArray[np.int64]) -> Array:
    """For each item 1/m where its first rank is the highest together with m − 1 others, else 0."""
    highest = ranks == ranks.max(axis=1, keepdims=True)
    return np.asarray(highest[:, 0] / highest.sum(axis=1))
