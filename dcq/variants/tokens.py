"""Texts as words and tokens, the same everywhere in the quiz.

A word is a run of letters, digits and their marks, with apostrophes and hyphens inside it. Chinese,
Japanese, Thai, Lao, Khmer and Burmese are written without spaces between words; ICU's dictionaries
say where their words end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import regex

from dcq.scripts import UNSPACED

# The module `re` knows no marks: it takes a word of Hindi or Thai apart at its vowels.
_WORDY = r"[\w\p{N}]"
_OPENS = r"[\w\p{N}--\p{M}\p{Cf}]"  # neither an accent nor a joiner begins a word
_UNSPACED_SIGN = rf"[[{UNSPACED}]&&{_WORDY}]"
_PART = rf"[{_OPENS}--_--[{UNSPACED}]][{_WORDY}--_--[{UNSPACED}--\p{{M}}]]*+"
# Inside a word: apostrophe, hyphen, and the geresh and gershayim of Hebrew.
_WORD = rf"{_PART}(?:['’\-\u05f3\u05f4]{_PART})*+"
_UNSPACED_RUN = rf"[{_UNSPACED_SIGN}--\p{{M}}]{_UNSPACED_SIGN}*+"
_RUN = regex.compile(rf"(?P<unspaced>{_UNSPACED_RUN})|{_WORD}", regex.V1)
_TOKEN = regex.compile(rf"(?P<unspaced>{_UNSPACED_RUN})|{_WORD}|\s+|.", regex.V1 | regex.DOTALL)
# As `re` reads \w+, but for marks and for scripts without spaces.
_PLAIN = regex.compile(
    rf"(?P<unspaced>{_UNSPACED_RUN})|[{_OPENS}--[{UNSPACED}]][{_WORDY}--[{UNSPACED}--\p{{M}}]]*+",
    regex.V1,
)

_LATIN = re.compile(r"\w+")
_LATIN_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_BEYOND_LATIN = re.compile(r"[^\x00-\u02ff\u2010-\u2027\u20a0-\u20bf]")


def words(text: str) -> list[str]:
    """The words of ``text`` as written, in order."""
    if not _BEYOND_LATIN.search(text):
        return _LATIN_WORD.findall(text)  # the same, in a tenth of the time
    return [text[start:end] for start, end in word_spans(text)]


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each word of ``text`` starts and ends, in characters."""
    if not _BEYOND_LATIN.search(text):
        return (match.span() for match in _LATIN_WORD.finditer(text))
    return _spans(_RUN, text)


def tokens(text: str) -> list[str]:
    """Words, runs of white space and single other characters; joined they give ``text`` back."""
    return [text[start:end] for start, end in _spans(_TOKEN, text)]


def without_words(text: str) -> str:
    """``text`` with its words taken out."""
    if not _BEYOND_LATIN.search(text):
        return _LATIN_WORD.sub("", text)
    return str(_RUN.sub("", text))


def is_unspaced(word: str) -> bool:
    """True if ``word`` is of a script that puts no spaces between words."""
    match = _RUN.fullmatch(word)
    return match is not None and match["unspaced"] is not None


def bag_words(text: str) -> list[str]:
    """Lower-cased ``\\w+``, as strategies without memory count them. In a script without spaces
    that would be whole clauses, so its words are taken instead."""
    lowered = text.lower()
    if not _BEYOND_LATIN.search(lowered):
        return _LATIN.findall(lowered)  # the same, in an eighth of the time
    return [lowered[start:end] for start, end in _spans(_PLAIN, lowered)]


def _spans(pattern: regex.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        if match["unspaced"] is None:
            yield match.span()
        else:
            yield from pairwise([match.start(), *_word_ends(match[0], match.start())])


def _word_ends(run: str, start: int) -> Iterator[int]:
    """Where the words of a run without spaces end, which begins at ``start`` of its text."""
    from icu4py.breakers import WordBreaker  # loads 40 MB of dictionaries, which few texts need

    for word in WordBreaker(run, "und"):
        start += len(word)
        yield start
