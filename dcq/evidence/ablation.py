"""Does the slot win because the original stands there? Modified against standard quiz, paired."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.interval import normal_quantile


@dataclass(frozen=True)
class Ablation:
    """The same slot without and with the original, over the same n instances.

    ``gained`` instances chose the slot only when the original stood there, ``lost`` only when it
    did not. ``difference`` is standard minus modified share. Shares, difference, limits and
    p-value are None where n is 0.
    """

    n: int
    gained: int
    lost: int
    modified_share: float | None
    standard_share: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


def compare(modified: ArrayLike, standard: ArrayLike, *, confidence: float = 0.95) -> Ablation:
    """Compare who chose the slot in the ``modified`` and in the ``standard`` quiz (paper, §4).

    Both are true/false of shape (n,), one entry an instance in the same order. The p-value is
    McNemar's exact two-sided test on the instances that changed, 1 where none did; the interval is
    the adjusted Wald interval of Bonett and Price (2012), with a width even where nothing changed.
    Raises ``InputError`` where the shapes differ.
    """
    before, after = np.asarray(modified, dtype=bool), np.asarray(standard, dtype=bool)
    if before.shape != after.shape or before.ndim != 1:
        raise InputError(
            "The modified and the standard quiz differ in length; compare the instances that "
            "both of them hold."
        )
    n = len(before)
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    if n == 0:
        return Ablation(0, 0, 0, None, None, None, None, None, None)
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    reach = normal_quantile(confidence) * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return Ablation(
        n=n,
        gained=gained,
        lost=lost,
        modified_share=float(before.mean()),
        standard_share=float(after.mean()),
        difference=(gained - lost) / n,
        low=max(-1.0, up - down - reach),
        high=min(1.0, up - down + reach),
        p_value=mcnemar(gained, lost),
    )


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact two-sided p-value from the two kinds of change; 1 where there are none."""
    if gained + lost == 0:
        return 1.0
    return float(scipy.stats.binomtest(gained, gained + lost, 0.5).pvalue)
