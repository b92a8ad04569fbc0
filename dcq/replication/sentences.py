"""Where the sentences of a text end, by pysbd."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

from dcq.languages import fitting, primary

_LONGEST = 20_000  # characters; pysbd takes seconds for more
_FALLBACK = "en"
# pysbd's Arabic and Persian end sentences at commas and colons.
_NO_END = {"ar": "،:", "fa": "،:"}


def sentence_ends(text: str, language: str) -> list[int]:
    """Offsets after the last sign of each sentence, rising; the last is that of the whole text.

    ``text`` has no white space around it. It is read by the rules of ``language`` where that is
    written in its script, else of the one that its letters suggest; as English where pysbd does not
    know it. Of a text of more than 20,000 characters only the ends in that many around its middle
    are found.
    """
    start = max(0, (len(text) - _LONGEST) // 2)
    shown = text[start : start + _LONGEST]
    code = primary(fitting(language, shown))
    ends = set()
    for span in _segmenter(code).segment(shown):
        # pysbd counts the white space after a sentence to it.
        end = span.start + len(shown[span.start : span.end].rstrip())
        if not 0 < end < len(shown):
            continue
        if shown[end - 1] not in _NO_END.get(code, "") or shown[end] == "\n":
            ends.add(start + end)
    return [*sorted(ends), len(text)]


@lru_cache(maxsize=8)
def _segmenter(code: str) -> Any:
    with warnings.catch_warnings():  # its files have string escapes that newer Pythons warn of
        warnings.simplefilter("ignore")
        import pysbd
        from pysbd.languages import LANGUAGE_CODES

    known = code if code in LANGUAGE_CODES else _FALLBACK
    return pysbd.Segmenter(language=known, clean=False, char_span=True)
