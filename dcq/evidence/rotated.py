"""Quizzes that ask each instance once per slot: the score over instances, and the preferred
letters.

Four calls on one instance are not four observations; everything here counts instances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import check_chance, check_confidence, read_numbers
from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import effective_size, wilson_over_instances
from dcq.evidence.kappa import Kappa, from_parts


def rotated_kappa(right: ArrayLike, chance: float = 0.25, *, confidence: float = 0.95) -> Kappa:
    """κ of a rotated quiz from ``right`` (instances, slots): 1 right, 0 wrong, NaN no answer.

    An instance counts if all its calls have an answer: only then does a preference for a slot
    cancel out. ``n`` counts those instances, ``correct`` their right calls, the score is the mean
    of their shares; interval and one-sided p-value are over instances, at their effective size.
    Without a complete instance there is no value. Raises ``InputError`` on another shape, and for
    values that are no shares.
    """
    check_chance(chance)
    check_confidence(confidence)
    rows = read_numbers(complete_rows(right), "Answers", 0, 1, axes=2)
    calls, shares = rows.shape[1], rows.mean(axis=1)
    size = effective_size(shares, confidence)
    correct = round(float(rows.sum()))
    if not size:
        return from_parts(0, 0, None, None, None, chance)
    score = correct / (len(shares) * calls)
    return from_parts(
        len(shares),
        correct,
        score,
        wilson_over_instances(shares, confidence),
        binomial_tail(score * size, size, chance),
        chance,
    )


def complete_rows(right: ArrayLike) -> NDArray[np.float64]:
    """The rows of a table (instances, slots) that have no gap. Raises ``InputError`` on another
    shape, and for values that are not from -1 to 1."""
    table = as_table(right)
    return table[~np.isnan(table).any(axis=1)]


def as_table(right: ArrayLike) -> NDArray[np.float64]:
    """The table itself, as numbers from -1 to 1. Raises ``InputError`` unless it has one row an
    instance and one column or more."""
    table = read_numbers(right, "Answers", -1, 1, axes=None, gaps=True)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(
            "A rotated score needs a table with one row per instance and one column per slot."
        )
    return table
