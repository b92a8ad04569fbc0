"""How the columns of a csv file are separated, whoever wrote it: programs, or Excel in any country.

Excel separates by the sign of the machine's region (comma or semicolon), says it in a first line
``sep=;`` when asked, and saves "Unicode text" as UTF-16 with tabs.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_MARKS = (  # the longer first: UTF-32's begins as UTF-16's does
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Two signs of ASCII in UTF-16 without a mark, as PowerShell and "Unicode" of older programs write.
_BARE = (
    (re.compile(rb"(?:[\t\n\r -~]\0){2}"), "utf-16-le"),
    (re.compile(rb"(?:\0[\t\n\r -~]){2}"), "utf-16-be"),
)
_SEPARATORS = ",;\t|"
_DECLARED = re.compile(r'\ufeff?"?sep=([^\r\n"])"?[,;\t|]*\r?\n?', re.IGNORECASE)
_QUOTED = re.compile(r'"(?:[^"]|"")*("|$)')


class Separation(NamedTuple):
    """``separator`` stands between columns; ``declared``: the first line only says so."""

    separator: str
    declared: bool = False


def separation(first: str, suffix: str = ".csv") -> Separation:
    """How a file is separated, by its first line and its ``suffix`` (``.tsv`` prefers tabs). Signs
    within quotes do not count, and of equally many the comma wins."""
    if match := _DECLARED.fullmatch(first):
        return Separation(match[1], declared=True)
    bare = _QUOTED.sub("", first)
    if suffix.lower() == ".tsv" and "\t" in bare:
        return Separation("\t")
    best = max(_SEPARATORS[:3], key=bare.count)
    if bare.count(best):
        return Separation(best)
    return Separation("|" if bare.count("|") else "\t" if suffix.lower() == ".tsv" else ",")


def text_encoding(head: bytes) -> str:
    """The encoding of a text that begins with ``head``, at least four bytes of it: UTF-16 or UTF-32
    where it begins as they do, else UTF-8."""
    by_mark = next((coding for mark, coding in _MARKS if head.startswith(mark)), "")
    bare = next((coding for pattern, coding in _BARE if pattern.match(head)), "utf-8-sig")
    return by_mark or bare
