"""Corrects p-values over the family of results that they form.

Entries of None or NaN are not members: they stay None and are not counted. What is no p-value
raises ``InputError``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.arguments import check_number, read_numbers

Adjusted = tuple[float | None, ...]


def benjamini_hochberg(p_values: Sequence[float | None]) -> Adjusted:
    """q-values in the order given (Benjamini & Hochberg 1995).

    Calling everything at or below 0.05 keeps the expected share of false calls among the calls at
    5 %, for tests that are independent or positively dependent, as those of one model that share
    their controls.
    """

    def adjust(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
        m = len(ordered)
        steps = ordered * m / np.arange(1, m + 1)
        return np.minimum.accumulate(steps[::-1])[::-1]

    return _adjusted(p_values, adjust)


def q_among(p_value: float, others: NDArray[np.float64]) -> float:
    """The q-value (as ``benjamini_hochberg``) of one more p-value among ``others``, shape (n,)."""
    check_number(p_value, "A p-value", 0, 1 + 1e-9)
    others = read_numbers(others, "P-values", 0, 1)
    above = np.sort(others[others > p_value])
    m, rank = len(others) + 1, len(others) - len(above) + 1
    steps = np.append(p_value, above) * m / np.arange(rank, m + 1)
    return float(steps.min())


def holm(p_values: Sequence[float | None]) -> Adjusted:
    """Adjusted p-values in the order given (Holm 1979), the stricter criterion.

    Calling everything at or below 0.05 keeps the chance of a single false call in the family at
    5 %, however the tests depend on each other. Equal p-values stay equal, and none becomes
    smaller.
    """

    def adjust(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))

    return _adjusted(p_values, adjust)


def _adjusted(
    p_values: Sequence[float | None],
    adjust: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Adjusted:
    """``adjust`` takes the members' p-values in ascending order and returns adjusted ones."""
    values = read_numbers(
        [np.nan if p is None else p for p in p_values], "P-values", 0, 1, gaps=True
    )
    members = np.flatnonzero(~np.isnan(values))
    order = members[np.argsort(values[members], kind="stable")]
    result: list[float | None] = [None] * len(values)
    for place, value in zip(order, adjust(values[order]), strict=True):
        result[place] = min(1.0, float(value))
    return tuple(result)
