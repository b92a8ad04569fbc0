"""Reads a model's reply as a completion, or as exactly one reason why it is none."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from dcq.records import Outcome, Reading, Reply
from dcq.refusal import REFUSAL
from dcq.replication.pieces import Pieces

_OPENING = 300  # characters in which a refusal says what it refuses
_LETTERS = 500  # characters that tell the script of a text
_WRAPPING = " \t\r\n*_`\"'“‘"
# A completion may itself begin "I can't believe …": a refusal also names what it is about.
_ABOUT = re.compile(
    r"\b(?:assist|help|provide|reproduce|generate|access|complete|finish|fulfil+|comply|recall|"
    r"request|data ?sets?|copyright|verbatim|instance|language model|information|know|continue)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[\s*_`#>]*(?:first piece|second piece|sentence [12])[*_`]*\s*:[*_`]*\s*", re.IGNORECASE
)
_LABEL_LINE = re.compile(r"[\s*_`#>]*label[*_`]*\s*:[^\n]*(?:\n|$)", re.IGNORECASE)


class ReplyKind(StrEnum):
    """The kinds of replies; every reply is exactly one of these."""

    COMPLETION = "completion"
    CUT = "completion, cut at the token limit"
    REFUSED = "refused"
    EMPTY = "empty"
    REPEATED = "repeats the first piece only"


_OUTCOMES = {
    ReplyKind.COMPLETION: Outcome.ANSWERED,
    ReplyKind.CUT: Outcome.ANSWERED,
    ReplyKind.REFUSED: Outcome.REFUSED,
    ReplyKind.EMPTY: Outcome.INVALID,
    ReplyKind.REPEATED: Outcome.INVALID,
}


@dataclass(frozen=True)
class ReadCompletion:
    """A reply as read. ``text`` is the completion, None where there is none; ``repeated``: the
    first piece stood before it and was taken off; ``other_script``: it is in another script than
    the second piece, such as Chinese for English."""

    kind: ReplyKind
    text: str | None
    repeated: bool = False
    other_script: bool = False

    @property
    def reading(self) -> Reading:
        """The reading that the engine stores: one of the five outcomes, the completion, and which
        of ``ReplyKind``."""
        return Reading(_OUTCOMES[self.kind], self.text, self.kind.value)


def read_completion(reply: Reply, pieces: Pieces) -> ReadCompletion:
    """The completion in ``reply``; never raises, and takes linear time.

    A reply without text that was cut at the token limit is empty, not cut.
    """
    if reply.refusal:
        return ReadCompletion(ReplyKind.REFUSED, None)
    text = reply.text_like(pieces.second).strip()
    if not text:
        filtered = reply.finish_reason == "content_filter"
        return ReadCompletion(ReplyKind.REFUSED if filtered else ReplyKind.EMPTY, None)
    if _refuses(text, pieces):
        return ReadCompletion(ReplyKind.REFUSED, None)
    completion, repeated = _without_first(text, pieces)
    if not any(character.isalnum() for character in completion):
        return ReadCompletion(ReplyKind.REPEATED if repeated else ReplyKind.EMPTY, None, repeated)
    cut = reply.finish_reason == "length"
    return ReadCompletion(
        ReplyKind.CUT if cut else ReplyKind.COMPLETION,
        completion,
        repeated,
        other_script=_script(completion) != _script(pieces.second),
    )


def _refuses(text: str, pieces: Pieces) -> bool:
    opening = text[:_OPENING].lstrip(_WRAPPING)
    if not REFUSAL.match(opening) or not _ABOUT.search(opening):
        return False
    return REFUSAL.match(pieces.second[:_OPENING].lstrip(_WRAPPING)) is None


def _without_first(text: str, pieces: Pieces) -> tuple[str, bool]:
    """``text`` without a heading and without the first piece, and whether the latter was there."""
    heading = _HEADING.match(text)
    without_heading = text[heading.end() :] if heading else text
    end = _end_of(pieces.first, without_heading)
    # A second piece that itself begins with the first is no repetition.
    if end is None or _end_of(pieces.first, pieces.second) is not None:
        return without_heading.strip(), False
    completion = without_heading[end:]
    for pattern in (_LABEL_LINE, _HEADING):
        match = pattern.match(completion)
        completion = completion[match.end() :] if match else completion
    return completion.strip(), True


def _end_of(prefix: str, text: str) -> int | None:
    """Where ``prefix`` ends in ``text``, ignoring case, white space and opening quotes; None where
    the text does not begin with it."""
    characters = [character for character in prefix.casefold() if not character.isspace()]
    position = len(text) - len(text.lstrip(_WRAPPING))
    if characters and characters[0] in _WRAPPING:
        position = len(text) - len(text.lstrip())
    matched = 0
    while matched < len(characters):
        if position >= len(text):
            return None
        for character in text[position].casefold():
            if character.isspace():
                continue
            if matched >= len(characters) or character != characters[matched]:
                return None
            matched += 1
        position += 1
    # "cat" is not repeated by "cats".
    if position < len(text) and text[position].isalnum() and text[position - 1].isascii():
        return None if text[position].isascii() and text[position - 1].isalnum() else position
    return position


def _script(text: str) -> str:
    """The commonest script among the first letters, as Unicode names it; empty without letters."""
    names = Counter(
        unicodedata.name(character, "?").split()[0]
        for character in text[:_LETTERS]
        if character.isalpha()
    )
    return names.most_common(1)[0][0] if names else ""
