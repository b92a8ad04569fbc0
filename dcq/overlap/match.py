"""Where in a text a query stands, and whether its label stands there too."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from dcq.overlap.meteor import (
    PAPER,
    MeteorSettings,
    Pairs,
    Reference,
    align,
    count_chunks,
    score_counts,
)
from dcq.overlap.tokens import WordSpans, splitter_for

LABEL_REACH = 50  # words before and after the query in which its label counts; ours
_MOST_ALIGNED = 400  # windows of one text; of a page from the web some dozen are
_SAME = 1e-12  # scores that differ by less are one


class Category(StrEnum):
    """How much of an instance was found (the paper's section 4)."""

    CLEAN = "clean"
    INPUT_ONLY = "input-only"
    INPUT_AND_LABEL = "input-and-label"


@dataclass(frozen=True)
class WindowMatch:
    """The best window of a text. ``span`` has its characters from the first to the last word that
    matches, ``words`` the places of the matching words; None and () where nothing matches."""

    score: float
    span: tuple[int, int] | None
    words: tuple[int, ...]


@dataclass(frozen=True)
class QueryMatch:
    """A query and its label in one text. ``label_score`` is None without a label, or where the
    query was not found, for then the label is not looked for."""

    category: Category
    match: WindowMatch
    label_score: float | None


_NOTHING = WindowMatch(0.0, None, ())


def best_match(
    query: Reference,
    text: WordSpans,
    settings: MeteorSettings = PAPER,
    *,
    gamma: float | None = None,
) -> WindowMatch:
    """The window of ``text`` with the highest METEOR; of equal ones the most compact, then one that
    has the query to the letter, then the first. ``gamma`` replaces the settings' own, as for
    labels.

    The windows are all runs of ``window`` times the query's words, and the shorter beginnings of
    the text, from the query's length on: the alignment takes the last of equal words, so in a
    window that went on beyond a query, the signs of a script without spaces, which come again soon,
    would be found out of order. Where ``window`` is None, the text is compared whole. Windows that
    cannot reach the best score are not aligned, which changes no result: a bound on matches
    and chunks says which. A text that nearly repeats a query has many that can; of those the
    ``_MOST_ALIGNED`` with the highest bounds are.
    """
    if not len(query) or not len(text):
        return _NOTHING
    penalty = settings.gamma if gamma is None else gamma
    longest = None if settings.window is None else math.ceil(settings.window * len(query))
    same = _find_words(query.words, text.words)
    if same is not None and longest is not None and settings.alpha == 1:
        # Nothing scores higher or is more compact, so no stem and no synonym has to be known.
        size, pairs = min(same + len(query), longest), [(same + n, n) for n in range(len(query))]
        score = score_counts(len(query), 1, size, len(query), settings, penalty)
        return _match(score, pairs, text)
    able = _able(query, text)
    best, best_rank = _NOTHING, (0.0, 0)
    bounds = sorted(_bounds(able, query, len(text), longest, settings, penalty), reverse=True)
    for bound, _, size, low, high in bounds[:_MOST_ALIGNED]:
        compact = best.words and best_rank[1] == 1 - len(best.words)
        if bound < best.score - _SAME or (compact and bound < best.score + _SAME):
            break
        pairs = align(able.words[low:high], query)
        score = score_counts(len(pairs), count_chunks(pairs), size, len(query), settings, penalty)
        rank = (score, -_extent(pairs))
        if score > best.score + _SAME or (
            pairs and score > best.score - _SAME and rank > best_rank
        ):
            best, best_rank = _match(score, pairs, text), rank
    return best


def _find_words(phrase: tuple[str, ...], words: tuple[str, ...]) -> int | None:
    """Where ``phrase`` stands in ``words`` for the first time."""
    at = -1
    with suppress(ValueError):
        while True:
            at = words.index(phrase[0], at + 1)
            if words[at : at + len(phrase)] == phrase:
                return at
    return None


def find(
    query: Reference, label: Reference | None, text: WordSpans, settings: MeteorSettings = PAPER
) -> QueryMatch:
    """The category of an instance by one text.

    The label counts within ``LABEL_REACH`` words of the query, and not by the very words that the
    query has matched: a label that repeats a word of its question must stand there again.
    """
    match = best_match(query, text, settings)
    if match.score < settings.threshold or match.span is None:
        return QueryMatch(Category.CLEAN, match, None)
    if label is None or not len(label):
        return QueryMatch(Category.INPUT_ONLY, match, None)
    # In a window of its own length the query does not reach for words of the label.
    low, high = match.words[0], match.words[-1] + 1
    tight = best_match(query, text.part(low, high), replace(settings, window=1.0))
    query_places = {low + place for place in tight.words}
    first, last = low - LABEL_REACH, high + LABEL_REACH
    around = [
        place for place in range(max(0, first), min(len(text), last)) if place not in query_places
    ]
    near = WordSpans(
        tuple(text.words[place] for place in around),
        tuple(text.starts[place] for place in around),
        tuple(text.ends[place] for place in around),
    )
    label_score = best_match(label, near, settings, gamma=settings.label_gamma).score
    has_label = label_score >= settings.threshold
    return QueryMatch(
        Category.INPUT_AND_LABEL if has_label else Category.INPUT_ONLY, match, label_score
    )


def match_text(query: str, text: str, settings: MeteorSettings = PAPER) -> WindowMatch:
    """``best_match`` of two plain texts."""
    cut = splitter_for(query, settings)
    return best_match(Reference(cut(query).words), cut(text), settings)


class _Able(NamedTuple):
    """The words of a text that some word of the query could be aligned with."""

    words: list[tuple[int, str]]  # place, word
    groups: list[int]  # those of one group can match at most its cap
    caps: list[int]
    joined: list[bool]  # the word and its neighbour before it could stand so in the query


def _able(query: Reference, text: WordSpans) -> _Able:
    places_by_word: dict[str, frozenset[int]] = {}
    groups: dict[frozenset[int], int] = {}
    able = _Able([], [], [], [])
    pairs: dict[tuple[str, str], bool] = {}
    before = ""
    for place, word in enumerate(text.words):
        places = places_by_word.get(word)
        if places is None:
            places = places_by_word[word] = query.candidates(word)
        if places:
            if (before, word) not in pairs:
                earlier = places_by_word.get(before, frozenset())
                pairs[before, word] = any(p - 1 in earlier for p in places)
            able.words.append((place, word))
            able.groups.append(groups.setdefault(places, len(groups)))
            able.joined.append(pairs[before, word])
        before = word
    able.caps.extend(len(places) for places in groups)
    return able


class _Bound(NamedTuple):
    score: float  # which no alignment of this window exceeds
    order: int  # the first of equal ones first, as they are sorted backwards
    size: int  # the window's words
    low: int  # its words among the able ones
    high: int


def _bounds(
    able: _Able,
    query: Reference,
    words: int,
    window: int | None,
    settings: MeteorSettings,
    gamma: float,
) -> Iterator[_Bound]:
    """Every window that differs in its able words, by sliding one end and then the other; without
    a ``window`` only the whole text.

    A group of words matches at most as often as the query has places for it, and a chunk ends
    wherever neighbours in the text cannot be neighbours in the query. The score grows with matches
    and falls with chunks for beta of at least 1, so both bounds together bound it.
    """
    places = [place for place, _ in able.words]
    longest = words if window is None else min(window, words)
    shortest = words if window is None else min(len(query), words)
    ends = {shortest, longest}
    ends |= {place + 1 for place in places if place >= shortest}
    ends |= {place + longest + 1 for place in places if place + longest < words}
    counts: dict[int, int] = defaultdict(int)
    matches = joins = low = high = 0
    for end in sorted(ends):
        while high < len(places) and places[high] < end:
            group = able.groups[high]
            counts[group] += 1
            matches += counts[group] <= able.caps[group]
            joins += able.joined[high]
            high += 1
        while low < high and places[low] < end - longest:
            group = able.groups[low]
            matches -= counts[group] <= able.caps[group]
            counts[group] -= 1
            joins -= able.joined[low]
            low += 1
        if low < high:
            most = min(matches, len(query))
            chunks = max(1, most - joins)
            size = min(end, longest)
            score = score_counts(most, chunks, size, len(query), settings, gamma)
            yield _Bound(score, -end, size, low, high)


def _extent(pairs: Pairs) -> int:
    return pairs[-1][0] - pairs[0][0] if pairs else 0


def _match(score: float, pairs: Pairs, text: WordSpans) -> WindowMatch:
    places = tuple(place for place, _ in pairs)
    return WindowMatch(score, (text.starts[places[0]], text.ends[places[-1]]), places)
