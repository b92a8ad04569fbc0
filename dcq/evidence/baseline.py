"""What an unseen partition would score: the spread of scores over control partitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dcq.evidence.interval import Interval

_BINS = 250  # of the true score
_STEPS = np.linspace(-4, 4, 21)  # of the mean, in standard errors
_SPREADS = np.linspace(0.01, 0.97, 49)  # of ρ's square root
_KEEP = 1e-3  # fits less likely than this beside the best move p by about a percent of itself


@dataclass(frozen=True)
class Baseline:
    """Distribution of the true score of a partition like the controls.

    ``share`` (bins,) are scores from 0 to 1, ``mass`` (bins,) their probabilities, which sum to 1.
    """

    share: NDArray[np.float64]
    mass: NDArray[np.float64]

    def tail(self, correct: int, n: int) -> float:
        """P(at least ``correct`` of ``n`` right) for such a partition."""
        if correct <= 0:
            return 1.0
        return min(1.0, float(self.mass @ special.betainc(correct, n - correct + 1, self.share)))

    def limits(self, confidence: float = 0.95) -> Interval:
        """Where the true score of such a partition lies, with equal tails."""
        cumulated = np.cumsum(self.mass)
        low, high = np.searchsorted(cumulated, [(1 - confidence) / 2, (1 + confidence) / 2])
        half = 0.5 / len(self.share)
        top = len(self.share) - 1
        return Interval(
            float(self.share[low]) - half, float(self.share[min(int(high), top)]) + half
        )


@lru_cache(maxsize=64)  # one model's targets are all held against the same controls
def fit_baseline(controls: tuple[tuple[int, int], ...]) -> Baseline:
    """Beta-binomial fit to the ``(correct, n)`` of three or more control partitions, each n > 0.

    The true scores of partitions follow a beta distribution with mean μ and spread
    ρ = 1/(α + β + 1). Both are averaged over by likelihood, with √ρ, which scales the standard
    deviation, and μ alike before the data, rather than set to the best fit: few controls say
    little about ρ, and a best fit would raise too many false alarms.
    """
    size = np.array([n for _, n in controls], dtype=np.float64)
    total = float(size.sum())
    centre = (sum(k for k, _ in controls) + 0.5) / (total + 1)
    rho = _SPREADS**2
    error = np.sqrt(
        centre * (1 - centre) * (size * (1 + (size - 1) * rho[:, None])).sum(axis=1) / total**2
    )
    mean = centre + error[:, None] * _STEPS
    inside = (mean > 0) & (mean < 1)
    mean = np.where(inside, mean, 0.5)
    scale = (1 - rho) / rho
    alpha, beta = mean * scale[:, None], (1 - mean) * scale[:, None]
    likelihood = -len(controls) * special.betaln(alpha, beta)
    for (k, n), times in Counter(controls).items():
        likelihood += times * special.betaln(k + alpha, n - k + beta)
    # The grid of means is wider where the spread is, so each point stands for more.
    likelihood = np.where(inside, likelihood + np.log(error)[:, None], -np.inf)
    weight = np.exp(likelihood - likelihood.max())
    kept = weight > _KEEP
    weight = weight[kept] / weight[kept].sum()
    edges = np.linspace(0, 1, _BINS + 1)
    below = special.betainc(alpha[kept][:, None], beta[kept][:, None], edges)
    return Baseline((edges[:-1] + edges[1:]) / 2, weight @ np.diff(below, axis=1))
