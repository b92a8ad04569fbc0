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
from dcq.evidence.arguments import read_numbers
from dcq.evidence.chance import binomial_pmf
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
    differ in length, have no column, or hold other values than shares of right answers.
    """
    first_scores, second_scores = (
        read_numbers(answers, "Answers", 0, 1, axes=None, gaps=True) for answers in (first, second)
    )
    if not (
        first_scores.ndim == second_scores.ndim == 2
        and len(first_scores) == len(second_scores)
        and min(first_scores.shape[1], second_scores.shape[1]) > 0
    ):
        raise InputError("Paired results need a row for each of the same instances.")
    complete = ~(np.isnan(first_scores).any(axis=1) | np.isnan(second_scores).any(axis=1))
    first_scores, second_scores = first_scores[complete], second_scores[complete]
    n = len(first_scores)
    if first_scores.shape[1] == second_scores.shape[1] == 1:
        ablation = compare_choices(first_scores[:, 0], second_scores[:, 0], confidence=confidence)
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
    gaps = second_scores.mean(axis=1) - first_scores.mean(axis=1)
    limits = mean_interval(gaps, confidence)
    return Comparison(
        n_first=n,
        n_second=n,
        paired=True,
        difference=float(gaps.mean()) if n else None,
        low=max(-1.0, limits.low) if limits else None,
        high=min(1.0, limits.high) if limits else None,
        p_value=_sign_flip(gaps, math.lcm(first_scores.shape[1], second_scores.shape[1]))
        if n
        else None,
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
    first_shares, second_shares = (table.mean(axis=1) for table in rows)
    single = rows[0].shape[1] == rows[1].shape[1] == 1
    method = "Fisher, exact" if single else "Welch, by instance"
    limits = [wilson_over_instances(shares, confidence) for shares in (first_shares, second_shares)]
    if limits[0] is None or limits[1] is None:
        return Comparison(
            len(first_shares), len(second_shares), False, None, None, None, None, method
        )
    difference = float(second_shares.mean() - first_shares.mean())
    low, high = _newcombe(
        float(first_shares.mean()), limits[0], float(second_shares.mean()), limits[1]
    )
    p_value = (
        _fisher(first_shares, second_shares) if single else _welch(first_shares, second_shares)
    )
    return Comparison(
        len(first_shares), len(second_shares), False, difference, low, high, p_value, method
    )


def _newcombe(
    first: float, first_limits: Interval, second: float, second_limits: Interval
) -> Interval:
    difference = second - first
    down = math.hypot(second - second_limits.low, first_limits.high - first)
    up = math.hypot(second_limits.high - second, first - first_limits.low)
    return Interval(difference - down, difference + up)


def _fisher(first_shares: NDArray[np.float64], second_shares: NDArray[np.float64]) -> float:
    right = int(first_shares.sum()), int(second_shares.sum())
    table = np.array([right, [len(first_shares) - right[0], len(second_shares) - right[1]]])
    return float(scipy.stats.fisher_exact(table).pvalue)


def _welch(first_shares: NDArray[np.float64], second_shares: NDArray[np.float64]) -> float | None:
    """With the floor under the variance that intervals have; None for a single instance."""
    if min(len(first_shares), len(second_shares)) < 2:
        return None
    parts = [variance_of_mean(side) for side in (first_shares, second_shares)]
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(side) - 1)
        for part, side in zip(parts, (first_shares, second_shares), strict=True)
    )
    t = float(second_shares.mean() - first_shares.mean()) / math.sqrt(sum(parts))
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
        up[::size] = binomial_pmf(int(count), 0.5)
        chances = np.convolve(chances, up)
    total = len(chances) - 1
    as_far = abs(2 * np.arange(total + 1) - total) >= abs(steps.sum())
    return min(1.0, float(chances[as_far].sum()))
