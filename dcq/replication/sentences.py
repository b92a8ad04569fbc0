"""Where the sentences of a text end, by pysbd."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

from dcq.languages import primary

_LONGEST = 20_000  # characters; pysbd takes seconds for more
_FALLBACK = "en"


def sentence_ends(text: str, language: str) -> list[int]:
    """Offsets after the last sign of each sentence, rising; the last is that of the whole text.

    ``text`` has no white space around it. A language that pysbd does not know is read as English.
    Of a text of more than 20,000 characters only the ends in that many around its middle are found.
    """
    start = max(0, (len(text) - _LONGEST) // 2)
    shown = text[start : start + _LONGEST]
    ends = set()
    for span in _segmenter(language).segment(shown):
        # pysbd counts the white space after a sentence to it.
        end = span.start + len(shown[span.start : span.end].rstrip())
        if 0 < end < len(shown):
            ends.add(start + end)
    return [*sorted(ends), len(text)]


@lru_cache(maxsize=8)
def _segmenter(language: str) -> Any:
    with warnings.catch_warnings():  # its files have string escapes that newer Pythons warn of
        warnings.simplefilter("ignore")
        import pysbd
        from pysbd.languages import LANGUAGE_CODES

    code = primary(language)
    known = code if code in LANGUAGE_CODES else _FALLBACK
    return pysbd.Segmenter(language=known, clean=False, char_span=True)
