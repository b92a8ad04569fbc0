"""Looks for an instance with a service that finds only literal text.

Few documents have question and answer joined in that way: options come between them, lines are
broken otherwise, and the first word after a line break is another token than after a space. So the
input alone is asked for as well, and pieces from inside it. That is ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence

from dcq.overlap.query import cut
from dcq.overlap.search.service import WebPage
from dcq.overlap.tokens import split

PIECE = 8  # words
_LEAST = 3  # words; fewer stand everywhere
_FEWEST = 4  # pieces of an input, as far as it has words for them, and
_EACH = 100  # words of it for one more
_BYTES = 4  # of a character, at most
_MANY = 4  # words without a space between them: a script without spaces
# infini-gram reads these as operators: ``" AND " in query`` in its api/api_server.py.
_OPERATOR = re.compile(r"\s(?:AND|OR)\s")

TOO_SHORT = "its input is too short for a piece that only its own text would have"
UNSEEN = "pieces of it stand in more documents than were looked at"


def strings_of(text: str, alone: str, most: int) -> list[tuple[bool, str]]:
    """The strings to ask for: the input with its answer, the input ``alone``, and pieces of it;
    each with whether it is of the input. None is longer than ``most`` bytes in UTF-8."""
    inputs = dict.fromkeys(string for string in (text, alone) if _can_be_asked(string, most))
    pieces = _pieces(alone, most)
    # A word longer than all that can be asked is asked in parts.
    pieces = pieces if pieces or inputs else _spread(cut(alone, most // _BYTES), _FEWEST)
    return [
        *((string != text, string) for string in inputs),
        *((True, string) for string in dict.fromkeys(pieces) if string not in inputs),
    ]


def doubt(
    strings: Collection[str], documents_by_string: Mapping[str, Sequence[WebPage]], documents: int
) -> str:
    """Why an instance that was not found may be there all the same, "" if it can be called clean.
    ``documents_by_string`` are the documents that have each string that was asked, at most
    ``documents`` of them. Long ``strings`` say little where they are not found; so an instance is
    clean only if, for at least half of its pieces, all documents were looked at and none had it."""
    if any(
        not page.fragments for string in strings for page in documents_by_string.get(string, ())
    ):
        return UNSEEN
    pieces = [pages for string, pages in documents_by_string.items() if string not in strings]
    if not pieces:
        return TOO_SHORT
    unseen = sum(
        len(pages) >= documents or any(not page.fragments for page in pages) for pages in pieces
    )
    return UNSEEN if 2 * unseen > len(pieces) else ""


def _can_be_asked(text: str, most: int) -> bool:
    # Half a surrogate pair is refused later, with the reason.
    return len(text.encode("utf-8", "surrogatepass")) <= most and not _OPERATOR.search(text)


def _pieces(text: str, most: int) -> Sequence[str]:
    pieces = [
        piece
        for part in _OPERATOR.split(text)
        for piece in cut(_inside(part), most // _BYTES, PIECE)
        if len(split(piece)) >= _LEAST
    ]
    return _spread(pieces, max(_FEWEST, math.ceil(len(split(text)) / _EACH)))


def _inside(text: str) -> str:
    """``text`` without its first and last words, whose tokens depend on what stands beside them."""
    tokens = list(re.finditer(r"\S+", text))
    if not tokens:
        return ""
    first, last = tokens[0], tokens[-1]
    low, high = first.end(), last.start()
    if len(words := split(first[0])) > _MANY:
        low = first.start() + words.ends[0]
    if len(words := split(last[0])) > _MANY:
        high = last.start() + words.starts[-1]
    return text[low:high].strip()


def _spread(pieces: Sequence[str], most: int) -> Sequence[str]:
    """``most`` of them, evenly from the first to the last."""
    if len(pieces) <= most:
        return pieces
    return [pieces[round(n * (len(pieces) - 1) / (most - 1))] for n in range(most)]
