"""Texts as words and tokens, the same everywhere in the quiz.

A word is a run of letters and digits, with apostrophes and hyphens inside it. Han characters and
kana are written without spaces, so each of them counts as a word.
"""

from __future__ import annotations

import re

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_LETTER = rf"[^\W_{_UNSPACED}]"
_WORD = rf"[{_UNSPACED}]|{_LETTER}+(?:['’\-]{_LETTER}+)*"
WORD = re.compile(_WORD)
_TOKEN = re.compile(rf"{_WORD}|\s+|.", re.DOTALL)


def words(text: str) -> list[str]:
    """The words of ``text`` as written, in order."""
    return WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Words, runs of white space and single other characters; joined they give ``text`` back."""
    return _TOKEN.findall(text)
