"""The rank of an original among its own rewordings.

It needs no threshold, no reference model and no scale: topic, length and difficulty are the same
for all wordings of an instance, so that only the wording can differ.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import read_numbers


def midranks(scores: ArrayLike) -> NDArray[np.float64]:
    """The midrank of the original in each row of ``scores``, shape (instances, 1 + rewordings),
    where the original comes first: the share of its rewordings that score lower, a tie counting
    half. 1 above all, 0 below all, 0.5 where all are equal; NaN for a row with a NaN. Shape
    (instances,). Raises ``InputError`` without a rewording."""
    table = _table(scores)
    original, others = table[:, :1], table[:, 1:]
    below = (others < original).mean(axis=1) + (others == original).mean(axis=1) / 2
    return np.where(np.isnan(table).any(axis=1), np.nan, below)


def beats_all(scores: ArrayLike) -> NDArray[np.float64]:
    """1 where the original scores higher than all of its rewordings, 1/m where it shares the first
    place with m − 1 of them, 0 elsewhere; NaN for a row with a NaN. Shapes as in ``midranks``."""
    table = _table(scores)
    best = table.max(axis=1, initial=-np.inf)
    first = (table == best[:, None]).sum(axis=1)
    credit = np.where(table[:, 0] == best, 1 / np.maximum(first, 1), 0.0)
    return np.where(np.isnan(table).any(axis=1), np.nan, credit)


def _table(scores: ArrayLike) -> NDArray[np.float64]:
    table = read_numbers(scores, "Scores", -math.inf, math.inf, axes=None, gaps=True)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("An original is ranked among its rewordings; give at least one rewording.")
    return table
