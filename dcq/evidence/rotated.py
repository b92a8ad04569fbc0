"""Quizzes that ask each instance once per slot: the score over instances, and the letters liked.

Four calls on one instance are not four observations; everything here counts instances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import effective_size, wilson_over_instances
from dcq.evidence.kappa import Kappa, from_parts


@dataclass(frozen=True)
class Preference:
    """How often one slot was chosen, whatever stood there. ``chosen`` counts calls, ``n`` the
    instances with an answer; share and limits are None where n is 0."""

    slot: int
    chosen: int
    n: int
    share: float | None
    low: float | None
    high: float | None


def rotated_kappa(right: ArrayLike, chance: float = 0.25, *, confidence: float = 0.95) -> Kappa:
    """κ of a rotated quiz from ``right``, shape (instances, slots): 1 right, 0 wrong, NaN no reply.

    An instance counts where all its calls have a reply: only then does a liking for a slot cancel.
    ``n`` counts those instances, ``correct`` their right calls, the score is the mean of their
    shares; interval and one-sided p-value are taken over instances, at their effective size. No
    complete instance gives no value. Raises ``InputError`` on another shape.
    """
    shares, calls = complete_shares(right)
    size = effective_size(shares, calls, confidence)
    correct = round(float(shares.sum()) * calls)
    if not size:
        return from_parts(0, 0, None, None, None, chance)
    score = correct / (len(shares) * calls)
    return from_parts(
        len(shares),
        correct,
        score,
        wilson_over_instances(shares, calls, confidence),
        binomial_tail(score * size, size, chance),
        chance,
    )


def complete_shares(right: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """The share of right calls of each instance without a gap, and the number of calls each."""
    table = np.asarray(right, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(
            "A rotated score needs a table with a row an instance and a column a slot."
        )
    whole = table[~np.isnan(table).any(axis=1)]
    return whole.mean(axis=1), table.shape[1]


def position_preference(
    chosen: ArrayLike, slots: int = 4, *, confidence: float = 0.95
) -> tuple[Preference, ...]:
    """How much a model likes each slot, from ``chosen``, shape (instances, calls).

    Values are slot numbers from 0, and −1 where no slot was chosen. In a rotated quiz the original
    stands in each slot equally often, so every share is 1/slots but for a liking; in a quiz with
    one fixed slot the shares mix liking and memory. Intervals are over instances.
    """
    table = np.asarray(chosen, dtype=np.int64)
    if table.ndim != 2:
        raise InputError("Choices need a table with a row an instance and a column a call.")
    answered = (table >= 0).sum(axis=1)
    table, answered = table[answered > 0], answered[answered > 0]
    found = []
    for slot in range(slots):
        hits = (table == slot).sum(axis=1)
        shares = hits / answered
        limits = wilson_over_instances(shares, table.shape[1], confidence)
        found.append(
            Preference(
                slot=slot,
                chosen=int(hits.sum()),
                n=len(shares),
                share=float(shares.mean()) if limits else None,
                low=limits.low if limits else None,
                high=limits.high if limits else None,
            )
        )
    return tuple(found)
