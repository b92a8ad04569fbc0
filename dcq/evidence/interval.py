"""Confidence intervals of a share: Wilson's, for single answers and for instances asked often."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dcq.evidence.counts import check_counts


class Interval(NamedTuple):
    """Lower and upper limit of a confidence interval."""

    low: float
    high: float


def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided interval reaches: 1.96 at 0.95."""
    return float(special.ndtri((1 + confidence) / 2))


def wilson(correct: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson score interval of the share ``correct / n``; None where n is 0.

    It stays inside [0, 1] and has a width even where all or none are correct (Wilson 1927).
    Raises ``InputError`` on impossible counts.
    """
    check_counts(correct, n)
    return score_interval(correct / n, n, confidence) if n else None


def effective_size(shares: NDArray[np.float64], calls: int, confidence: float = 0.95) -> float:
    """How many independent yes/no answers carry as much as these shares of instances do.

    ``shares`` has shape (n,), each the share of an instance's ``calls`` answers that are right. A
    share in [0, 1] with mean p varies at most as a yes/no answer does, p(1 − p), so the size is at
    least n; it is held to ``n × calls`` because a variance that happens to be 0 proves nothing.
    The variance is itself an estimate, which the ratio of normal to t quantile pays for
    (Korn & Graubard 1998). 0 for no instance, n for one.
    """
    n = len(shares)
    if n < 2:
        return float(n)
    mean, variance = float(shares.mean()), float(shares.var(ddof=1))
    if variance == 0.0:
        return float(n if mean in {0.0, 1.0} else n * calls)
    shrink = normal_quantile(confidence) / float(special.stdtrit(n - 1, (1 + confidence) / 2))
    size = n * mean * (1 - mean) / variance * shrink**2
    return min(max(size, float(n)), float(n * calls))


def wilson_over_instances(
    shares: NDArray[np.float64], calls: int, confidence: float = 0.95
) -> Interval | None:
    """Wilson interval of the mean of ``shares`` (shape (n,)) at their effective size.

    With one call an instance it is plain ``wilson``. None where there is no instance.
    """
    size = effective_size(shares, calls, confidence)
    return score_interval(float(shares.mean()), size, confidence) if size else None


def score_interval(share: float, n: float, confidence: float = 0.95) -> Interval:
    """Wilson interval of a ``share`` seen in ``n`` > 0 observations; n need not be whole."""
    z = normal_quantile(confidence)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if share == 0.0 else max(0.0, centre - reach)
    high = 1.0 if share == 1.0 else min(1.0, centre + reach)
    return Interval(low, high)
