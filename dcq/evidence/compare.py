"""Comparing two results: two models, or train and test.

If both are on the same instances they are paired by instance, else they are two samples. The
answers are tables (instances, slots) of 1 right, 0 wrong and NaN no answer, as in
``dcq.evidence.rotated``; only instances without a gap count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.ablation import compare as compare_choices
from dcq.evidence.chance import binomial_probabilities
from dcq.evidence.interval import (
    Interval,
    mean_interval,
    variance_of_mean,
    wilson_over_instances,
)
from dcq.evidence.rotated import complete_rows


@dataclass(frozen=True)
class Comparison:
    """Mean score of second minus first, over ``n_first`` and ``n_second`` instances.

    Limits at 95 % by default; the p-value is two-sided. Everything except the counts is None if
    either side has no complete instance. ``paired``: over the same instances, one by one.
    """

    n_first: int
    n_second: int
    paired: bool
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    method: str


def compare_paired(first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95) -> Comparison:
    """Both tables have the same instances in the same order; those complete in both count.

    One slot: McNemar's exact test and the interval of Bonett and Price (2012). Several slots: the
    shares of right calls differ by instance, and the test is the exact one over all signs that the
    differences could have had, with Student's interval. Raises ``InputError`` where the tables
    differ in length.
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 2 or other.ndim != 2 or len(one) != len(other):
        raise InputError("Paired results need a row for each of the same instances.")
    whole = ~(np.isnan(one).any(axis=1) | np.isnan(other).any(axis=1))
    one, other = one[whole], other[whole]
    n = len(one)
    if one.shape[1] == other.shape[1] == 1:
        ablation = compare_choices(one[:, 0], other[:, 0], confidence=confidence)
        return Comparison(
            n,
            n,
            True,
            ablation.difference,
            ablation.low,
            ablation.high,
            ablation.p_value,
            "McNemar, exact",
        )
    gaps = other.mean(axis=1) - one.mean(axis=1)
    limits = mean_interval(gaps, confidence)
    return Comparison(
        n_first=n,
        n_second=n,
        paired=True,
        difference=float(gaps.mean()) if n else None,
        low=max(-1.0, limits.low) if limits else None,
        high=min(1.0, limits.high) if limits else None,
        p_value=_sign_flip(gaps, math.lcm(one.shape[1], other.shape[1])) if n else None,
        method="sign-flip test by instance",
    )


def compare_unpaired(
    first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95
) -> Comparison:
    """The instances are not the same, or their order is not known.

    One slot: Fisher's exact test. Several: Welch's t test on the instances' shares. The interval is
    Newcombe's (1998, method 10), from the Wilson limits of both over instances.
    """
    rows = complete_rows(first), complete_rows(second)
    one, other = (table.mean(axis=1) for table in rows)
    single = rows[0].shape[1] == rows[1].shape[1] == 1
    method = "Fisher, exact" if single else "Welch, by instance"
    limits = [wilson_over_instances(shares, confidence) for shares in (one, other)]
    if limits[0] is None or limits[1] is None:
        return Comparison(len(one), len(other), False, None, None, None, None, method)
    difference = float(other.mean() - one.mean())
    low, high = _newcombe(float(one.mean()), limits[0], float(other.mean()), limits[1])
    p_value = _fisher(one, other) if single else _welch(one, other)
    return Comparison(len(one), len(other), False, difference, low, high, p_value, method)


def _newcombe(
    first: float, first_limits: Interval, second: float, second_limits: Interval
) -> Interval:
    difference = second - first
    down = math.hypot(second - second_limits.low, first_limits.high - first)
    up = math.hypot(second_limits.high - second, first - first_limits.low)
    return Interval(difference - down, difference + up)


def _fisher(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    right = int(one.sum()), int(other.sum())
    table = np.array([right, [len(one) - right[0], len(other) - right[1]]])
    return float(scipy.stats.fisher_exact(table).pvalue)


def _welch(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """With the floor under the variance that intervals have; None for a single instance."""
    if min(len(one), len(other)) < 2:
        return None
    parts = [variance_of_mean(side) for side in (one, other)]
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(side) - 1) for part, side in zip(parts, (one, other), strict=True)
    )
    t = float(other.mean() - one.mean()) / math.sqrt(sum(parts))
    return float(2 * scipy.special.stdtr(freedom, -abs(t)))


def _sign_flip(gaps: NDArray[np.float64], unit: int) -> float:
    """P(a mean at least as far from 0) if each gap were as likely to point the other way.

    Exact: gaps are whole multiples of 1/``unit``, so the distribution of their sum is a product of
    binomials, one for each size of a gap.
    """
    steps = np.rint(gaps * unit).astype(np.int64)
    sizes, counts = np.unique(abs(steps[steps != 0]), return_counts=True)
    chances = np.ones(1)  # of the gaps that point up adding up to 0, 1, 2, …
    for size, count in zip(sizes, counts, strict=True):
        up = np.zeros(size * count + 1)
        up[::size] = binomial_probabilities(int(count), 0.5)
        chances = np.convolve(chances, up)
    total = len(chances) - 1
    as_far = abs(2 * np.arange(total + 1) - total) >= abs(steps.sum())
    return min(1.0, float(chances[as_far].sum()))
