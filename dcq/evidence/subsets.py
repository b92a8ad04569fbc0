"""Accuracy on parts of a benchmark, and whether one part does better than another.

Answers are arrays of shape (n,): 1 right, 0 wrong, a fraction for the mean of repeated answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.compare import Comparison, compare_unpaired
from dcq.evidence.interval import normal_quantile, score_interval


@dataclass(frozen=True)
class Accuracy:
    """The mean of ``n`` answers with Wilson's limits; None for n = 0."""

    n: int
    accuracy: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Adjusted:
    """A difference in accuracy among instances of one difficulty, over ``strata`` of them that hold
    instances of both parts (``n`` in all); None where there is none. Without limits where the
    answers in each part of a stratum agree, since nothing then shows how much they vary."""

    n: int
    strata: int
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True)
class Bin:
    """Accuracy of the instances whose score is from ``start`` to ``end``."""

    start: float
    end: float
    accuracy: Accuracy


@dataclass(frozen=True)
class Trend:
    """Spearman's rank correlation over ``n`` pairs: 1 where both rise together, −1 where one falls
    as the other rises; None for fewer than three pairs, or where all values are alike. ``low`` and
    ``high`` are its limits; None for fewer than five pairs and for a correlation of 1 or −1, to
    which the formula gives no width."""

    n: int
    correlation: float | None
    low: float | None
    high: float | None
    p_value: float | None


def accuracy_of(correct: ArrayLike, confidence: float = 0.95) -> Accuracy:
    """Mean and interval of the answers."""
    values = _answers(correct)
    if not len(values):
        return Accuracy(0, None, None, None)
    mean = float(values.mean())
    limits = score_interval(mean, len(values), confidence)
    return Accuracy(len(values), mean, limits.low, limits.high)


def difference_between(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Accuracy of second minus first, two sets of instances: Newcombe's interval and Fisher's exact
    test, or Welch's where answers are fractions."""
    sides = _answers(first), _answers(second)
    whole = all(bool(np.isin(side, (0, 1)).all()) for side in sides)
    # A table of two equal columns is compared by its rows' means.
    tables = [np.repeat(side[:, None], 1 if whole else 2, axis=1) for side in sides]
    return compare_unpaired(*tables)


def adjusted_difference(
    correct: ArrayLike, part: ArrayLike, difficulty: ArrayLike, confidence: float = 0.95
) -> Adjusted:
    """Mantel and Haenszel's difference in accuracy, part minus rest, within equal ``difficulty``.

    Shapes (n,): answers, whether the instance is in the part, and a value that instances of one
    difficulty share, such as the share of other models that are right (NaN: left out). Interval by
    Sato's variance (Greenland and Robins 1985; Sato 1989), test by Cochran, Mantel and Haenszel.
    Fractions of answers count as they are. Other models that saw the part too make it look easy,
    so the adjusted difference is then too small.
    """
    values, member = _answers(correct), np.asarray(part, dtype=np.bool_)
    levels = np.asarray(difficulty, dtype=np.float64)
    if not len(values) == len(member) == len(levels):
        raise InputError("Answers, parts and difficulties differ in number; give one each.")
    weights, gains, spread, variance, excess = [], [], 0.0, 0.0, 0.0
    lean = 0.0
    used = 0
    for level in np.unique(levels[~np.isnan(levels)]):
        here = levels == level
        inside, outside = values[here & member], values[here & ~member]
        n, m = len(inside), len(outside)
        if not n or not m:
            continue
        x, y = float(inside.sum()), float(outside.sum())
        total = n + m
        used += total
        weights.append(n * m / total)
        gains.append((x * m - y * n) / total)
        lean += (m * m * x - n * n * y + n * m * (n - m) / 2) / total**2
        spread += (x * (m - y) + y * (n - x)) / (2 * total)
        right = x + y
        excess += x - n * right / total
        if total > 1:
            variance += n * m * right * (total - right) / (total**2 * (total - 1))
    if not weights:
        return Adjusted(0, 0, None, None, None, None)
    difference = sum(gains) / sum(weights)
    error = math.sqrt(max(0.0, difference * lean + spread)) / sum(weights)
    margin = normal_quantile(confidence) * error
    p_value = float(stats.chi2.sf(excess**2 / variance, 1)) if variance > 0 else 1.0
    return Adjusted(
        used,
        len(weights),
        difference,
        max(-1.0, difference - margin) if margin else None,
        min(1.0, difference + margin) if margin else None,
        p_value,
    )


def accuracy_by_score(scores: ArrayLike, correct: ArrayLike, bins: int = 10) -> tuple[Bin, ...]:
    """Accuracy in ``bins`` of equal width over scores from 0 to 1; the last holds 1. NaN scores are
    left out (the contamination report's Figure 4)."""
    values, answers = np.asarray(scores, dtype=np.float64), _answers(correct)
    if len(values) != len(answers):
        raise InputError("Scores and answers differ in number; give one of each.")
    known = ~np.isnan(values)
    # Rounded, because 0.3 * 10 is a little below 3 in binary.
    place = np.minimum(np.floor(np.round(values[known] * bins, 9)).astype(int), bins - 1)
    return tuple(
        Bin(number / bins, (number + 1) / bins, accuracy_of(answers[known][place == number]))
        for number in range(bins)
    )


def trend(sizes: ArrayLike, gains: ArrayLike, confidence: float = 0.95) -> Trend:
    """Do larger models gain more? Only the order of sizes counts; exact below ten pairs. Limits by
    Fisher's transformation with the variance of Bonett and Wright (2000)."""
    first, second = np.asarray(sizes, np.float64), np.asarray(gains, np.float64)
    n = len(first)
    if n < 3 or len(np.unique(first)) < 2 or len(np.unique(second)) < 2:
        return Trend(n, None, None, None, None)
    ranks = stats.rankdata(first), stats.rankdata(second)
    correlation = float(np.corrcoef(*ranks)[0, 1])
    low, high = _correlation_limits(correlation, n, confidence)
    if n >= 10:
        p_value = float(stats.spearmanr(first, second).pvalue)
        return Trend(n, correlation, low, high, p_value)
    # The sum of products orders the pairings as the correlation does, and is taken of all at once.
    tested = stats.permutation_test(
        (ranks[0],),
        lambda order, axis: (order * ranks[1]).sum(axis=axis),
        vectorized=True,
        permutation_type="pairings",
        n_resamples=math.factorial(n),  # all of them
    )
    return Trend(n, correlation, low, high, float(tested.pvalue))


def _correlation_limits(
    correlation: float, n: int, confidence: float
) -> tuple[float, float] | tuple[None, None]:
    if n < 5 or abs(correlation) > 1 - 1e-12:
        return None, None
    center = math.atanh(correlation)
    margin = normal_quantile(confidence) * math.sqrt((1 + correlation**2 / 2) / (n - 3))
    return math.tanh(center - margin), math.tanh(center + margin)


def _answers(correct: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(correct, dtype=np.float64)
    if values.ndim != 1 or not bool(((values >= 0) & (values <= 1)).all()):
        raise InputError("Answers are numbers from 0 (wrong) to 1 (right), one for each instance.")
    return values
