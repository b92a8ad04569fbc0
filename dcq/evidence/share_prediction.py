"""How many of n yes/no answers one more unseen partition gives, predicted from control partitions.

A normal prediction is wrong about shares near 0 or 1, such as match rates: its false alarms were
.11 to .14 at a nominal .025 where most unseen partitions have none and a few some. So the true
shares of unseen partitions follow a beta distribution, answers are binomial around them, and mean
and correlation of the beta are averaged over their posterior.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_confidence, check_level, check_number, read_numbers
from dcq.evidence.interval import Interval
from dcq.evidence.prediction import check_effect, check_score

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prior:
    """A prior on ρ, the correlation of two answers of one partition: τ² = μ(1 − μ)ρ for a mean
    share μ. It is log-normal with this ``median``; ``width`` is the standard deviation of log ρ. μ
    has Jeffreys' prior."""

    median: float
    width: float

    def __post_init__(self) -> None:
        check_number(self.median, "The median correlation", 1e-6, 1)
        check_number(self.width, "The width of the prior", 0.01, 100)


# So wide that deviations of .02 to .12 at a share of .3 keep their false alarms.
QUIZ = Prior(0.03, 2.0)
# Match rates differ more, for their size: mostly 0, with a few partitions at .06 to .16.
MATCHES = Prior(0.06, 1.4)

_MEANS = np.linspace(-7.5, 5, 50)  # as log-odds
_CORRELATIONS = np.exp(np.linspace(math.log(0.0005), math.log(0.4), 26))
_CELLS = 480  # of the true share, equally wide as log-odds
_WIDEST = 12.0  # log-odds; what lies beyond counts as 0 or 1
_NEGLIGIBLE = 1e-9  # weight that is left out
_GUESSES = 6  # of the critical count, before its bracket is halved


@dataclass(frozen=True, eq=False)
class SharePrediction:
    """True share of an unseen partition: values ``share`` with a ``weight`` each, both of shape
    (cells,); weights sum to 1. ``spread`` is the expected standard deviation between partitions.
    Fulfils ``Prediction``; p-values are mid-p.
    """

    share: Array
    weight: Array
    spread: float

    @property
    def center(self) -> float:
        """The expected share."""
        return float(self.weight @ self.share)

    @property
    def between(self) -> float:
        """Variance of the true share."""
        return float(self.weight @ (self.share - self.center) ** 2)

    @property
    def noise(self) -> float:
        """Variance of one answer within a partition."""
        return float(self.weight @ (self.share * (1 - self.share)))

    def p_value(self, score: float, n: float) -> float:
        """P(more right than ``score`` · n) + half of P(as many): mid-p, continued to counts that
        are not whole. Mid-p is not conservative by itself; its false alarms are in
        docs/method.md."""
        check_score(score, n)
        check_number(n, "The number of answers", 1, MOST)
        right = round(score * n, 9)
        if self.share is _cells()[0] and float(n).is_integer():  # many targets have that many
            return min(1.0, float(self.weight @ _mid_tails(right, n)))
        share, weight = self._likely
        return min(1.0, float(weight @ _mid_tail(right, n, share)))

    def critical(self, n: float, alpha: float) -> float:
        """The lowest whole count that is significant, as a share; above 1 where even n right are
        not."""
        check_level(alpha)
        check_number(n, "The number of answers", 1, MOST)
        deviation = n * math.sqrt(self.between + self.noise / n)
        beyond = -float(scipy.special.ndtri(alpha))
        below, least, steps = -1, math.floor(n) + 1, 0  # not significant, and significant
        at = round(n * self.center + beyond * deviation)
        while least - below > 1:
            at = min(max(at, below + 1), least - 1)
            p = self.p_value(at / n, n)
            below, least = (at, least) if p > alpha else (below, at)
            steps += 1
            if steps > _GUESSES:
                at = (below + least) // 2
            else:  # as if it were normal, which it nearly is
                moved = (beyond + float(scipy.special.ndtri(p))) * deviation if 0 < p < 1 else 0.0
                at += round(moved) or (1 if p > alpha else -1)
        return least / n if least <= n else 1 + 1 / n

    def limits(self, confidence: float = 0.95) -> Interval:
        """Quantiles of the true share."""
        check_confidence(confidence)
        share, weight = self._likely
        below = np.cumsum(weight) - weight / 2
        tail = (1 - confidence) / 2
        low, high = np.interp([tail, 1 - tail], below, share)
        return Interval(float(low), float(high))

    def share_above(self, critical: float, kappa: float, n: float, own_share: float) -> float:
        """As in ``Prediction``; a known instance is right, and the first whole count at or above
        ``critical`` is taken."""
        check_effect(critical, kappa, n, own_share)
        check_number(n, "The number of answers", 1, MOST)
        right = math.ceil(round(critical * n, 9))
        share, weight = self._likely
        return float(weight @ _tail(right, n, share + kappa * (1 - share)))

    @cached_property
    def _likely(self) -> tuple[Array, Array]:
        """The values that have a weight, and their weights."""
        here = self.weight > 0
        return self.share[here], self.weight[here]


class Shares:
    """Controls with ``right`` of ``n`` answers each, and what they predict. Raises ``InputError``
    for no control, and on impossible counts."""

    def __init__(self, right: ArrayLike, n: ArrayLike, prior: Prior = QUIZ) -> None:
        k, sizes = (read_numbers(counts, "Numbers of answers", 0, MOST) for counts in (right, n))
        if not len(k) or k.shape != sizes.shape or (k > sizes * (1 + 1e-9)).any():
            raise InputError("Each control needs its right answers, and at least as many answers.")
        self._of = [(float(k_i), float(n_i)) for k_i, n_i in zip(k, sizes, strict=True)]
        self._evidence = np.stack([_log_evidence(*counts) for counts in self._of])
        self._before = _log_prior(prior)

    def predict(self, indices: Sequence[int] | None = None) -> SharePrediction:
        """The prediction from all controls, or from those with ``indices``."""
        self._check(indices or ())
        used = self._evidence if indices is None else self._evidence[list(indices)]
        weight = _normal(self._before + used.sum(axis=0))
        _, _, deviation = _grid()
        share, cells = _cells()
        likely = weight > _NEGLIGIBLE
        # Not by `@`: its threads spin on a busy machine, which takes longer than the sum.
        probabilities = np.einsum("g,gc->c", weight[likely], cells[likely])
        probabilities[probabilities <= _NEGLIGIBLE] = 0.0
        return SharePrediction(
            share, probabilities / probabilities.sum(), float(weight @ deviation)
        )

    def tails(self, indices: Sequence[int]) -> Array:
        """P(a partition has at least as many right) for each of the controls ``indices``, as the
        others of them predict, shape (len(indices),)."""
        self._check(indices)
        if not len(indices):
            return np.empty(0)
        used = self._evidence[list(indices)]
        weight = _normal(self._before + used.sum(axis=0) - used)
        above = np.stack([_tail_under_each(*self._of[place]) for place in indices])
        return np.asarray((weight * above).sum(axis=1))

    def _check(self, indices: Sequence[int]) -> None:
        for index in indices:
            check_number(index, "The index of a control", 0, len(self._of) - 1)


def _normal(log: Array) -> Array:
    """Weights from their logarithms, over the last axis."""
    weight = np.exp(log - log.max(axis=-1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


@lru_cache(maxsize=1024)
def _log_evidence(right: float, n: float) -> Array:
    """log P(``right`` of ``n``) under each beta, but for a constant, shape (grid,)."""
    a, b, _ = _grid()
    return np.asarray(scipy.special.betaln(right + a, n - right + b) - _log_beta())


@lru_cache(maxsize=512)
def _tail_under_each(right: float, n: float) -> Array:
    """P(at least ``right`` of ``n``), mid-p, under each beta, shape (grid,)."""
    return np.asarray(np.einsum("gc,c->g", _cells()[1], _mid_tails(round(right, 9), n)))


def _mid_tail(right: float, n: float, share: Array) -> Array:
    return (_tail(right, n, share) + _tail(right + 1, n, share)) / 2


@lru_cache(maxsize=2048)  # 4 kB each
def _mid_tails(right: float, n: float) -> Array:
    """Mid-p of each cell, shape (cells,)."""
    return _mid_tail(right, n, _cells()[0])


def _tail(right: float, n: float, share: Array) -> Array:
    """P(X ≥ right) for X ~ Binomial(n, share), continued to counts that are not whole."""
    if right <= 0:
        return np.ones_like(share)
    if right > n:
        return np.zeros_like(share)
    return np.asarray(scipy.special.betainc(right, n - right + 1, share))


def _mesh() -> tuple[Array, Array]:
    """Every mean share with every correlation, both of shape (means, correlations)."""
    mean, rho = np.meshgrid(scipy.special.expit(_MEANS), _CORRELATIONS, indexing="ij")
    return mean, rho


@lru_cache(maxsize=1)
def _grid() -> tuple[Array, Array, Array]:
    """Parameters a and b of the beta distributions, and the standard deviation of each."""
    mean, rho = map(np.ravel, _mesh())
    size = 1 / rho - 1
    return mean * size, (1 - mean) * size, np.sqrt(mean * (1 - mean) * rho)


@lru_cache(maxsize=1)
def _log_beta() -> Array:
    a, b, _ = _grid()
    return np.asarray(scipy.special.betaln(a, b))


@lru_cache(maxsize=1)
def _cells() -> tuple[Array, Array]:
    """Values of the true share, and the probability of each under each beta: (grid, cells)."""
    edges = scipy.special.expit(np.linspace(-_WIDEST, _WIDEST, _CELLS + 1))
    edges[0], edges[-1] = 0.0, 1.0
    a, b, _ = _grid()
    below = scipy.special.betainc(a[:, None], b[:, None], edges)
    middle = scipy.special.expit(np.linspace(-_WIDEST, _WIDEST, 2 * _CELLS + 1)[1::2])
    middle[0], middle[-1] = 0.0, 1.0
    return middle, np.diff(below, axis=1)


@lru_cache(maxsize=4)
def _log_prior(prior: Prior) -> Array:
    mean, rho = _mesh()
    # On grids of log-odds and log ρ: Jeffreys' density of μ is (μ(1 − μ))^−½, times dμ/d log-odds.
    log_density = (
        np.log(mean * (1 - mean)) / 2 - (np.log(rho / prior.median) / prior.width) ** 2 / 2
    )
    return np.asarray(log_density.ravel())
