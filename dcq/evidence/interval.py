"""Confidence intervals: Wilson's for a share of single answers or of instances asked often,
Student's for a mean, and that of κ when its baseline is itself an estimate."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from dcq.errors import InputError
from dcq.evidence.arguments import check_confidence, check_counts, check_number, read_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Interval(NamedTuple):
    """Lower and upper limit of a confidence interval."""

    low: float
    high: float


# Added to a sum of squares, so that instances that happen to be all alike keep a variance.
LEAST_SQUARES = 0.1
_FEWEST_OBSERVED = 1e-6  # as an effective size: with less there is nothing to compute with


def variance_of_mean(values: NDArray[np.float64]) -> float:
    """Squared standard error of the mean of two or more ``values``, shape (n,); above 0. Raises
    ``InputError`` for fewer."""
    values = read_numbers(values, "Values")
    n = len(values)
    check_number(n, "The number of values", 2)
    squares = float(((values - values.mean()) ** 2).sum()) + LEAST_SQUARES
    return squares / (n - 1) / n


def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided interval extends: 1.96 at 0.95. Raises ``InputError``
    for a confidence that is not between 0 and 1."""
    check_confidence(confidence)
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(correct: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson score interval of the share ``correct / n``; None if n is 0.

    It stays inside [0, 1] and has a width even if all or none are correct (Wilson 1927).
    Raises ``InputError`` on impossible counts.
    """
    check_counts(correct, n)
    return score_interval(correct / n, n, confidence) if n else None


def effective_size(shares: NDArray[np.float64], confidence: float = 0.95) -> float:
    """How many independent yes/no answers carry as much as these shares of instances do.

    ``shares`` has shape (n,), each the share of an instance's answers that are right. A share in
    [0, 1] with mean p varies at most as a yes/no answer does, p(1 − p), so the size is at least n;
    it is n for yes/no answers. A model that prefers a slot answers every instance nearly alike,
    which makes the mean more precise than independent answers would. The variance is itself an
    estimate, which the ratio of normal to t quantile corrects for (Korn & Graubard 1998). If all
    instances are alike except a few that the sample may have missed, the size is too large. 0 for
    no instance, n for one.
    """
    from scipy import special  # here, because single answers need none of it

    shares = read_numbers(shares, "Shares", 0, 1)
    n = len(shares)
    if n < 2:
        return float(n)
    mean = float(shares.mean())
    shrink = normal_quantile(confidence) / float(special.stdtrit(n - 1, (1 + confidence) / 2))
    return max(mean * (1 - mean) / variance_of_mean(shares) * shrink**2, float(n))


def effective_answers(
    right: NDArray[np.float64], asked: NDArray[np.float64], confidence: float = 0.95
) -> float:
    """How many independent answers are as precise as ``asked`` answers about each instance, of
    which ``right`` are right, both of shape (instances,).

    The variance is that of a ratio over clusters, with the correction for its being an estimate
    (Korn & Graubard 1998). At most the number of answers, and at least what would be left if all
    answers about an instance were the same (Kish 1965); the two are one where each instance has one
    answer. 0 for no answer. Raises ``InputError`` on impossible numbers.
    """
    check_confidence(confidence)
    right, asked = (read_numbers(counts, "Numbers of answers", 0, 1e9) for counts in (right, asked))
    if right.shape != asked.shape or (right > asked).any():
        raise InputError("Right answers must be at most those asked for, an instance each.")
    asked, right = asked[asked > 0], right[asked > 0]
    if not len(asked):
        return 0.0
    total, k = float(asked.sum()), len(asked)
    least = total**2 / float((asked**2).sum())
    share = float(right.sum()) / total
    if k < 2 or least == total:
        return least
    from scipy import special  # as above

    squares = float(((right - share * asked) ** 2).sum()) + LEAST_SQUARES
    variance = k / (k - 1) * squares / total**2
    shrink = normal_quantile(confidence) / float(special.stdtrit(k - 1, (1 + confidence) / 2))
    return min(max(share * (1 - share) / variance * shrink**2, least), total)


def wilson_over_instances(shares: NDArray[np.float64], confidence: float = 0.95) -> Interval | None:
    """Wilson interval of the mean of ``shares`` (shape (n,)) at their effective size.

    With one answer per instance it is plain ``wilson``. None if there is no instance.
    """
    size = effective_size(shares, confidence)
    return score_interval(float(shares.mean()), size, confidence) if size else None


def score_interval(share: float, n: float, confidence: float = 0.95) -> Interval:
    """Wilson interval of a ``share`` seen in ``n`` > 0 observations; n need not be whole. Raises
    ``InputError`` for none, and for what is no share."""
    check_number(share, "A share", 0, 1)
    check_number(n, "The number of observations", _FEWEST_OBSERVED)
    z = normal_quantile(confidence)
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    margin = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if share == 0.0 else max(0.0, center - margin)
    high = 1.0 if share == 1.0 else min(1.0, center + margin)
    return Interval(low, high)


def mean_interval(values: NDArray[np.float64], confidence: float = 0.95) -> Interval | None:
    """Student's t interval of the mean of ``values``, shape (n,), which may be negative.

    None for fewer than two values.
    """
    from scipy import special  # as above

    check_confidence(confidence)
    values = read_numbers(values, "Values")
    n = len(values)
    if n < 2:
        return None
    mean, error = float(values.mean()), math.sqrt(variance_of_mean(values))
    margin = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    return Interval(mean - margin, mean + margin)


def kappa_interval(
    score: float, limits: Interval, base: float, base_limits: Interval
) -> tuple[float | None, float | None]:
    """Limits of (score − base)/(1 − base) from the intervals of both, which are independent.

    It is 1 minus the ratio of the two error rates, whose limits come from those of each rate
    (MOVER-R, Donner & Zou 2012). The lower limit is None if the base may be without errors, since
    then nothing bounds the ratio; both are None if it is without errors. Raises ``InputError`` for
    scores that are no shares, and limits that are no numbers.
    """
    for share in (score, base):
        check_number(share, "A share", 0, 1)
    for limit in (*limits, *base_limits):
        check_number(limit, "A limit", -1, 2)
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
    if inner <= 0:  # the base is far outside of its own limits
        return None, 1 - low
    high = (product + math.sqrt(max(0.0, product**2 - inner * outer))) / inner
    return 1 - high, 1 - low
