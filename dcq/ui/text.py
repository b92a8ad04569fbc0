"""Foreign text inside Markdown: shown verbatim, never interpreted.

Instances, variants and replies may contain Markdown, formulas, HTML, or Streamlit's own marks such
as ``:red[...]`` and ``:smile:``. Backslashes escape what the Markdown parser reads. Some marks are
searched for again after parsing, when the backslashes are gone; an invisible character breaks
those. A line with letters that are written from right to left gets Unicode's isolates around it: it
then has the direction of most of its own letters, whatever it is put into. The first letter alone
would not do: an Arabic sentence after "Text:" would begin on the left, its full stop on the right.
"""

from __future__ import annotations

import re
from typing import Literal

import regex

_JOINER = "\u2060"  # has no width and allows no line break
_HARD_SPACE = "\u00a0"
_LINE_BREAK = "\\\n"
# Unicode's isolates of a part with a direction of its own
_TO_RIGHT, _TO_LEFT, _POP = "\u2066", "\u2067", "\u2069"
_RIGHT_TO_LEFT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]")
_LEFT_TO_RIGHT = regex.compile(r"\p{Bidi_Class=L}")
_MARKS = re.compile(r":[a-z-]+\[")  # Streamlit's; in text, a bracket has a backslash before it
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# What is replaced after parsing: emoji and icons, links and addresses, arrows and dashes alone.
_LATE = re.compile(
    r":(?=[\w+/-]+:)|:(?=//)|(?i:\bwww)(?=\.)|(?<=\S)@(?=\S)"
    r"|(?<!\S)(?:<(?=(?:->?|=)(?!\S))|-(?=[->](?!\S))|>(?==(?!\S))|~(?==(?!\S)))"
)
# The last alternatives keep on one line a number and its per cent sign, and a statistic and what it
# equals, as in ``p < 0.001``.
_SPACES = re.compile(
    r"^ |(?<= ) |(?<=[0-9]) (?=%)"
    r"|(?<=\b[pqnκ]) (?=[=<≥] ?[−.0-9])|(?<=\b[pqnκ] [=<≥]) (?=[−.0-9])",
    re.MULTILINE,
)
_PIECES = re.compile(r"\s+|\S+(?:[ ]\S+)*")
_QUOTED = re.compile("(“[^”]*”)")
_LINE = re.compile(r"\r\n?|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")


def plain(text: str) -> str:
    """``text`` as Markdown that shows it verbatim, line breaks and runs of spaces included."""
    return close(plain_part(keep_spaces(text)))


def sentence(text: str) -> str:
    """As ``plain``, for a sentence of ours that quotes a foreign text: it is read from left to
    right, whatever the letters of what is “quoted”, and each quote in its own direction."""
    if not _RIGHT_TO_LEFT.search(text):
        return plain(text)
    parts = _QUOTED.split(keep_spaces(text))  # every second one is quoted
    drawn = [
        _isolate(plain_part(part)) if i % 2 else plain_part(part) for i, part in enumerate(parts)
    ]
    return f"{_TO_RIGHT}{''.join(drawn)}{_POP}"


def keep_spaces(text: str) -> str:
    """``text`` with indents, tabs and runs of spaces that Markdown does not collapse, and no line
    break between a number and its per cent sign, or a statistic and its number."""
    return _SPACES.sub(_HARD_SPACE, text.expandtabs(4))


def plain_part(text: str) -> str:
    """As ``plain``, for one of several parts that are joined and then passed to ``close``."""
    return _LINE_BREAK.join(
        _PUNCTUATION.sub(r"\\\1", _LATE.sub(lambda match: match[0] + _JOINER, line))
        for line in _LINE.split(text)
    )


def wrap(text: str, before: str, after: str) -> str:
    """``text`` as ``plain_part``, with the marks ``before`` and ``after`` around words only: around
    spaces at the ends and line breaks Markdown would not read them as marks."""
    return "".join(
        plain_part(piece) if piece.isspace() else f"{before}{plain_part(piece)}{after}"
        for piece in _PIECES.findall(text)
    )


def close(markdown: str) -> str:
    """Joined parts as one paragraph, each line in its own direction."""
    if _RIGHT_TO_LEFT.search(markdown):
        markdown = _LINE_BREAK.join(map(_isolate, markdown.split(_LINE_BREAK)))
    return f"{markdown}{_HARD_SPACE}" if markdown.endswith(_LINE_BREAK) else markdown


def _isolate(line: str) -> str:
    if not _RIGHT_TO_LEFT.search(line):
        return line
    start = _TO_LEFT if alignment(_MARKS.sub("", line)) == "right" else _TO_RIGHT
    return f"{start}{line}{_POP}"


def alignment(text: str) -> Literal["left", "right"]:
    """The side on which lines of ``text`` begin: that of the direction of most of its letters; the
    right if both are equal."""
    right = len(_RIGHT_TO_LEFT.findall(text))
    if not right:
        return "left"
    return "right" if right >= len(_LEFT_TO_RIGHT.findall(text)) else "left"


def cut(text: str, limit: int = 80) -> str:
    """The beginning of ``text`` on one line, at most ``limit`` characters; not yet escaped."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
