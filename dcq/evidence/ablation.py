"""Is the slot chosen because the original is in it? The slot without and with it, paired."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_number, read_numbers
from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import normal_quantile
from dcq.evidence.kappa import Kappa


@dataclass(frozen=True)
class Ablation:
    """The same slot without and with the original, over the same n instances.

    ``gained`` instances chose the slot only when the original was there, ``lost`` only when it was
    not. ``difference`` is standard minus modified share. Shares, difference, limits and p-value are
    None where n is 0.
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

    Both are 1/0 or true/false of shape (n,), one entry per instance in the same order; NaN is no
    answer, and an instance without one in either quiz is left out. The p-value is McNemar's exact
    two-sided test on the instances that changed, 1 if none did; the interval is the adjusted Wald
    interval of Bonett and Price (2012), with a width even if nothing changed. Raises ``InputError``
    if the shapes differ, or a value is not from 0 to 1.
    """
    without, with_it = (
        read_numbers(chosen, "Choices", 0, 1, axes=None, gaps=True)
        for chosen in (modified, standard)
    )
    if without.shape != with_it.shape or without.ndim != 1:
        raise InputError(
            "The modified and the standard quiz differ in length; compare the instances that "
            "both of them hold."
        )
    answered = ~(np.isnan(without) | np.isnan(with_it))
    before, after = without[answered] > 0, with_it[answered] > 0
    n = len(before)
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    if n == 0:
        return Ablation(0, 0, 0, None, None, None, None, None, None)
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    margin = normal_quantile(confidence) * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return Ablation(
        n=n,
        gained=gained,
        lost=lost,
        modified_share=float(before.mean()),
        standard_share=float(after.mean()),
        difference=(gained - lost) / n,
        low=max(-1.0, up - down - margin),
        high=min(1.0, up - down + margin),
        p_value=mcnemar(gained, lost),
    )


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact two-sided p-value from the two kinds of change; 1 if there are none. Raises
    ``InputError`` for negative numbers."""
    check_number(gained, "The number of gained instances", 0, MOST)
    check_number(lost, "The number of lost instances", 0, MOST)
    if gained + lost == 0:
        return 1.0
    return min(1.0, 2 * binomial_tail(max(gained, lost), gained + lost, 0.5))


def above_own_baseline(ablation: Ablation) -> Kappa:
    """κ of a quiz whose chance level is the model's own share of the slot without the original.

    (p − b)/(1 − b) with p the share with the original and b the share without it, for quizzes where
    "none of these" is an answer and guessing has no fixed share. The limits are those of the
    difference on the same scale, the p-value is McNemar's. No value where n is 0 or b is 1.
    """
    b, correct = ablation.modified_share, round((ablation.standard_share or 0.0) * ablation.n)
    if (
        b is None
        or b == 1.0
        or ablation.difference is None
        or ablation.low is None
        or ablation.high is None
    ):
        return Kappa(ablation.n, correct, ablation.standard_share, None, None, None, None)
    left = 1 - b
    return Kappa(
        n=ablation.n,
        correct=correct,
        score=ablation.standard_share,
        kappa_fixed=ablation.difference / left,
        kappa_low=ablation.low / left,
        kappa_high=min(1.0, ablation.high / left),
        p_value=ablation.p_value,
    )
