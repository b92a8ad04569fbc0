"""Where the score of one more unseen partition lies, from the mean scores of control partitions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import special

from dcq.evidence.interval import Interval

# Standard deviations between partitions; scores spread evenly from chance to 1 have 0.22.
_BETWEEN = np.linspace(0, 0.25, 51)


@dataclass(frozen=True)
class Prediction:
    """True score of an unseen partition: a mixture of normals with ``mean``, ``variance`` and
    ``weight`` of shape (parts,), one part for each spread that the controls leave possible."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    weight: NDArray[np.float64]

    def scatter(self, share: float, size: float) -> float:
        """Standard error of a score of effective ``size`` whose true value is ``share``."""
        inside = min(max(share, 0.5 / (size + 1)), 1 - 0.5 / (size + 1))
        return math.sqrt(inside * (1 - inside) / size)

    def tail(self, score: float, size: float) -> float:
        """One-sided p-value of a partition's ``score`` at effective ``size``."""
        return self._above(score, self.scatter(float(self.weight @ self.mean), size))

    def critical(self, size: float, alpha: float) -> float:
        """The score from which on the p-value is at most ``alpha``; may lie above 1."""
        return self._quantile(alpha, self.scatter(float(self.weight @ self.mean), size))

    def limits(self, confidence: float = 0.95) -> Interval:
        """Where the true score of one more partition lies."""
        rest = (1 - confidence) / 2
        return Interval(
            max(0.0, self._quantile(1 - rest, 0.0)), min(1.0, self._quantile(rest, 0.0))
        )

    def _above(self, score: float, error: float) -> float:
        reach = np.sqrt(self.variance + error**2)
        return float(self.weight @ special.ndtr((self.mean - score) / reach))

    def _quantile(self, above: float, error: float) -> float:
        return float(scipy.optimize.brentq(lambda score: self._above(score, error) - above, -9, 10))


def predict(scores: NDArray[np.float64], sizes: NDArray[np.float64]) -> Prediction:
    """From the ``scores`` and effective ``sizes`` of m ≥ 3 controls, both of shape (m,).

    Scores are normal about their partitions' true values, and these about a common mean with an
    unknown standard deviation. Few controls say little about that one, so it is averaged over by
    likelihood, all values alike before the data; the mean's own variance comes on top, as in any
    prediction interval.
    """
    # Half a success and half a failure more keep a variance where all or none are correct.
    inside = (scores * sizes + 0.5) / (sizes + 1)
    precision = 1 / (_BETWEEN[:, None] ** 2 + inside * (1 - inside) / sizes)
    total = precision.sum(axis=1)
    mean = precision @ scores / total
    misfit = (precision * (scores - mean[:, None]) ** 2).sum(axis=1)
    likelihood = (np.log(precision).sum(axis=1) - np.log(total) - misfit) / 2
    weight = np.exp(likelihood - likelihood.max())
    return Prediction(mean, _BETWEEN**2 + 1 / total, weight / weight.sum())
