"""A text as words, each with its place: what matching and scanning compare.

A word is a run of letters and digits, lower-cased; punctuation, white space and blanks (``___``)
separate words. Chinese characters and Japanese kana, which no space separates, are words each.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SINGLE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_MARKS = "\u0300-\u036f"  # accents apart from their letters
_WORD = re.compile(rf"[{_SINGLE}]|(?:[^\W_{_SINGLE}]|[{_MARKS}])+")


@dataclass(frozen=True)
class Words:
    """The words of a text in order; ``starts`` and ``ends`` are characters of the text, so word i
    is ``text[starts[i]:ends[i]]`` before folding."""

    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.words)

    def part(self, first: int, last: int) -> Words:
        """Words ``first`` to ``last`` (excluded), with the places that they have in the text."""
        return Words(self.words[first:last], self.starts[first:last], self.ends[first:last])


def fold(word: str) -> str:
    """``word`` in the form that is compared: lower case, one code for one letter (NFKC)."""
    lowered = word.lower()
    return lowered if lowered.isascii() else unicodedata.normalize("NFKC", lowered)


def split(text: str) -> Words:
    """The words of ``text``; none if it has no letter and no digit."""
    found = [(fold(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]
    return Words(
        tuple(word for word, _, _ in found),
        tuple(start for _, start, _ in found),
        tuple(end for _, _, end in found),
    )
