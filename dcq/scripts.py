"""The script of a text, and the words that it has by that script; all scores compare these words.

A word is a run of letters and digits with their marks, lower-cased; punctuation, white space and
blanks (``___``) separate words. Where no space stands between words, as in Chinese, Japanese, Thai,
Lao, Khmer and Burmese, each sign with its marks is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

import regex

# By their codes in ISO 15924; Chinese characters and kana are told apart below.
NAMES: Mapping[str, str] = {
    "Latn": "Latin",
    "Cyrl": "Cyrillic",
    "Grek": "Greek",
    "Armn": "Armenian",
    "Geor": "Georgian",
    "Hebr": "Hebrew",
    "Arab": "Arabic",
    "Thaa": "Thaana",
    "Ethi": "Ethiopic",
    "Deva": "Devanagari",
    "Beng": "Bengali",
    "Guru": "Gurmukhi",
    "Gujr": "Gujarati",
    "Orya": "Oriya",
    "Taml": "Tamil",
    "Telu": "Telugu",
    "Knda": "Kannada",
    "Mlym": "Malayalam",
    "Sinh": "Sinhala",
    "Thai": "Thai",
    "Laoo": "Lao",
    "Khmr": "Khmer",
    "Mymr": "Burmese",
    "Tibt": "Tibetan",
    "Mong": "Mongolian",
    "Hang": "Korean",
    "Hani": "Chinese",
    "Jpan": "Japanese",
}
OTHER = "Zzzz"
_KANA = 0.05  # share of kana from which on Chinese characters beside them are Japanese

_NAMED = "".join(
    rf"\p{{scx={script}}}" for script in ("Hani", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr")
)
# A class of ``regex`` (version 1). The apostrophe of Ukrainian, ʼ, is used in Thai as well.
UNSPACED = rf"[{_NAMED}--[\x00-\u02ff]]"

_SIGN = r"[\p{L}\p{N}]"
# Neither the frame of 1⃣ nor what chooses the form of a sign before it is part of a word.
_MARK = r"[\p{Mn}\p{Mc}--[\ufe00-\ufe0f\U000e0100-\U000e01ef]]"
_SINGLE = rf"[{_SIGN}&&{UNSPACED}]"
SINGLE = regex.compile(_SINGLE, regex.V1)
MARK = regex.compile(_MARK, regex.V1)
INSIDE = regex.compile(rf"[{_SIGN}{_MARK}]", regex.V1)
_WORD = regex.compile(rf"{_SINGLE}{_MARK}*+|[[{_SIGN}--{UNSPACED}]{_MARK}]++", regex.V1)
_LATIN_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+")
_BEYOND_LATIN = re.compile(r"[^\x00-\u02ff\u0300-\u036f\u2010-\u2027\u20a0-\u20bf]")
_SCRIPT = regex.compile(
    "|".join(
        rf"(?P<{code}>[\p{{scx={code}}}&&[\p{{L}}\p{{Nd}}]])"
        for code in (*(code for code in NAMES if code != "Jpan"), "Hira", "Kana")
    )
    + rf"|(?P<{OTHER}>\p{{L}})",
    regex.V1,
)


def main_script(text: str) -> str:
    """The script of most letters of ``text``, a key of ``NAMES`` or ``OTHER``; "" without letters.

    Chinese characters with at least one kana in twenty signs are Japanese.
    """
    if text.isascii():
        return "Latn" if any(map(str.isalpha, text)) else ""
    counts: Counter[str] = Counter()
    for sign, number in Counter(text).items():
        if script := _script_of(sign):
            counts[script] += number
    kana, han = counts.pop("Hira", 0) + counts.pop("Kana", 0), counts.pop("Hani", 0)
    if kana or han:
        counts["Jpan" if kana >= _KANA * (kana + han) else "Hani"] = kana + han
    return max(counts, key=counts.__getitem__, default="")


def is_latin(text: str) -> bool:
    """Whether most letters of ``text`` are Latin, or it has none."""
    return main_script(text) in {"Latn", ""}


def is_unspaced(text: str) -> bool:
    """Whether most letters of ``text`` are of scripts that put no spaces between words."""
    return main_script(text) in {"Hani", "Jpan", "Thai", "Laoo", "Khmr", "Mymr"}


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each word of ``text`` starts and ends, in characters."""
    # The same for Latin, several times as fast.
    pattern = _WORD if _BEYOND_LATIN.search(text) else _LATIN_WORD
    return (match.span() for match in pattern.finditer(text))


def words(text: str) -> list[str]:
    """The words of ``text``, folded, in order; none if it has no letter and no digit."""
    return [fold(text[start:end]) for start, end in word_spans(text)]


def fold(word: str) -> str:
    """``word`` in the form that is compared: lower case, one code for one letter (NFKC)."""
    lowered = word.lower()
    return lowered if lowered.isascii() else unicodedata.normalize("NFKC", lowered)


@lru_cache(maxsize=1 << 16)
def _script_of(sign: str) -> str:
    """The group of a letter or digit; "" for other signs, and for digits that all scripts share."""
    match = _SCRIPT.match(sign)
    return str(match.lastgroup) if match else ""
