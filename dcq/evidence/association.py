"""Two yes-or-no findings on the same instances: do they hold for the same ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.arguments import read_numbers
from dcq.evidence.compare import compare_unpaired
from dcq.evidence.interval import normal_quantile


@dataclass(frozen=True)
class Association:
    """How two findings go together over ``n`` instances: ``both`` hold, only one of them, or
    ``neither``.

    ``difference`` is the share with the first finding among instances with the second, minus that
    share among the rest, with Newcombe's limits; negative where the two exclude each other. None
    where one of these two groups is empty. ``odds_ratio`` has half an instance added to each cell,
    with its limits at 95 % (Haldane 1956, Gart 1966), so that it exists at a count of 0: 1 is no
    association, below 1 is as a negative difference. ``p_value`` is Fisher's, exact and
    two-sided."""

    n: int
    both: int
    first_only: int
    second_only: int
    neither: int
    difference: float | None
    low: float | None
    high: float | None
    odds_ratio: float | None
    odds_low: float | None
    odds_high: float | None
    p_value: float | None

    @property
    def varies(self) -> bool:
        """Whether each finding holds for some instances and not for others: if not, nothing can be
        said about an association, and Fisher's p-value is 1."""
        first, second = self.both + self.first_only, self.both + self.second_only
        return 0 < first < self.n and 0 < second < self.n


def associate(first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95) -> Association:
    """Compare two findings, both of shape (n,), 1 yes, 0 no, NaN not known; instances with both
    values count.

    Raises ``InputError`` where the lengths differ, or a value is another number.
    """
    first_values, second_values = (
        read_numbers(findings, "Findings", 0, 1, axes=None, gaps=True)
        for findings in (first, second)
    )
    if first_values.shape != second_values.shape or first_values.ndim != 1:
        raise InputError("The two methods were not given for the same instances; match them first.")
    complete = ~(np.isnan(first_values) | np.isnan(second_values))
    if not np.isin([first_values[complete], second_values[complete]], (0, 1)).all():
        raise InputError("A finding holds or does not; give 1 or 0 for each instance.")
    first_values, second_values = first_values[complete], second_values[complete]
    inside, outside = first_values[second_values == 1], first_values[second_values == 0]
    both, first_only = int(inside.sum()), int(outside.sum())
    second_only, neither = len(inside) - both, len(outside) - first_only
    gap = compare_unpaired(outside[:, None], inside[:, None], confidence=confidence)
    odds = low = high = p = None
    if len(inside) and len(outside):
        a, b, c, d = (cell + 0.5 for cell in (both, second_only, first_only, neither))
        log = math.log(a * d / (b * c))
        margin = normal_quantile(confidence) * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        odds, low, high = math.exp(log), math.exp(log - margin), math.exp(log + margin)
        cells = np.array([[both, second_only], [first_only, neither]])
        p = float(scipy.stats.fisher_exact(cells).pvalue)
    return Association(
        n=len(first_values),
        both=both,
        first_only=first_only,
        second_only=second_only,
        neither=neither,
        difference=gap.difference,
        low=gap.low,
        high=gap.high,
        odds_ratio=odds,
        odds_low=low,
        odds_high=high,
        p_value=p,
    )
