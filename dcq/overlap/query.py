"""An instance as a query: its input with the right answer in it, and its input alone.

The contamination report, section 4: the answer fills the blank, or follows the input where there is
none; the other options are left out. The authors' code drops instances with blanks that it cannot
fill, and queries over 1,000 characters, without a word. Here the answer then follows the input, and
long queries are cut into pieces, so an instance is skipped only where it has no words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dcq.overlap.words import split

NO_WORDS = "no words"

_BLANK = re.compile(r"_{2,}|(?<!\w)_(?!\w)")
_SEPARATORS = ("，", ",", "；", ";")  # the authors' code tries the first three, in this order
_OPTION = re.compile(r"\s*[(\[]?[A-Z][)\].:、．]\s*\S.*")
_OPTIONS_TITLE = re.compile(
    r"\s*(?:choices|options|answer choices|选项)\s*[:：]?\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class Query:
    """One instance as it is searched for. ``text`` is the input with its answer, ``input`` the
    input alone without blanks, ``label`` the answer, "" where there is none."""

    id: str
    text: str
    input: str
    label: str


@dataclass(frozen=True)
class Skipped:
    """An instance that cannot be searched for, and why."""

    id: str
    reason: str


def verbalize(identity: str, question: str, answer: str = "") -> Query | Skipped:
    """The query of an instance. Options that follow the question, a line each, are left out."""
    asked = without_options(question)
    alone = " ".join(_BLANK.sub(" ", asked).split())
    if not len(split(alone)):
        return Skipped(identity, NO_WORDS)
    return Query(identity, _fill(asked, answer.strip()), alone, answer.strip())


def without_options(question: str) -> str:
    """``question`` up to its options: at least two lines at its end that begin as ``A:``, ``(B)``
    or ``C.`` do, and the line that announces them."""
    lines = question.rstrip().split("\n")
    last = len(lines)
    while last and _OPTION.fullmatch(lines[last - 1]):
        last -= 1
    if last == 0 or len(lines) - last < 2:
        return question
    if last > 1 and _OPTIONS_TITLE.fullmatch(lines[last - 1]):
        last -= 1
    return "\n".join(lines[:last]).rstrip()


def _fill(question: str, answer: str) -> str:
    """The answer in the blank, its parts in several blanks, or after the question."""
    blanks = len(_BLANK.findall(question))
    parts = [answer] if blanks == 1 else _parts(answer, blanks)
    if answer and blanks and parts:
        given = iter(parts)
        return _BLANK.sub(lambda _: next(given), question)
    return " ".join(f"{_BLANK.sub(' ', question)} {answer}".split())


def _parts(answer: str, count: int) -> Sequence[str]:
    for separator in _SEPARATORS:
        if separator in answer:
            parts = [part.strip() for part in answer.split(separator)]
            return parts if len(parts) == count else ()
    return ()


def cut(text: str, characters: int, words: int | None = None) -> tuple[str, ...]:
    """``text`` in pieces of at most ``characters`` and ``words``, together all of it but the white
    space between them. Pieces end between words, or inside a longer word; one where it fits."""
    pieces: list[str] = []
    start = end = count = 0
    for token in re.finditer(r"\S+", text):
        # A run without a space may be a sentence of Chinese, whose characters are words.
        size = max(1, len(split(token[0])))
        fits = token.end() - start <= characters and (words is None or count + size <= words)
        if count and not fits:
            pieces.append(text[start:end])
            count = 0
        if not count:
            start = token.start()
        if token.end() - start > characters or (words is not None and size > words):
            step = min(characters, words or characters)
            pieces += [
                text[at : min(at + step, token.end())]
                for at in range(token.start(), token.end(), step)
            ]
            continue
        end, count = token.end(), count + size
    if count:
        pieces.append(text[start:end])
    return tuple(pieces)


@dataclass(frozen=True)
class Coverage:
    """How much of a benchmark was looked at: counts of instances, the skipped ones by reason."""

    total: int
    searched: int
    found: int
    skipped: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float | None:
        """Found among searched, not among all; None if nothing was searched."""
        return self.found / self.searched if self.searched else None


def coverage(queries: Iterable[Query | Skipped], found: Iterable[str]) -> Coverage:
    """Counts of an instance list and the ids that were found."""
    made = list(queries)
    ids = {one.id for one in made if isinstance(one, Query)}
    reasons = Counter(one.reason for one in made if isinstance(one, Skipped))
    searched = len(made) - reasons.total()
    return Coverage(len(made), searched, len(ids & set(found)), tuple(sorted(reasons.items())))
