"""Two methods on the same instances: are those that the one finds found by the other?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.compare import compare_unpaired
from dcq.evidence.interval import normal_quantile


@dataclass(frozen=True)
class CrossCheck:
    """``n`` instances by quiz (right, wrong) and replication (match, none).

    ``difference`` is the share right among matches minus that among the rest, with Newcombe's
    limits; negative where the quiz finds fewer of the replicated instances than of the others. None
    where one of the two groups is empty. ``odds_ratio`` has half an instance added to each cell,
    with its limits at 95 % (Haldane, Gart), so that it exists at a count of 0; below 1 is as a
    negative difference. ``p_value`` is Fisher's, exact and two-sided.
    """

    n: int
    match_right: int
    match_wrong: int
    other_right: int
    other_wrong: int
    difference: float | None
    low: float | None
    high: float | None
    odds_ratio: float | None
    odds_low: float | None
    odds_high: float | None
    p_value: float | None


def cross_check(right: ArrayLike, match: ArrayLike, *, confidence: float = 0.95) -> CrossCheck:
    """Both of shape (n,), 1 yes, 0 no, NaN not known; instances known to both count.

    Raises ``InputError`` where the lengths differ.
    """
    found, copied = np.asarray(right, dtype=np.float64), np.asarray(match, dtype=np.float64)
    if found.shape != copied.shape or found.ndim != 1:
        raise InputError("The two methods were not given for the same instances; match them first.")
    both = ~(np.isnan(found) | np.isnan(copied))
    found, copied = found[both], copied[both]
    inside, outside = found[copied == 1], found[copied == 0]
    cells = (
        int(inside.sum()),
        int((inside == 0).sum()),
        int(outside.sum()),
        int((outside == 0).sum()),
    )
    gap = compare_unpaired(outside[:, None], inside[:, None], confidence=confidence)
    odds = low = high = p = None
    if len(inside) and len(outside):
        a, b, c, d = (cell + 0.5 for cell in cells)
        log = math.log(a * d / (b * c))
        margin = normal_quantile(confidence) * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        odds, low, high = math.exp(log), math.exp(log - margin), math.exp(log + margin)
        p = float(scipy.stats.fisher_exact(np.array(cells).reshape(2, 2)).pvalue)
    return CrossCheck(len(found), *cells, gap.difference, gap.low, gap.high, odds, low, high, p)
