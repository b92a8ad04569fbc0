"""The five-option protocol of the authors' later release: the slots it uses, and its estimate.

A bias detector quiz (bdq) without originals shows which slots the model does not prefer;
contamination quizzes (bcq) then put the original into each of those in turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dcq.evidence.arguments import MOST, check_number


@dataclass(frozen=True)
class Range:
    """Minimum and maximum contamination, as fractions, and κ at the slot where most originals were
    found, which is the minimum by this slot alone; all None if nothing was asked."""

    low: float | None
    high: float | None
    kappa: float | None


def non_preferred(chosen: Mapping[str, int], n: int) -> tuple[str, ...]:
    """The letters of ``chosen`` picked less often than ceil(n/5) in a bdq of ``n`` answers.

    All of them if none is, including n = 0. "None of these" is not a slot: leave it out of
    ``chosen``, but count it in n. Raises ``InputError`` on impossible counts.
    """
    _check(n, chosen)
    limit = math.ceil(n / 5)
    rare = tuple(letter for letter, count in chosen.items() if count < limit)
    return rare or tuple(chosen)


def contamination_range(chosen: Mapping[str, int], correct: Mapping[str, int], n: int) -> Range:
    """Minimum and maximum contamination from the bcqs, whose right answers ``correct`` counts by
    slot.

    ``chosen`` counts the bdq's choices, ``n`` the answers of each quiz. With slots sorted by most
    correct, then fewest chosen: the maximum is c₁/n; the minimum max(κ, c₂/n) with
    κ = (c₁ − b₁)/(n − b₁), or κ alone, which may be negative, if only one slot was used. Raises
    ``InputError`` on impossible counts.
    """
    _check(n, chosen, correct)
    if n == 0 or not correct:
        return Range(None, None, None)
    ranked = sorted(correct, key=lambda slot: (-correct[slot], chosen.get(slot, 0)))
    best = ranked[0]
    right, liked = correct[best], chosen.get(best, 0)
    high = right / n
    # A slot that the model always picks says nothing about memory.
    kappa = (right - liked) / (n - liked) if liked < n else 0.0
    low = max(kappa, correct[ranked[1]] / n) if len(ranked) > 1 else kappa
    return Range(low, high, kappa)


def _check(n: int, *counts: Mapping[str, int]) -> None:
    check_number(n, "The number of answers", 0, MOST)
    for by_slot in counts:
        for slot, count in by_slot.items():
            check_number(count, f"The number of answers at slot {slot}", 0, n)
