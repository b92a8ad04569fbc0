"""Reads a model's reply as exactly one outcome (docs/method.md, "Outcomes").

A letter counts only if the reply names one option and no other. All letters are read alike: the
same form with another letter comes to the same outcome. The hard part is prose: "A" is also an
article, "B" a vitamin, and a reply may go on to quote the option it chose
(``dcq/quiz/mentions.py``).

A reply may have millions of arbitrary characters, of which the beginning and the end are read. No
pattern can match one run of characters in two of its parts (hence the possessive ``*+``, which does
not backtrack), and none is tried on a copy of the rest of the text.
"""

from __future__ import annotations

import re

from dcq.quiz.letter_text import plain_ends
from dcq.quiz.letter_words import rejects
from dcq.quiz.mentions import NOT_AFTER, Side, find_mentions, find_notices, side_of
from dcq.records import LETTERS, Outcome, Reading, Reply
from dcq.refusal import REFUSAL
from dcq.said import read_content

_LEAD = re.compile(r"[\W_]*+")
_OPENING = re.compile(r"([A-Za-z])" + NOT_AFTER)
# A letter that is marked as an option, so that the option's text may follow: "D) Article: …".
_QUOTES = re.compile(r"[\s*_`\"'”’>」』》】]*+[)\]:.。、]")
_MARKED_LINE = re.compile(r"^[^\w\n]*+_*+([A-Za-z])[*_`]*+(?:[)\]:.、。]|\s*$)", re.MULTILINE)
# A line of the options, given again before the answer: "B) The water rose."
_LISTED_LINE = re.compile(
    r"^[^\w\n]*+(?:(?:[Oo]ption|[Cc]hoice|[Tt]ext|[Ii]nstance) )?([A-E])[*_`]*+[)\]:.、]"
    r"[*_`]*+[^\S\n]*+\S.*+(\n|\Z)",
    re.MULTILINE,
)
_JOINED = re.compile(
    r"(?:\W*+(?:and|or|y|o|et|ou|und|oder|e|и|или)(?![^\W_])\W*+|[^\w&/,、]*+[&/,、]\W*+"
    r"|\W*+[和或与及と또]\W*+)([A-Z])" + NOT_AFTER,
    re.IGNORECASE,
)
_NONE_OF_THESE = re.compile(
    r"^\W*none(?: of (?:the|these|them)\b.*)?\W*$", re.IGNORECASE | re.DOTALL
)


def read_reply(reply: Reply, options: int) -> Reading:
    """The answer in ``reply`` to a question with ``options`` options (4, or 5 with "none of
    these").

    Returns one of ``answered``, ``none``, ``refused``, ``invalid``; never raises. The outcome
    ``error`` is not among them: it means that there is no reply.
    """
    if reply.refusal:
        return Reading(Outcome.REFUSED, None, "refusal field")
    if (reply.text or "").strip() in set(LETTERS):  # most replies, which need no other reading
        return _judge((reply.text or "").strip(), options)
    text = plain_ends(read_content(reply.text or "").text)
    letters = _letters(text)
    if not letters and reply.finish_reason == "content_filter":
        return Reading(Outcome.REFUSED, None, "content filter")
    if not text:
        reason = (
            "token limit reached before any text" if reply.finish_reason == "length" else "empty"
        )
        return Reading(Outcome.INVALID, None, reason)
    if len(letters) > 1:
        return Reading(Outcome.INVALID, None, f"names {', '.join(sorted(letters))}")
    if letters:
        return _judge(letters.pop(), options)
    if options > 4 and _NONE_OF_THESE.match(text):
        return Reading(Outcome.NONE, "E", "none of these")
    if REFUSAL.search(text):
        return Reading(Outcome.REFUSED, None, "refusal in words")
    return Reading(Outcome.INVALID, None, "no option letter")


def _judge(letter: str, options: int) -> Reading:
    if letter not in LETTERS[:options]:
        return Reading(Outcome.INVALID, None, f"{letter} is not an option")
    if letter == "E":
        return Reading(Outcome.NONE, "E", "option E")
    return Reading(Outcome.ANSWERED, letter, "letter")


def _letters(text: str) -> set[str]:
    """The option letters that ``text`` names, in upper case; empty if none can be identified."""
    text = _without_list(text)
    quoted = _quoted(text)
    if quoted is not None:
        return quoted
    mentions = find_mentions(text)
    if mentions is None:
        return set()
    chosen = {mention.letter for mention in mentions if mention.chosen}
    if not chosen:
        return set()
    last = max(mention.start for mention in mentions if mention.chosen)
    rejected = {mention.letter for mention in mentions if mention.rejected}
    # Other letters that may be meant: named without a word on them, or rejected afterwards.
    others = {
        mention.letter
        for mention in mentions
        if mention.upper
        and mention.side is Side.END
        and not mention.chosen
        and (not mention.rejected or mention.start > last)
    }
    return set() if len(chosen) == 1 and chosen <= rejected else chosen | others


def _without_list(text: str) -> str:
    """``text`` without the lines before its last one that give two options or more again."""
    lines = list(_LISTED_LINE.finditer(text))
    if lines and not lines[-1][2]:
        last = lines.pop()[1]  # the answer itself, unless it goes on with the list
        lines = [] if last == LETTERS[len(lines) : len(lines) + 1] else lines
    given = "".join(line[1] for line in lines)
    if len(given) < 2 or not LETTERS.startswith(given):
        return text
    return (
        text[: lines[0].start()]
        + _LISTED_LINE.sub("", text[lines[0].start() : lines[-1].end()])
        + text[lines[-1].end() :]
    )


def _quoted(text: str) -> set[str] | None:
    """The letters of a reply that opens with one marked as an option, "D) …", whose text may name
    any letter; None where it opens otherwise."""
    lead = _LEAD.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    first = _OPENING.match(text, lead)
    if not first:
        return None
    marked = _QUOTES.match(text, first.end())
    if not marked or side_of(text, first.end()) is not Side.END or rejects(text[:lead]):
        return None
    if any(begin <= first.start() < end for begin, end in find_notices(text)):
        return None
    remainder = text[marked.end() :].lstrip()
    others = {match[1].upper() for match in _MARKED_LINE.finditer(remainder)}
    if joined := _JOINED.match(text, first.end()):
        others.add(joined[1].upper())
    return {first[1].upper()} | (others & set(LETTERS))
