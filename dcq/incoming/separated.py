"""How the columns of a csv file are separated, whoever wrote it: programs, or Excel in any country.

Excel separates by the sign of the machine's region (comma or semicolon), says it in a first line
``sep=;`` when asked, and saves "Unicode text" as UTF-16 with tabs.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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
    """The encoding of a csv file that begins with ``head``: UTF-16 where its mark stands there,
    else UTF-8."""
    return "utf-16" if head[:2] in UTF16_MARKS else "utf-8-sig"
