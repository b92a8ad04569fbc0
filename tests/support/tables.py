"""Answers laid out by a rule instead of drawn: tables (instances, slots) with wanted shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SLOT_SHARES = np.array([0.55, 0.35, 0.25, 0.2])  # right with the original at A to D, on unseen text
LEVELS = (0, 0.05, -0.03, 0.08, -0.06, 0.02, 0.04, -0.05, 0.01, 0.03)  # of ten unseen partitions


def laid_out(n: int, shares: ArrayLike, shift: int = 0) -> NDArray[np.float64]:
    """``n`` instances, right in each slot with about the wanted share; ``shift`` reorders them."""
    wanted = np.atleast_1d(np.asarray(shares, dtype=np.float64))
    places = 37 * np.arange(n)[:, None] + 11 * np.arange(len(wanted)) + shift
    return np.asarray((places % 100 < wanted * 100).astype(np.float64))


def unseen(count: int) -> list[NDArray[np.float64]]:
    """``count`` rotated control tables of 30 and more instances."""
    return [laid_out(30 + b, SLOT_SHARES + LEVELS[b], 17 * b) for b in range(count)]
