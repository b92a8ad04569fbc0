"""Queries prepared for scanning: which runs of words belong to which query."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dcq.overlap.meteor import PAPER, MeteorSettings, Reference
from dcq.overlap.scan.hashes import Hashes, composed, hash_runs, hash_words
from dcq.overlap.tokens import Splitter, splitter_for

RUN = 5  # words; a query with fewer is one run
_COMMON = 20  # queries that may share a run; runs such as "which of the following is" find nothing
_SHARE = 5  # one in so many of a query's runs has to be found
_BITS = 24


@dataclass(frozen=True)
class ScanQuery:
    """A query line: the input to find, and its label, "" where there is none."""

    id: str
    query: str
    label: str = ""


class Runs:
    """The runs of one length, looked up by hash. A table of 2²⁴ bits answers most look-ups."""

    def __init__(self, length: int, owners: dict[int, list[int]]) -> None:
        self.length = length
        self._hashes = np.array(sorted(owners), np.uint64)
        owner_lists = [owners[int(value)] for value in self._hashes]
        self._first = np.cumsum([0, *(len(some) for some in owner_lists)])
        self._owners = np.array([query for some in owner_lists for query in some], np.int64)
        self._bits = np.zeros(1 << (_BITS - 3), np.uint8)
        slots = self._hashes >> np.uint64(64 - _BITS)
        np.bitwise_or.at(self._bits, slots >> np.uint64(3), _mask(slots))

    def find(self, words: Hashes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every (place, query) where the run of ``words`` at the place is also one of the query."""
        runs = hash_runs(words, self.length)
        slots = runs >> np.uint64(64 - _BITS)
        places = np.flatnonzero(self._bits[slots >> np.uint64(3)] & _mask(slots))
        at = np.searchsorted(self._hashes, runs[places])
        at[at == len(self._hashes)] = 0
        same = self._hashes[at] == runs[places]
        places, at = places[same], at[same]
        counts = self._first[at + 1] - self._first[at]
        inner = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(places, counts), self._owners[np.repeat(self._first[at], counts) + inner]


@dataclass(frozen=True)
class Index:
    """The queries of a scan. ``queries`` and their ``labels`` are words, in the order of ``ids``,
    with the ``splitters`` that made them; ``needed`` is how many of a query's runs must stand near
    each other before it is scored."""

    ids: tuple[str, ...]
    queries: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[str, ...], ...]
    splitters: tuple[Splitter, ...]
    needed: NDArray[np.int64]
    lengths: NDArray[np.int64]  # words
    runs: tuple[Runs, ...]
    reach: int  # words of the longest query

    def references(self, query: int) -> tuple[Reference, Reference | None]:
        """A query and its label as METEOR compares them; computed when they are first needed."""
        label = self.labels[query]
        return _reference(self.queries[query]), _reference(label) if label else None


@lru_cache(maxsize=50_000)
def _reference(words: tuple[str, ...]) -> Reference:
    return Reference(words)


def build(queries: Sequence[ScanQuery], settings: MeteorSettings = PAPER) -> Index:
    """The index of ``queries``. A query without words is kept and never found."""
    hashed = [hash_words(composed(scan_query.query)).hashes for scan_query in queries]
    lengths = [min(RUN, len(words)) for words in hashed]
    grams = [
        {int(value) for value in hash_runs(words, length)} if length else set()
        for words, length in zip(hashed, lengths, strict=True)
    ]
    shared = Counter(gram for some in grams for gram in some)
    telling_grams = [_telling(some, shared) for some in grams]
    owners: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, (some, length) in enumerate(zip(telling_grams, lengths, strict=True)):
        for gram in some:
            owners[length][gram].append(number)
    cuts = tuple(splitter_for(query.query, settings) for query in queries)
    return Index(
        ids=tuple(query.id for query in queries),
        queries=tuple(
            cut(composed(query.query)).words for cut, query in zip(cuts, queries, strict=True)
        ),
        labels=tuple(
            cut(composed(query.label)).words for cut, query in zip(cuts, queries, strict=True)
        ),
        splitters=cuts,
        needed=np.array([max(1, len(some) // _SHARE) for some in telling_grams], np.int64),
        lengths=np.array([len(words) for words in hashed], np.int64),
        runs=tuple(Runs(length, dict(owners[length])) for length in sorted(owners)),
        reach=max((len(words) for words in hashed), default=0),
    )


def _telling(grams: set[int], shared: Counter[int]) -> list[int]:
    """The runs that few queries share; at least half of all, so that none is left without."""
    ranked = sorted(grams, key=lambda gram: (shared[gram], gram))
    rare = sum(shared[gram] <= _COMMON for gram in ranked)
    return ranked[: max(rare, (len(ranked) + 1) // 2)]


def _mask(slots: Hashes) -> NDArray[np.uint8]:
    return np.left_shift(np.uint8(1), (slots & np.uint64(7)).astype(np.uint8))
