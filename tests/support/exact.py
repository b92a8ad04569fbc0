"""Exact probabilities, counted in whole numbers: what the statistics are checked against."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

# Right answers of n: none and all, one and all but one, of one, two, few and very many.
EXTREMES = (
    *((0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 7), (7, 7), (3, 20)),
    *((0, 10_000), (1, 10_000), (2_500, 10_000), (9_999, 10_000), (10_000, 10_000)),
)
# Two groups of unequal size, each (right, n).
UNEQUAL = (
    *(((0, 1), (1, 1)), ((1, 1), (0, 1)), ((1, 1), (1, 1)), ((0, 1), (2, 2)), ((1, 2), (0, 7))),
    *(((0, 2), (0, 10_000)), ((2, 2), (0, 10_000)), ((0, 2), (10_000, 10_000))),
    *(((1, 2), (3, 10_000)), ((5, 10_000), (2, 300)), ((9_990, 10_000), (3, 3))),
    *(((7, 8), (9, 40)), ((45, 50), (25, 50)), ((0, 25), (0, 60)), ((12, 12), (1, 90))),
)


def tail(correct: int, n: int, chance: Fraction) -> float:
    """P(X ≥ correct) for X ~ Binomial(n, chance)."""
    yes, no = chance.numerator, chance.denominator - chance.numerator
    ways = comb(n, correct) * yes**correct * no ** (n - correct)
    total = 0
    for k in range(correct, n + 1):
        total += ways
        ways = ways * (n - k) * yes // ((k + 1) * no)  # without a remainder
    return float(total / chance.denominator**n)


def two_sided_half(some: int, others: int) -> float:
    """P(a split at least as uneven as ``some`` to ``others``) at even odds: McNemar's exact p."""
    if some == others:
        return 1.0
    return 2 * tail(max(some, others), some + others, Fraction(1, 2))


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Fisher's exact two-sided p of two groups (right, n): all tables with the same margins that
    are no likelier than this one."""
    (here, n), right, m = first, first[0] + second[0], second[1]
    ways = [comb(n, k) * comb(m, right - k) for k in range(max(0, right - m), min(n, right) + 1)]
    seen = comb(n, here) * comb(m, second[0])
    return float(sum(way for way in ways if way <= seen) / comb(n + m, right))


def sign_flip(steps: list[int]) -> float:
    """P(|sum| at least as large) over all signs that whole ``steps`` could have had."""
    ways = {0: 1}
    for step in steps:
        moved: dict[int, int] = {}
        for total, count in ways.items():
            for sign in (-1, 1):
                moved[total + sign * step] = moved.get(total + sign * step, 0) + count
        ways = moved
    far = sum(count for total, count in ways.items() if abs(total) >= abs(sum(steps)))
    return float(far / 2 ** len(steps))


def splits(n: int) -> list[tuple[int, int]]:
    """All (gained, lost) of n pairs."""
    return [(g, b) for g, b in itertools.product(range(n + 1), repeat=2) if g + b <= n]
