"""Accuracy on parts of a benchmark, and whether one part does better than another.

Answers are arrays of shape (n,): 1 right, 0 wrong, a fraction for the mean of repeated answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dcq.errors import InputError
from dcq.evidence.arguments import check_confidence, check_number, read_flags, read_numbers
from dcq.evidence.compare import Comparison, compare_unpaired
from dcq.evidence.interval import normal_quantile, score_interval

_NOTHING = 1e-12  # below which a variance is the rounding of 0
_LEAST = 10  # instances of one level where all sums differ
_MOST_BINS = 1000
_MOST_ASKED = 100  # answers of one model to one instance


@dataclass(frozen=True)
class Accuracy:
    """The mean of ``n`` answers with Wilson's limits; None for n = 0."""

    n: int
    accuracy: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Adjusted:
    """A difference in accuracy among instances of one level, over ``strata`` of them that hold
    instances of both parts (``n`` in all); None where there is none. Without limits where the
    answers in each part of a stratum agree, since nothing then shows how much they vary.
    ``others``: where levels come from several models, with how many others an instance is compared
    at most."""

    n: int
    strata: int
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    others: int = 0


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
    check_confidence(confidence)
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
    binary = all(bool(np.isin(side, (0, 1)).all()) for side in sides)
    # A table of two equal columns is compared by its rows' means.
    tables = [np.repeat(side[:, None], 1 if binary else 2, axis=1) for side in sides]
    return compare_unpaired(*tables)


def adjusted_difference(
    correct: ArrayLike, part: ArrayLike, level: ArrayLike, confidence: float = 0.95
) -> Adjusted:
    """Mantel and Haenszel's difference in accuracy, part minus rest, within equal ``level``.

    Shapes (n,): answers, whether the instance is in the part, and a value that instances of one
    stratum share (NaN: left out). Interval by Sato's variance (Greenland and Robins 1985; Sato
    1989), test by Cochran, Mantel and Haenszel. For fractions of answers the test takes the
    variance that they have within strata, and Sato's is reduced in the same proportion.
    """
    check_confidence(confidence)
    values, member = _answers(correct), read_flags(part, "Parts")
    levels = read_numbers(level, "Levels", -math.inf, math.inf, gaps=True)
    if not len(values) == len(member) == len(levels):
        raise InputError("Answers, parts and levels differ in number; give one each.")
    has_level = ~np.isnan(levels)
    values, member = values[has_level], member[has_level]
    names, place = np.unique(levels[has_level], return_inverse=True)

    def sums(of: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(place, weights=of, minlength=len(names)).astype(np.float64)

    n, m = sums(member), sums(~member)
    is_mixed = (n > 0) & (m > 0)
    if not is_mixed.any():
        return Adjusted(0, 0, None, None, None, None)
    x, y, squares = sums(values * member), sums(values * ~member), sums(values**2)
    n, m, x, y, squares = n[is_mixed], m[is_mixed], x[is_mixed], y[is_mixed], squares[is_mixed]
    total, right = n + m, x + y
    weight = float((n * m / total).sum())
    excess = float(((x * m - y * n) / total).sum())
    difference = excess / weight
    lean = float(((n * n * y - m * m * x + n * m * (m - n) / 2) / total**2).sum())
    spread = float(((x * (m - y) + y * (n - x)) / (2 * total)).sum())
    free = n * m / (total * (total - 1))
    variance = float((free * (squares - right**2 / total)).sum())
    binary_variance = float((free * (right - right**2 / total)).sum())  # if each answer were 0 or 1
    if variance < _NOTHING:
        return Adjusted(int(total.sum()), len(n), difference, None, None, 1.0)
    sato = max(0.0, difference * lean + spread)
    margin = normal_quantile(confidence) * math.sqrt(sato * variance / binary_variance) / weight
    limited = margin > _NOTHING
    return Adjusted(
        int(total.sum()),
        len(n),
        difference,
        max(-1.0, difference - margin) if limited else None,
        min(1.0, difference + margin) if limited else None,
        float(special.chdtrc(1, excess**2 / variance)),
    )


def lead_differences(
    answers: ArrayLike, part: ArrayLike, confidence: float = 0.95
) -> list[Adjusted]:
    """How much larger each model's lead over the other models is on the part than on the rest,
    among instances that equally many of the models get right.

    Shapes (n, models) of answers, NaN where a model has none, and (n,). The model's own answer
    counts in how many are right. In the model of Rasch (an answer depends on the model's ability
    minus the instance's difficulty) that number holds all that the answers tell of the difficulty,
    so an easier part does not look like a gain (Holland and Thayer 1988; their items are the models
    here, their persons the instances); where models were asked repeatedly, it is the number of
    right answers. What helps all models alike does not show, and a gain of the others looks like a
    loss. Where equally many of M models are right, a model's accuracy differs by (M - 1) / M of
    what its lead does; the result is that of the lead, which estimates the gain in accuracy where
    the others gain nothing.
    """
    check_confidence(confidence)
    table = read_numbers(answers, "Answers", 0, 1, axes=None, gaps=True)
    member = read_flags(part, "Parts")
    if table.ndim != 2 or member.shape != table.shape[:1]:
        raise InputError("Answers need a row for each instance of the part and the rest.")
    answered = ~np.isnan(table)
    asked = np.array(
        [
            _asked(model_answers[here])
            for model_answers, here in zip(table.T, answered.T, strict=True)
        ]
    )
    levels = _levels(table * asked, answered)
    differences = []
    for model_answers, here, times in zip(table.T, answered.T, asked, strict=True):
        adjusted_effect = adjusted_difference(
            model_answers[here], member[here], levels[here], confidence
        )
        if adjusted_effect.difference is not None:
            used = answered[here & ~np.isnan(levels)]
            scale = 1 / float((1 - times / (used @ asked)).mean())
            adjusted_effect = _scaled(adjusted_effect, scale, int(used.sum(axis=1).max()) - 1)
        differences.append(adjusted_effect)
    return differences


def _asked(shares: NDArray[np.float64]) -> int:
    """The fewest answers an instance whose means ``shares`` can be, written with two decimals or
    more; 1 where they are no such means."""
    values = np.unique(shares)
    for times in range(1, _MOST_ASKED + 1):
        if bool((abs(values * times - np.rint(values * times)) <= min(0.005 * times, 0.1)).all()):
            return times
    return 1


def _levels(table: NDArray[np.float64], answered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """A number for instances that the same models answered and on which as many answers are right;
    NaN where fewer than two models answered. Where nearly all sums differ, as of fractions that are
    no means of a few answers, they are put in order and divided."""
    levels = np.full(len(table), np.nan)
    sums = np.round(np.nansum(table, axis=1), 6)
    _, groups = np.unique(answered, axis=0, return_inverse=True)
    start = 0
    for group in range(int(groups.max(initial=-1)) + 1):
        here = groups == group
        models = int(answered[here][0].sum())
        if models < 2:
            continue
        _, step = np.unique(sums[here], return_inverse=True)
        most = max(models + 1, len(step) // _LEAST)
        if step.max() >= most:
            step = np.floor(most * (scipy.stats.rankdata(sums[here]) - 0.5) / len(step)).astype(int)
        levels[here] = start + step
        start += most
    return levels


def _scaled(adjusted_effect: Adjusted, scale: float, others: int) -> Adjusted:
    def points(value: float | None) -> float | None:
        return None if value is None else min(1.0, max(-1.0, value * scale))

    return replace(
        adjusted_effect,
        difference=points(adjusted_effect.difference),
        low=points(adjusted_effect.low),
        high=points(adjusted_effect.high),
        others=others,
    )


def accuracy_by_score(scores: ArrayLike, correct: ArrayLike, bins: int = 10) -> tuple[Bin, ...]:
    """Accuracy in ``bins`` of equal width over scores from 0 to 1; the last holds 1. NaN scores are
    left out (the contamination report's Figure 4)."""
    check_number(bins, "The number of bins", 1, _MOST_BINS)
    values, answers = read_numbers(scores, "Scores", 0, 1, gaps=True), _answers(correct)
    if len(values) != len(answers):
        raise InputError("Scores and answers differ in number; give one of each.")
    scored = ~np.isnan(values)
    # Rounded, because 0.3 * 10 is a little below 3 in binary.
    place = np.minimum(np.floor(np.round(values[scored] * bins, 9)).astype(int), bins - 1)
    return tuple(
        Bin(number / bins, (number + 1) / bins, accuracy_of(answers[scored][place == number]))
        for number in range(bins)
    )


def trend(sizes: ArrayLike, gains: ArrayLike, confidence: float = 0.95) -> Trend:
    """Do larger models gain more? Only the order of sizes counts; exact below ten pairs. Limits by
    Fisher's transformation with the variance of Bonett and Wright (2000)."""
    check_confidence(confidence)
    first, second = read_numbers(sizes, "Sizes"), read_numbers(gains, "Gains")
    n = len(first)
    if first.shape != second.shape:
        raise InputError("Sizes and gains are numbers; give one of each for every model.")
    if n < 3 or len(np.unique(first)) < 2 or len(np.unique(second)) < 2:
        return Trend(n, None, None, None, None)
    ranks = scipy.stats.rankdata(first), scipy.stats.rankdata(second)
    correlation = float(np.corrcoef(*ranks)[0, 1])
    low, high = _correlation_limits(correlation, n, confidence)
    if n >= 10:
        p_value = float(scipy.stats.spearmanr(first, second).pvalue)
        return Trend(n, correlation, low, high, p_value)
    away = ranks[1] - ranks[1].mean()  # its product with the other ranks orders as ρ does
    tested = scipy.stats.permutation_test(
        (ranks[0],),
        lambda order, axis: (order * away).sum(axis=axis),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=math.factorial(n),  # all of them
        batch=10_000,
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
    return read_numbers(correct, "Answers", 0, 1)
