"""Many partitions or models shown at once: Holm's correction over the family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjusted p-values in the order given (Holm 1979); an entry of None stays None, uncounted.

    Calling everything at or under alpha keeps the chance of a single false alarm in the family at
    alpha, however the tests hang together. Equal p-values stay equal, and none becomes smaller.
    """
    known = [place for place, p in enumerate(p_values) if p is not None]
    raw = np.array([p for p in p_values if p is not None], dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    steps = raw[order] * np.arange(len(raw), 0, -1)
    adjusted = np.minimum(np.maximum.accumulate(steps), 1.0)
    result: list[float | None] = [None] * len(p_values)
    for value, place in zip(adjusted, order, strict=True):
        result[known[place]] = float(value)
    return tuple(result)
