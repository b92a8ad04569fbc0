"""Looks through documents some megabytes at a time: first for candidates, then for queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dcq.overlap.match import LABEL_REACH, Category, QueryMatch, find
from dcq.overlap.meteor import MeteorSettings, Reference, score_counts
from dcq.overlap.scan.hashes import Hashed, composed, hash_words
from dcq.overlap.scan.index import Index
from dcq.overlap.tokens import WordSpans

BLOCK = 2_000_000  # characters joined before they are looked through
_PIECE = 100  # for which a piece counts beside its text: millions of empty ones take memory too
# Words of a document that are compared with a query after it was found: where it comes hundreds of
# times, the label may stand beside another one, but not each is looked at.
MOST_COMPARED = 40_000
_STRETCH = 1_000  # words between the first and the last run that are compared at once, at least


@dataclass(frozen=True)
class Piece:
    """A document, or a part of a long one. ``number`` counts the documents of a shard from 0;
    ``name`` is what the document calls itself, if it does."""

    number: int
    name: str | None
    text: str


@dataclass(frozen=True)
class Hit:
    """A query found in a document. ``text`` is the passage, ``marks`` the characters of it whose
    words match, ``document`` its number in ``source`` unless it has a ``name``; ``label_score`` is
    None without a label."""

    id: str
    score: float
    label_score: float | None
    category: Category
    source: str
    document: int
    name: str | None
    text: str
    marks: tuple[tuple[int, int], ...]

    @property
    def rank(self) -> tuple[bool, float]:
        """The order of hits: of two hits of one query in one document, the higher rank is
        reported."""
        return self.category is Category.INPUT_AND_LABEL, self.score


class Block:
    """Pieces of text that are gathered until there are enough to look through. ASCII and wider
    texts are kept apart, because ASCII is hashed faster."""

    def __init__(self, index: Index, settings: MeteorSettings, source: str) -> None:
        self._index = index
        self._settings = settings
        self._source = source
        self._gathered: tuple[list[Piece], list[Piece]] = ([], [])
        self._sizes = [0, 0]
        # Of documents in which a query is found: words that may still be compared with it.
        self._left: dict[tuple[int, int], int] = {}

    def add(self, piece: Piece) -> list[Hit]:
        """Add a piece of text; returns the matches of a block that is now full."""
        text = composed(piece.text)
        wide = not text.isascii()
        self._gathered[wide].append(Piece(piece.number, piece.name, text))
        self._sizes[wide] += len(text) + _PIECE
        return self._look(wide) if self._sizes[wide] >= BLOCK else []

    def finish(self) -> list[Hit]:
        """The matches in the pieces that are still waiting."""
        return self._look(False) + self._look(True)

    def _look(self, wide: bool) -> list[Hit]:
        pieces = self._gathered[wide][:]
        self._gathered[wide].clear()
        self._sizes[wide] = 0
        return list(self._hits(pieces))

    def _hits(self, pieces: Sequence[Piece]) -> Iterator[Hit]:
        index = self._index
        joined = "\n".join(piece.text for piece in pieces)
        hashed = hash_words(joined)
        offsets = np.cumsum([0, *(len(piece.text) + 1 for piece in pieces)])
        for query, first, last in _clusters(hashed, offsets, index, self._settings):
            number = int(_owners(offsets, hashed.starts[first]))
            piece = pieces[number]
            pair = (piece.number, query)
            if self._left.get(pair, MOST_COMPARED) <= 0:
                continue
            reference, label = index.references(query)
            wide = _wide(len(reference))
            low = max(0, first - wide)
            high = min(len(hashed.starts), last + wide)
            start = max(int(offsets[number]), int(hashed.starts[low]))
            end = min(int(offsets[number + 1]) - 1, int(hashed.ends[high - 1]))
            passage = joined[start:end]
            words = index.splitters[query](passage)
            match = find(reference, label, words, self._settings)
            if pair in self._left:
                self._left[pair] -= len(words)
            if match.category is not Category.CLEAN:
                self._left.setdefault(pair, MOST_COMPARED)
                if _is_whole(match, reference, label, self._settings):  # no other can rank higher
                    self._left[pair] = 0
                yield _hit(index.ids[query], match, self._source, piece, passage, words)


def _wide(length: int) -> int:
    """The words before and after a query of ``length`` words that may matter."""
    return 2 * length + LABEL_REACH + 1


def _is_whole(
    match: QueryMatch, query: Reference, label: Reference | None, settings: MeteorSettings
) -> bool:
    """True if the query occurs verbatim, with its label if it has one."""
    of = len(query)
    is_verbatim = match.match.score >= score_counts(of, 1, of, of, settings, settings.gamma)
    return is_verbatim and (label is None or match.category is Category.INPUT_AND_LABEL)


def _hit(
    identity: str, match: QueryMatch, source: str, piece: Piece, passage: str, words: WordSpans
) -> Hit:
    first, last = match.match.span or (0, 0)
    return Hit(
        identity,
        match.match.score,
        match.label_score,
        match.category,
        source,
        piece.number,
        piece.name,
        passage[first:last],
        tuple(
            (words.starts[place] - first, words.ends[place] - first) for place in match.match.words
        ),
    )


def _clusters(
    hashed: Hashed, offsets: NDArray[np.int64], index: Index, settings: MeteorSettings
) -> Iterator[tuple[int, int, int]]:
    """(query, first word, last word) wherever enough of a query's runs stand near each other: in
    one piece, with at most twice the query's words between one and the next, and in stretches where
    the query comes again and again. ``offsets`` are where the pieces begin."""
    parts = [runs.find(hashed.hashes) for runs in index.runs]
    if not parts:
        return
    places: NDArray[np.int64] = np.concatenate([part[0] for part in parts])
    queries: NDArray[np.int64] = np.concatenate([part[1] for part in parts])
    if not len(places):
        return
    order = np.lexsort((places, queries))
    places, queries = places[order], queries[order]
    far = np.diff(places) > 2 * index.lengths[queries[1:]]
    other = (np.diff(queries) != 0) | (np.diff(_owners(offsets, hashed.starts[places])) != 0)
    heads = np.flatnonzero(np.concatenate(([True], far | other)))
    tails = np.concatenate((heads[1:], [len(places)]))
    enough = np.flatnonzero(tails - heads >= index.needed[queries[heads]])
    for cluster in enough:
        head, tail = int(heads[cluster]), int(tails[cluster])
        query = int(queries[head])
        # What is looked at reaches beyond a stretch by more than a window, so that none is cut.
        # Whole passages are compared where there are no windows.
        stretch = max(_STRETCH, 8 * int(index.lengths[query]))
        while head < tail:
            end = tail
            if settings.window is not None:
                end = head + int(np.searchsorted(places[head:tail], places[head] + stretch))
            yield query, int(places[head]), int(places[end - 1])
            head = end


def _owners(offsets: NDArray[np.int64], characters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which piece each character is in."""
    return np.searchsorted(offsets, characters, side="right") - 1
