"""A text as hashes of its words, and of runs of its words, without a Python loop over either.

The hash of a word of characters c₀c₁… is Σ cᵢ·Bⁱ mod 2⁶⁴, over folded characters. With the prefix
sums of cᵢ·Bⁱ over a text, every word's hash is a difference of two, times the inverse power of B
where the word starts: B is odd and has one.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcq import scripts

Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15
_STEP = np.uint64(0xD6E8FEB86659FD93)  # between words of a run
_SLICE = 1 << 16  # characters hashed at a time: what is computed then stays in the cache
_LONGEST = 256  # characters of a word that count
_PLANES = 0x32000  # no letters beyond, but for some of Han's newest
_ASCII = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 0 for code in range(256)
)


class Hashed(NamedTuple):
    """The words of a text: hashes, and first and last (excluded) character, each of shape (n,)."""

    hashes: Hashes
    starts: Places
    ends: Places


def composed(text: str) -> str:
    """``text`` with accents joined to their letters, as ``hash_words`` expects them."""
    if text.isascii() or not any(map(scripts.MARK.match, set(text))):
        return text
    return unicodedata.normalize("NFC", text)


def hash_words(text: str) -> Hashed:
    """The words of ``text`` as ``dcq.scripts`` has them, but that one character stays one."""
    if text.isascii():
        folded = np.frombuffer(text.encode("ascii").translate(_ASCII), dtype=np.uint8)
        return _hash(folded, *_bounds(folded != 0))
    table, single, mark = _wide_tables()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = np.minimum(codes, _PLANES - 1)
    return _hash(table[codes], *_bounds_of_wide(table[codes] != 0, single[codes], mark[codes]))


def hash_runs(words: Hashes, length: int) -> Hashes:
    """Hashes of all runs of ``length`` words, shape (n − length + 1,)."""
    if len(words) < length:
        return np.empty(0, np.uint64)
    # A word's hash is linear in its letters; a shift breaks that before words are put together.
    mixed = words ^ (words >> np.uint64(29))
    count = len(mixed) - length + 1
    hashes = mixed[:count].copy()
    for offset in range(1, length):
        hashes *= _STEP
        hashes += mixed[offset : offset + count]
    hashes *= np.uint64(_BASE)
    return hashes


def _bounds(inside: NDArray[np.bool_]) -> tuple[Places, Places]:
    changes = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    first = [0] if len(inside) and inside[0] else []
    last = [len(inside)] if len(inside) and inside[-1] else []
    edges = np.concatenate((np.array(first, np.int64), changes, np.array(last, np.int64)))
    return edges[::2], edges[1::2]


def _bounds_of_wide(
    inside: NDArray[np.bool_], single: NDArray[np.bool_], mark: NDArray[np.bool_]
) -> tuple[Places, Places]:
    """As ``_bounds``; characters that are words of their own begin at themselves, and end after
    their marks."""
    if mark.any():  # a mark is single where the sign that it belongs to is
        single = single[np.maximum.accumulate(np.where(mark, 0, np.arange(len(mark))))]
    between = ~inside[1:] | ~inside[:-1] | ((single[1:] | single[:-1]) & ~mark[1:])
    starts, ends = inside.copy(), inside.copy()
    starts[1:] &= between
    ends[:-1] &= between
    return np.flatnonzero(starts), np.flatnonzero(ends) + 1


def _hash(codes: NDArray[np.uint8] | NDArray[np.uint32], starts: Places, ends: Places) -> Hashed:
    powers, inverses = _powers()
    hashes = np.empty(len(starts), np.uint64)
    cut = np.minimum(ends, starts + _LONGEST)
    done = 0
    while done < len(starts):
        first = int(starts[done])
        until = int(np.searchsorted(starts, first + _SLICE))
        last = int(cut[until - 1])
        sums = np.zeros(last - first + 1, np.uint64)
        np.multiply(codes[first:last], powers[: last - first], out=sums[1:])
        np.cumsum(sums[1:], out=sums[1:])
        begin, end = starts[done:until] - first, cut[done:until] - first
        hashes[done:until] = (sums[end] - sums[begin]) * inverses[begin]
        done = until
    return Hashed(hashes, starts, ends)


@lru_cache(maxsize=1)
def _powers() -> tuple[Hashes, Hashes]:
    """Bⁱ and B⁻ⁱ for the characters of a slice and of the word that reaches over its end."""
    return _powers_of(_BASE), _powers_of(pow(_BASE, -1, 1 << 64))


def _powers_of(base: int) -> Hashes:
    count = _SLICE + _LONGEST + 1
    powers = np.ones(count, np.uint64)
    have = 1
    while have < count:
        more = min(have, count - have)
        powers[have : have + more] = powers[:more] * np.uint64(pow(base, have, 1 << 64))
        have += more
    return powers


@lru_cache(maxsize=1)
def _wide_tables() -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.bool_]]:
    """For each character its folded form (0: not part of a word), whether it is a word, and whether
    it is the mark of another."""
    characters = "".join(map(chr, range(_PLANES)))
    folded = np.zeros(_PLANES, np.uint32)
    for match in scripts.INSIDE.finditer(characters):
        code, word = match.start(), scripts.fold(match[0])
        folded[code] = ord(word) if len(word) == 1 else code
    single, mark = np.zeros(_PLANES, np.bool_), np.zeros(_PLANES, np.bool_)
    single[[occurrence.start() for occurrence in scripts.SINGLE.finditer(characters)]] = True
    mark[[occurrence.start() for occurrence in scripts.MARK.finditer(characters)]] = True
    return folded, single, mark
