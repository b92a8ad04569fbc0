"""Answers of an invented model whose contamination, and whose other reasons to be right, are known.

A share of a partition's instances is memorised and always found. On the rest the model chooses by
two nuisances: a preference for slots, and one for natural wording that differs from partition to
partition and from instance to instance, and has nothing to do with memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SLOTS = 4


@dataclass(frozen=True)
class Nuisance:
    """``slots`` are the model's log-odds for A to D; the original's own advantage in log-odds is
    ``wording`` on average, ``between`` its standard deviation over partitions, ``within`` over the
    instances of one."""

    slots: tuple[float, ...] = (1.5, 0.3, 0.0, -0.5)
    wording: float = 0.7
    between: float = 0.25
    within: float = 0.8


@dataclass(frozen=True)
class Simulated:
    """Rotated answers: ``right`` is true/false, ``chosen`` the slot, both (instances, slots)."""

    right: NDArray[np.bool_]
    chosen: NDArray[np.int64]

    def fixed(self, slot: int) -> tuple[int, int]:
        """(correct, n) of the quiz that has the original in ``slot`` for all instances."""
        return int(self.right[:, slot].sum()), len(self.right)


def simulate(
    rng: np.random.Generator, n: int, contamination: float, nuisance: Nuisance
) -> Simulated:
    """One partition of ``n`` instances, each memorised with probability ``contamination``."""
    seen = rng.random(n) < contamination
    liked = (
        nuisance.wording + nuisance.between * rng.normal() + nuisance.within * rng.normal(size=n)
    )
    places = np.arange(SLOTS)
    advantage = liked[:, None, None] * (places[:, None] == places[None, :])
    noise = rng.gumbel(size=(n, SLOTS, SLOTS))
    chosen = (np.array(nuisance.slots) + advantage + noise).argmax(axis=2)
    chosen = np.where(seen[:, None], places, chosen)
    return Simulated(chosen == places, chosen)
