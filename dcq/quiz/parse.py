"""Reads a model's reply as exactly one outcome (docs/method.md, "Outcomes").

A letter counts only if the reply names one option and no other. The hard part is English: "A" is
also an article, and a reply may go on to quote the option it chose.

A reply may have millions of arbitrary characters. Every step here takes linear time: no pattern can
match one run of characters in two of its parts (hence the possessive ``*+``, which does not
backtrack), and none is tried on a copy of the rest of the text.
"""

from __future__ import annotations

import re
import unicodedata

from dcq.records import LETTERS, Outcome, Reading, Reply
from dcq.refusal import REFUSAL

_PIECE = 250  # characters
_WRAPPING = " \t\r\n*_`\"'“‘’([{<#>"
# Word boundaries in ASCII only: in Chinese or Japanese a letter may adjoin characters of words.
_NOT_BEFORE = r"(?<![A-Za-z0-9_'’\-])"
_NOT_AFTER = r"(?![A-Za-z0-9_'’\-])"
# A letter marked as an option: "D)", "D:".
_MARKED = re.compile(_NOT_BEFORE + r"([A-Za-z])[)\]:]")
_MARKED_LINE = re.compile(r"^(?:[^\S\n]|[*_(])*+([A-Za-z])[*_]*+(?:[)\]:.]|\s*$)", re.MULTILINE)
_BARE = re.compile(_NOT_BEFORE + r"([A-Z])" + _NOT_AFTER)
# Words after which a letter is an answer, in the languages that models reply in most.
_SAID = re.compile(
    r"(?:\b(?:answer|option|choice|letter|select|choose|pick|think|believe|say|guess|go with|is|"
    r"it's|it’s|be|respuesta|opción|letra|elijo|es|réponse|est|antwort|ist)(?![A-Za-z])|"
    r"答案|选项|选择|选|是)"
    r"\s*+(?:[:=：]\s*+)?[*_`\"'“‘(\[]*+([A-Za-z])" + _NOT_AFTER,
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"^(?:\W*+(?:and|or|y|o)\W*+|[^\w&/,]*+[&/,]\W*+)([A-Z])" + _NOT_AFTER, re.IGNORECASE
)
# A rejected letter: "not option B", "it can't be B", "anything but B"; "B is wrong".
_DENIED = (
    re.compile(
        r"(?:(?<![A-Za-z])(?:not|no|never|cannot|neither|nor|except|nicht|pas|"
        r"(?:any|anything|all) but)(?![A-Za-z])|"
        r"n['’]t\b|不是|不选)(?:\s+(?:be|is|it|it['’]s|the|that|to|option|choice|answer|letter|"
        r"choose|pick|select|say|think|believe|go|with|es|la|est|ist))*[\s:*_`\"'“‘(\[]*([A-Za-z])"
        + _NOT_AFTER,
        re.IGNORECASE,
    ),
    re.compile(
        _NOT_BEFORE + r"([A-Za-z])[*_`\"'”’)\]]*\s+(?:(?:is|was|seems|looks)\s+(?:\w+ly\s+)?"
        r"(?:not|wrong|incorrect|false)|(?:is|was)n['’]t|can(?:not|['’]t))\b",
        re.IGNORECASE,
    ),
)
_LOWER_WORD = re.compile(r"\s++(?!(?:is|because|and|or|as|since)\b)[^\W\d_A-Z]")
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
    text = _normalise(reply.text or "").strip()
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


def _normalise(text: str) -> str:
    """Compatibility forms, such as full-width letters, as plain ones. In pieces, because ordering a
    run of combining marks takes quadratic time."""
    if text.isascii():
        return text
    starts = range(0, len(text), _PIECE)
    return "".join(unicodedata.normalize("NFKC", text[i : i + _PIECE]) for i in starts)


def _judge(letter: str, options: int) -> Reading:
    if letter not in LETTERS[:options]:
        return Reading(Outcome.INVALID, None, f"{letter} is not an option")
    if letter == "E":
        return Reading(Outcome.NONE, "E", "option E")
    return Reading(Outcome.ANSWERED, letter, "letter")


def _letters(text: str) -> set[str]:
    """The option letters that ``text`` names, in upper case; empty if none can be identified."""
    lead = text.lstrip(_WRAPPING)
    first = re.match(r"([A-Za-z])" + _NOT_AFTER, lead)
    if first and _opens_as_answer(lead):
        remainder = lead[1:].lstrip(_WRAPPING + ")].:")
        joined = _JOINED.match(remainder)
        others = {joined[1].upper()} if joined else set()
        if re.match(r"[\s*_`\"'”’>]*[)\]:.]", lead[1:]):  # "D) …": what follows quotes the option
            others |= {m[1].upper() for m in _MARKED_LINE.finditer(remainder)}
            return {first[1].upper()} | (others & set(LETTERS))
        others |= _bare(remainder) | {m[1].upper() for m in _MARKED_LINE.finditer(remainder)}
        return _without_denied(text, {first[1].upper()} | (others & set(LETTERS)))
    stated_letters = {m[1].upper() for m in _SAID.finditer(text) if not _is_article(text, m)}
    marked = {m[1].upper() for m in _MARKED.finditer(text)}
    sure = (stated_letters | marked) & set(LETTERS)
    return _without_denied(text, sure | _bare(text)) if sure else set()


def _without_denied(text: str, letters: set[str]) -> set[str]:
    """``letters``, or nothing if its only letter is one that ``text`` rejects."""
    denied = {
        match[1].upper()
        for pattern in _DENIED
        for match in pattern.finditer(text)
        if not _is_article(text, match)
    }
    return set() if len(letters) == 1 and letters <= denied else letters


def _opens_as_answer(text: str) -> bool:
    """True if the single letter that opens ``text`` is an answer and not the article "A"."""
    letter, after = text[0], text[1:]
    if re.match(r"[\s*_`\"'”’>]*(?:[)\]:.,;/&!]|$|\n)", after):
        return True
    if re.match(r"\s+(?:and|or)\s+[A-Za-z]" + _NOT_AFTER, after):
        return True
    if letter == "A":
        return re.match(r"\s+(?:[A-Z]|is\b|because\b|[-–—])", after) is not None
    return letter in LETTERS


def _bare(text: str) -> set[str]:
    return {m[1] for m in _BARE.finditer(text) if m[1] in LETTERS and not _is_article(text, m)}


def _is_article(text: str, match: re.Match[str]) -> bool:
    """True for the "a" of "a man said": a lower-case word follows, and not one of an answer."""
    return match[1] in "aA" and _LOWER_WORD.match(text, match.end(1)) is not None
