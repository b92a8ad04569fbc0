"""Does a result depend on the set of variants that it was measured with? Compares sets over the
same instances.

Scores are a table of shape (n, k): instances by sets, the share of an instance's calls that found
the original (0 or 1 with one call), NaN without an answer. Only instances complete in all sets are
compared, so that a different choice of instances cannot explain a difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import random_numbers, read_numbers

FEWEST = 10  # instances; below it there are no limits and no test
DRAWS = 2000
_EXACT_BELOW = 24  # cells that differ within their instance (Tate & Brown 1970)


@dataclass(frozen=True)
class Heterogeneity:
    """How much the sets differ beyond what the answers' own noise explains.

    ``q`` is Cochran's Q of matched samples, ``p_value`` its p; None where no instance differs
    between sets (nothing to test) or n < ``FEWEST``. ``tau`` is the standard deviation of true
    scores between sets, ``noise`` that of a set's score among sets that do not differ, both in
    score; ``i_squared`` the share of the observed variance between sets that is not noise (0 to 1).
    """

    q: float | None
    p_value: float | None
    tau: float
    noise: float
    i_squared: float


@dataclass(frozen=True)
class SetAgreement:
    """Krippendorff's α between sets, instance by instance: 1 the same instances found in all sets,
    0 as chance would have it, negative less. None where all scores are equal. ``same`` is the share
    of instances with the same score in all sets; limits at 95 % from resampled instances."""

    alpha: float | None
    low: float | None
    high: float | None
    same: float


@dataclass(frozen=True)
class Consistency:
    """The comparison of ``sets`` over the ``n`` instances that are complete in all of them, with
    the mean score in each. ``within`` is the sampling error of one set's score over instances, as a
    standard error. All but the counts are None where n is 0."""

    n: int
    sets: int
    scores: tuple[float, ...]
    within: float | None
    heterogeneity: Heterogeneity | None
    agreement: SetAgreement | None

    @property
    def widening(self) -> float | None:
        """The factor by which an interval from one set must be widened to hold for another set too,
        at least 1: √(within² + τ²) / within. None where it has no width."""
        if not self.within or self.heterogeneity is None:
            return None
        return math.hypot(self.within, self.heterogeneity.tau) / self.within


def compare_sets(table: ArrayLike, *, seed: int = 0) -> Consistency:
    """Compare the columns of ``table``, shape (n, k) with k ≥ 2. The same ``seed`` gives the same
    limits. Raises InputError for another shape, and for other values than shares."""
    scores = read_numbers(table, "Scores", 0, 1, axes=None, gaps=True)
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise InputError("Two sets of variants or more are needed to compare them.")
    sets = scores.shape[1]
    complete = scores[~np.isnan(scores).any(axis=1)]
    n = len(complete)
    if n == 0:
        return Consistency(0, sets, (), None, None, None)
    rng = random_numbers(seed)
    within = None
    if n > 1:
        within = math.sqrt(float(complete.var(axis=0, ddof=1).mean()) / n)
    return Consistency(
        n=n,
        sets=sets,
        scores=tuple(map(float, complete.mean(axis=0))),
        within=within,
        heterogeneity=_heterogeneity(complete, rng) if n > 1 else None,
        agreement=_agreement(complete, rng),
    )


def _heterogeneity(complete: NDArray[np.float64], rng: np.random.Generator) -> Heterogeneity:
    """Cochran's Q (1950), for shares as the permutation statistic of a block design; the variance
    between sets as the component of a two-way layout without repetition (Scheffé 1959, ch. 7):
    max(0, (MS_sets − MS_rest) / n); I² = max(0, 1 − MS_rest / MS_sets) (Higgins & Thompson 2002,
    with the layout's own F in the place of Q / df)."""
    n, k = complete.shape
    means, rows = complete.mean(axis=0), complete.mean(axis=1, keepdims=True)
    between = n * float(((means - means.mean()) ** 2).sum()) / (k - 1)
    residual = float(((complete - rows - means + means.mean()) ** 2).sum()) / ((n - 1) * (k - 1))
    inside = float(((complete - rows) ** 2).sum()) / (n * (k - 1))
    q = p_value = None
    if n >= FEWEST and inside > 1e-12:
        q = between * (k - 1) / inside
        p_value = _p_value(complete, q, rng)
    return Heterogeneity(
        q=q,
        p_value=p_value,
        tau=math.sqrt(max(0.0, (between - residual) / n)),
        noise=math.sqrt(residual / n),
        i_squared=max(0.0, 1 - residual / between) if between > 1e-12 else 0.0,
    )


def _p_value(complete: NDArray[np.float64], q: float, rng: np.random.Generator) -> float:
    """χ² with k − 1 degrees of freedom where enough instances differ between sets, else the share
    of ``DRAWS`` permutations within instances that reach q, the observed one counted."""
    k = complete.shape[1]
    differing = complete[np.ptp(complete, axis=1) > 0]
    if differing.size >= _EXACT_BELOW:
        from scipy import special  # here, because most calls of this package need none of it

        return float(special.chdtrc(k - 1, q))
    drawn = np.array([rng.permuted(differing, axis=1).sum(axis=0) for _ in range(DRAWS)])
    observed = differing.sum(axis=0)
    spread = ((drawn - drawn.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    reached = spread >= ((observed - observed.mean()) ** 2).sum() - 1e-9
    return float((reached.sum() + 1) / (DRAWS + 1))


def _agreement(complete: NDArray[np.float64], rng: np.random.Generator) -> SetAgreement:
    n, k = complete.shape
    same = float((np.ptp(complete, axis=1) == 0).mean())
    # α needs three sums over instances, so resampling instances is resampling these.
    sums, squares = complete.sum(axis=1), (complete**2).sum(axis=1)
    parts = np.stack([sums, squares, k * squares - sums**2], axis=1)
    alpha = float(_alpha(parts.sum(axis=0)[None], n, k)[0])
    if math.isnan(alpha):
        return SetAgreement(None, None, None, same)
    if n < FEWEST:
        return SetAgreement(alpha, None, None, same)
    distinct, counts = np.unique(parts, axis=0, return_counts=True)
    drawn = rng.multinomial(n, counts / n, size=DRAWS) @ distinct
    alphas = _alpha(drawn, n, k)
    alphas = alphas[~np.isnan(alphas)]
    low, high = np.quantile(alphas, [0.025, 0.975])
    return SetAgreement(alpha, float(low), float(high), same)


def _alpha(totals: NDArray[np.float64], n: int, k: int) -> NDArray[np.float64]:
    """Krippendorff's α (2011) with squared differences, which for 0 and 1 is the nominal α:
    1 − D_o / D_e, each the mean squared difference of two scores, of one instance or of any. NaN
    where all scores are equal. ``totals`` are sums over instances, of shape (m, 3)."""
    sums, squares, gaps = totals.T
    size = n * k
    observed = 2 * gaps / (n * k * (k - 1))
    expected = 2 * (size * squares - sums**2) / (size * (size - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 1e-12, 1 - observed / expected, np.nan)
