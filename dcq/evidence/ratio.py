"""Interval of κ when its baseline is itself an estimate."""

from __future__ import annotations

import math

from dcq.evidence.interval import Interval


def kappa_interval(
    score: float, limits: Interval, base: float, base_limits: Interval
) -> tuple[float | None, float | None]:
    """Limits of (score − base)/(1 − base) from the intervals of both, which are independent.

    It is 1 minus the ratio of the two error rates, whose limits come from those of each rate
    (MOVER-R, Donner & Zou 2012). The lower limit is None if the base may be without errors, since
    then nothing bounds the ratio; both are None if it is without errors.
    """
    errors, least, most = 1 - score, 1 - limits.high, 1 - limits.low
    base_errors, base_least, base_most = 1 - base, 1 - base_limits.high, 1 - base_limits.low
    if base_errors <= 0:
        return None, None
    product = errors * base_errors
    # The textbook form of the lower limit may divide by 0; this one is equal elsewhere.
    inner = least * (2 * errors - least)
    outer = base_most * (2 * base_errors - base_most)
    root = math.sqrt(max(0.0, product**2 - inner * outer))
    low = inner / (product + root) if inner > 0 else 0.0
    if base_least <= 0:
        return None, 1 - low
    inner = base_least * (2 * base_errors - base_least)
    outer = most * (2 * errors - most)
    high = (product + math.sqrt(max(0.0, product**2 - inner * outer))) / inner
    return 1 - high, 1 - low
