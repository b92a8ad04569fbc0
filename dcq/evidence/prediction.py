"""The score of one more unseen partition, predicted from control partitions.

How much unseen partitions differ is not known, least of all from one or two controls, so it is
averaged over its posterior. Scores that are means over several calls an instance, or differences,
are taken as normal: the true scores of unseen partitions around a common mean, and a partition's
score around its own. Counts of yes/no answers have a prediction of their own
(``dcq.evidence.share_prediction``).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import (
    LARGEST,
    check_confidence,
    check_level,
    check_number,
    read_numbers,
)
from dcq.evidence.interval import Interval
from dcq.evidence.root import find_root

# Standard deviations between the scores of unseen partitions; before the data all are as likely
# (Gelman 2006). So far up that deviations of .02 to .12 keep their false alarms from ten controls
# on (see "Controls" in docs/method.md).
WIDEST, NARROWEST = 0.25, 0.08  # what the largest of these spreads may be
SPREADS = np.linspace(0.0025, WIDEST, 100)
# The largest spread in deviations of an instance's score within a partition; None: always WIDEST.
RATIO: float | None = None
_MOST_NOISE = 4.0  # of scores from -1 to 1, however few


class Prediction(Hashable, Protocol):
    """What one more unseen partition is expected to score."""

    @property
    def center(self) -> float:
        """The expected score."""

    @property
    def spread(self) -> float:
        """The expected standard deviation between the true scores of unseen partitions."""

    @property
    def between(self) -> float:
        """The variance of one more partition's true score, as far as it is known."""

    @property
    def noise(self) -> float:
        """The variance of one instance's score within a partition."""

    def p_value(self, score: float, n: float) -> float:
        """P(an unseen partition of ``n`` instances scores at least ``score``)."""

    def critical(self, n: float, alpha: float) -> float:
        """The lowest score with a p-value of at most ``alpha``; may lie above 1."""

    def limits(self, confidence: float = 0.95) -> Interval:
        """The interval of the true score of one more partition, with equal tails."""

    def share_above(self, critical: float, kappa: float, n: float, own_share: float) -> float:
        """P(a target of ``n`` instances scores at least ``critical``) if it answers each instance
        as one that it knows with probability ``kappa``, else as an unseen one. ``own_share``: see
        ``dcq.evidence.power``."""


def check_score(score: float, n: float) -> None:
    """Raise ``InputError`` unless ``score`` is a number, and ``n`` instances are one or more."""
    check_number(score, "A score", -LARGEST, LARGEST)
    check_number(n, "The number of instances", 1, math.inf)


def check_effect(critical: float, kappa: float, n: float, own_share: float) -> None:
    """Raise ``InputError`` unless these can be arguments of ``Prediction.share_above``."""
    check_score(critical, n)
    check_number(kappa, "κ", 0, 1, below=True)
    check_number(own_share, "The own share", 0, 1)


@dataclass(frozen=True, eq=False)
class NormalPrediction:
    """True score of an unseen partition: a mixture of normals, one for each of ``spreads``.

    ``mean``, ``variance``, ``weight`` and ``spreads`` have shape (spreads,); weights sum to 1.
    ``noise`` is the variance of one instance's score within a partition. Fulfils ``Prediction``;
    ``n`` may be infinite.
    """

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    weight: NDArray[np.float64]
    noise: float
    spreads: NDArray[np.float64] = field(default_factory=lambda: SPREADS)

    @property
    def center(self) -> float:
        """The expected score."""
        return float(self.weight @ self.mean)

    @property
    def spread(self) -> float:
        """The expected standard deviation between partitions."""
        return float(self.weight @ self.spreads)

    @property
    def between(self) -> float:
        """Variance of the true score over the whole mixture."""
        return float(self.weight @ (self.variance + (self.mean - self.center) ** 2))

    def p_value(self, score: float, n: float) -> float:
        """Upper tail of the mixture, with the noise of ``n`` instances."""
        check_score(score, n)
        return self._tail(score, n)

    def _tail(self, score: float, n: float) -> float:
        deviation = np.sqrt(self.variance + self.noise / n)
        tail = float(self.weight @ scipy.special.ndtr((self.mean - score) / deviation))
        return min(1.0, tail)  # weights sum to 1 but for rounding

    def critical(self, n: float, alpha: float) -> float:
        """The critical score, by root finding."""
        check_level(alpha)
        check_score(0.0, n)
        return find_root(lambda score: self._tail(score, n) - alpha, -9.0, 10.0)

    def limits(self, confidence: float = 0.95) -> Interval:
        """Quantiles of the mixture without noise."""
        return _limits(self, confidence)

    def share_above(self, critical: float, kappa: float, n: float, own_share: float) -> float:
        """As in ``Prediction``; a known instance scores 1 − ``own_share``."""
        check_effect(critical, kappa, n, own_share)
        most = 1 - own_share
        mean = self.mean + kappa * (most - self.mean)
        noise = (
            (1 - kappa) * self.noise
            + kappa * own_share * (1 - own_share)
            + kappa * (1 - kappa) * (most - self.center) ** 2
        )
        variance = (1 - kappa) ** 2 * self.variance + noise / n
        return float(self.weight @ scipy.special.ndtr((mean - critical) / np.sqrt(variance)))


@lru_cache(maxsize=256)  # many targets have the same controls
def _limits(prediction: NormalPrediction, confidence: float) -> Interval:
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    return Interval(prediction.critical(np.inf, 1 - tail), prediction.critical(np.inf, tail))


def predict(
    scores: ArrayLike, n: ArrayLike, noise: float, ratio: float | None = RATIO
) -> NormalPrediction:
    """The prediction from the mean ``scores`` of m ≥ 1 controls with ``n`` instances each, both of
    shape (m,).

    Spreads up to ``ratio`` · √``noise`` are allowed, but at least up to ``NARROWEST`` and at most
    up to ``WIDEST``: partitions of a model whose instances vary little differ little. None allows
    ``WIDEST`` whatever the noise. Raises ``InputError`` for no control and for impossible numbers.
    """
    observed = read_numbers(scores, "Scores", -1, 1)
    sizes = read_numbers(n, "Numbers of instances", 1)
    if not len(observed) or observed.shape != sizes.shape:
        raise InputError("A prediction needs a control, and how many instances each control has.")
    check_number(noise, "The noise", 0, _MOST_NOISE)
    if ratio is not None:
        check_number(ratio, "The ratio", 0, LARGEST)
    spreads = _spreads(noise, ratio)
    precision = 1 / (spreads[:, None] ** 2 + noise / sizes)
    total = precision.sum(axis=1)
    mean = precision @ observed / total
    misfit = (precision * (observed - mean[:, None]) ** 2).sum(axis=1)
    log = (np.log(precision).sum(axis=1) - np.log(total) - misfit) / 2
    weight = np.exp(log - log.max())
    return NormalPrediction(mean, spreads**2 + 1 / total, weight / weight.sum(), noise, spreads)


def _spreads(noise: float, ratio: float | None) -> NDArray[np.float64]:
    if ratio is None:
        return SPREADS
    return SPREADS * (min(WIDEST, max(NARROWEST, ratio * math.sqrt(noise))) / WIDEST)
