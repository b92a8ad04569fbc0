"""The numbers that are stored of an instance's replies: each measure of each wording, and the
credit of strategies without memory.

Results rest on them alone, so they can be computed again where texts are withheld.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dcq.likelihood.measures import LikelihoodMeasure, Scored

_TEXT = "text-"  # how the names of strategies without memory begin


def values_of(
    wordings: Sequence[Scored], measures: Sequence[LikelihoodMeasure], credit: Mapping[str, float]
) -> dict[str, float]:
    """The numbers by name: ``MEASURE-PLACE`` for the wording at a place, 0 being the original; a
    measure without a value for one of them is left out. ``credit`` is that of
    ``dcq.variants.leakage.credits_of``."""
    numbers = {f"{_TEXT}{name}": share for name, share in credit.items()}
    for measure in measures:
        values = [measure.of(wording) for wording in wordings]
        finite = [value for value in values if value is not None and np.isfinite(value)]
        if len(finite) == len(wordings):
            numbers |= {f"{measure.name}-{place}": value for place, value in enumerate(finite)}
    return numbers


def scores_of(
    values: Mapping[str, Mapping[int, float]], measure: str, wordings: int, size: int
) -> NDArray[np.float64]:
    """The values of a measure for ``size`` instances with so many ``wordings`` each, the original
    first, NaN where nothing is stored; ``values`` is as ``dcq.store.frozen.values_of`` reads it."""
    table = np.full((size, wordings), np.nan)
    for place in range(wordings):
        for position, value in values.get(f"{measure}-{place}", {}).items():
            if 0 <= position < size:
                table[position, place] = value
    return table


def credit_in(values: Mapping[str, Mapping[int, float]]) -> dict[str, list[float]]:
    """The credit of each strategy without memory, by instance."""
    return {
        name.removeprefix(_TEXT): list(credit.values())
        for name, credit in values.items()
        if name.startswith(_TEXT)
    }
