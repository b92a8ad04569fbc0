"""The exact tail of a sum of independent ranks, in a time that grows with their number.

Short sums are convolved. Long ones are first tilted so that their mean is what was observed, and
then multiplied as Fourier transforms. Without the tilt the rounding of a transform, some 10⁻¹⁶,
would hide every smaller p-value (Keich 2005, J. Comput. Biol. 12(4)).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import read_numbers

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]
_MOST_STEPS = 300_000_000  # of a convolution: a second or two
_MOST_TRANSFORMED = 500_000_000  # values, of all transforms together: some ten seconds
_BISECTIONS = 200
_LARGEST_RANK = 10**6


@dataclass(frozen=True)
class _Pattern:
    """The distribution of a rank, and how many items (``times``) have it: ``values`` from 0, each
    with its probability."""

    values: Ranks
    shares: Array
    times: int

    @property
    def top(self) -> int:
        return int(self.values[-1])


def tail(tables: Sequence[Ranks]) -> float:
    """P(sum of one rank an item ≥ that of the first ranks), each uniform among those of its item.
    A table has a row for each item of one number of wordings. Raises InputError where items have
    too many different ties for a long sum, and for tables of other values."""
    for table in tables:
        if not read_numbers(table, "Ranks", 0, _LARGEST_RANK, axes=2).shape[1]:
            raise InputError("An item without a wording has no rank; leave it out.")
    tables = [table for table in tables if len(table)]
    # Counted from each item's lowest and in the largest step that all share: short arrays.
    raised = [table - table.min(axis=1, keepdims=True) for table in tables]
    step = math.gcd(*(int(np.gcd.reduce(table, axis=None)) for table in raised)) or 1
    observed = sum(int(table[:, 0].sum()) for table in raised) // step
    if observed == 0:
        return 1.0
    patterns = [found for table in raised for found in _patterns(table // step)]
    width = sum(pattern.top * pattern.times for pattern in patterns)
    steps = sum(len(pattern.values) * pattern.times for pattern in patterns) * width // 2
    if steps <= _MOST_STEPS:
        return min(1.0, float(_convolved(patterns)[observed:].sum()))
    return min(1.0, _tilted_tail(patterns, observed, width))


def _patterns(table: Ranks) -> list[_Pattern]:
    wordings = table.shape[1]
    found: list[_Pattern] = []
    for row, times in Counter(row.tobytes() for row in np.sort(table, axis=1)).items():
        values, counts = np.unique(np.frombuffer(row, table.dtype), return_counts=True)
        found.append(_Pattern(values, counts / wordings, times))
    return found


def _convolved(patterns: Sequence[_Pattern]) -> Array:
    """The distribution of the sum. All terms are positive, so the smallest keep their digits."""
    pmf = np.ones(1)
    for pattern in patterns:
        for _ in range(pattern.times):
            wider = np.zeros(len(pmf) + pattern.top)
            for value, share in zip(pattern.values, pattern.shares, strict=True):
                wider[value : value + len(pmf)] += pmf * share
            pmf = wider
    return pmf


def _tilted_tail(patterns: Sequence[_Pattern], observed: int, width: int) -> float:
    if observed == width:  # the highest rank of every item, which no finite tilt has as its mean
        return math.exp(sum(p.times * math.log(p.shares[-1]) for p in patterns))
    tilt = _solve_tilt(patterns, observed)
    tilted = [_tilted(pattern, tilt) for pattern in patterns]
    mean = sum(p.times * float(s @ p.values) for p, (s, _) in zip(patterns, tilted, strict=True))
    variance = sum(
        p.times * float(s @ (p.values - float(s @ p.values)) ** 2)
        for p, (s, _) in zip(patterns, tilted, strict=True)
    )
    # By Bernstein's inequality less than 10⁻¹⁹ lies farther from the mean, and would be wrapped.
    far = math.ceil(14 * math.sqrt(variance) + 60 * max(p.top for p in patterns))
    size = 1 << (min(width + 1, 2 * far) - 1).bit_length()
    if size * len(patterns) > _MOST_TRANSFORMED:
        raise InputError(
            f"These items have {len(patterns):,} different patterns of ties, too many to be tested "
            "together; give fewer items."
        )
    transform = np.ones(size // 2 + 1, np.complex128)
    for pattern, (shares, _) in zip(patterns, tilted, strict=True):
        padded = np.zeros(size)
        padded[pattern.values] = shares
        transform *= np.fft.rfft(padded) ** pattern.times
    pmf = np.fft.irfft(transform, size)
    lowest = max(0, math.floor(mean) - size // 2)
    sums = np.arange(max(observed, lowest), lowest + size)
    terms = np.maximum(pmf[sums % size], 0.0) * np.exp(-tilt * (sums - observed))
    # The logarithm of what tilting divided by.
    logs = sum(p.times * log for p, (_, log) in zip(patterns, tilted, strict=True))
    return math.exp(logs + tilt * (width - observed)) * float(terms.sum())


def _tilted(pattern: _Pattern, tilt: float) -> tuple[Array, float]:
    """Its probabilities multiplied by exp(tilt · (value − top)), and the logarithm of their sum,
    by which they were divided."""
    weights = pattern.shares * np.exp(tilt * (pattern.values - pattern.top))
    total = float(weights.sum())
    return weights / total, math.log(total)


def _solve_tilt(patterns: Sequence[_Pattern], observed: int) -> float:
    """The tilt from 0 at which the mean of the sum is what was ``observed``; 0 where it is higher
    without one."""

    def mean(tilt: float) -> float:
        return sum(p.times * float(_tilted(p, tilt)[0] @ p.values) for p in patterns)

    if mean(0.0) >= observed:
        return 0.0
    low, high = 0.0, 1e-9
    while mean(high) < observed and high < 1e3:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if mean(middle) < observed else (low, middle)
    return high
