"""The score of one more unseen partition, predicted from control partitions.

The true scores of unseen partitions are normal around a common mean, and a partition's score is
normal around its own. How much partitions differ is not known, least of all from one or two
controls, so it is averaged over its posterior, with a prior from partitions of known status.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dcq.evidence.interval import Interval

# Standard deviations between the scores of unseen partitions, and the prior on them: log-normal,
# with the median seen on 165 books and seven models (released answers of DE-COP).
SPREADS = np.linspace(0.0025, 0.25, 100)
USUAL_SPREAD, SPREAD_WIDTH = 0.06, 0.7


@dataclass(frozen=True, eq=False)
class Prediction:
    """True score of an unseen partition: a mixture of normals, one for each of ``SPREADS``.

    ``mean``, ``variance`` and ``weight`` have shape (spreads,); weights sum to 1. ``noise`` is the
    variance of one instance's score within a partition.
    """

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    weight: NDArray[np.float64]
    noise: float

    @property
    def center(self) -> float:
        """The expected score of an unseen partition."""
        return float(self.weight @ self.mean)

    @property
    def spread(self) -> float:
        """The expected standard deviation between unseen partitions."""
        return float(self.weight @ SPREADS)

    def p_value(self, score: float, n: float) -> float:
        """P(an unseen partition of ``n`` instances scores at least ``score``)."""
        deviation = np.sqrt(self.variance + self.noise / n)
        return float(self.weight @ special.ndtr((self.mean - score) / deviation))

    def critical(self, n: float, alpha: float) -> float:
        """The score at which the p-value is ``alpha``; may lie above 1. ``n`` may be infinite."""
        return float(
            scipy.optimize.brentq(lambda score: self.p_value(score, n) - alpha, -9.0, 10.0)
        )

    def limits(self, confidence: float = 0.95) -> Interval:
        """The interval of the true score of one more unseen partition, with equal tails."""
        rest = (1 - confidence) / 2
        return Interval(self.critical(np.inf, 1 - rest), self.critical(np.inf, rest))


def predict(scores: ArrayLike, n: ArrayLike, noise: float) -> Prediction:
    """From the mean ``scores`` of m ≥ 1 controls with ``n`` instances each, both of shape (m,)."""
    found, sizes = np.asarray(scores, dtype=np.float64), np.asarray(n, dtype=np.float64)
    precision = 1 / (SPREADS[:, None] ** 2 + noise / sizes)
    total = precision.sum(axis=1)
    mean = precision @ found / total
    misfit = (precision * (found - mean[:, None]) ** 2).sum(axis=1)
    log = (np.log(precision).sum(axis=1) - np.log(total) - misfit) / 2
    log -= (np.log(SPREADS / USUAL_SPREAD) / SPREAD_WIDTH) ** 2 / 2 + np.log(SPREADS)
    weight = np.exp(log - log.max())
    return Prediction(mean, SPREADS**2 + 1 / total, weight / weight.sum(), noise)
