"""Exact tests and binomial counts by special functions alone.

``scipy.stats`` has the same, but takes longer to import than a small store takes to judge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

# Tables as likely as the one found but for rounding count as such; R's fisher.test takes the same.
_AS_LIKELY = 1 + 1e-7


def critical_counts(n: ArrayLike, chance: float, alpha: float) -> NDArray[np.float64]:
    """The smallest count k with P(X ≥ k) ≤ ``alpha``, X ~ Binomial(n, chance), for each of ``n``;
    n + 1 where even n right are likelier."""
    sizes = np.asarray(n, dtype=np.float64)
    found = np.zeros_like(sizes)
    some = sizes > 0
    guess = special.bdtrik(1 - alpha, sizes[some], chance)
    found[some] = np.floor(np.nan_to_num(guess))
    while (above := at_least(found, sizes, chance) > alpha).any():
        found[above] += 1
    while (below := (found > 0) & (at_least(found - 1, sizes, chance) <= alpha)).any():
        found[below] -= 1
    return found


def at_least(k: ArrayLike, n: ArrayLike, chance: float) -> NDArray[np.float64]:
    """P(X ≥ k), X ~ Binomial(n, chance), for each of ``k`` and ``n``, whole numbers."""
    counts, sizes = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = np.clip(counts, 1, np.maximum(sizes, 1))
    tail = special.betainc(inside, np.maximum(sizes, 1) - inside + 1, chance)
    return np.asarray(np.where(counts <= 0, 1.0, np.where(counts > sizes, 0.0, tail)))


def each_count(n: int, chance: float) -> NDArray[np.float64]:
    """P(X = k) for k from 0 to ``n``, X ~ Binomial(n, chance), shape (n + 1,)."""
    k = np.arange(n + 1)
    log = _log_choose(n, k) + special.xlogy(k, chance) + special.xlog1py(n - k, -chance)
    return np.asarray(np.exp(log))


def two_sided_half(k: int, n: int) -> float:
    """P(a count at least as far from n/2 as ``k``), X ~ Binomial(n, 1/2)."""
    least = min(k, n - k)
    return 1.0 if 2 * least == n else min(1.0, 2 * float(at_least(n - least, n, 0.5)))


def fisher(table: ArrayLike) -> float:
    """Fisher's exact test of a table (2, 2) of counts, two-sided: P(a table at most as likely with
    the same margins); 1 where a margin is 0."""
    (a, b), (c, d) = np.asarray(table, dtype=np.int64).tolist()
    least, most = max(0, a - d), min(a + b, a + c)
    first = np.arange(least, most + 1)
    log = (
        _log_choose(a + b, first)
        + _log_choose(c + d, a + c - first)
        - _log_choose(a + b + c + d, np.asarray(a + c))
    )
    chances = np.exp(log)
    return min(1.0, float(chances[chances <= chances[a - least] * _AS_LIKELY].sum()))


def _log_choose(n: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))
