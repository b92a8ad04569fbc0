"""A reply to a question with lettered options as plain text: letters of all forms as A to E.

Compatibility forms (full-width, bold, circled), look-alikes of other alphabets, invisible
characters, LaTeX, tags and JSON: what remains is the letter and the words around it.
"""

from __future__ import annotations

import re
import unicodedata

# Characters of a reply that are read at its beginning, and as many at its end: an answer stands
# there, and a reply may have millions.
ENDS = 3_000
_PIECE = 250  # characters

_SQUARED = {start + i: ord("A") + i for start in (0x1F150, 0x1F170, 0x1F1E6) for i in range(26)}
_INVISIBLE = dict.fromkeys(
    (
        *(0xAD, 0x20E3, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F)),
        *(*range(0x2060, 0x206A), *range(0xFE00, 0xFE10)),
    )
)
_FORMS = _SQUARED | _INVISIBLE
# Cyrillic and Greek capitals that look like A, B, C, E. A model that writes Russian or Greek types
# them for the letters it was shown; alone only, because within words they are what they are.
_ALIKE = str.maketrans("АВСЕΑΒΕϹ", "ABCEABEC")
_ALONE_ALIKE = re.compile(r"(?<![^\W_])[АВСЕΑΒΕϹ](?![^\W_])")

_LATEX = re.compile(r"\\(?:[a-zA-Z]{2,20}\s{0,3}(?=\{)|[()\[\]])|[${}]")
_ANSWER_TAG = re.compile(
    r"<(?:final[_ ]?)?(?:answer|choice|option|letter|result|output|solution|response)"
    r"(?:\s[^<>\n]{0,60})?>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[/|]?[A-Za-z_][\w:-]{1,30}(?:\s[^<>\n]{0,60})?[|/]?>|</[A-Za-z]>")
# <b>A</b>, where <A> alone would be a letter in brackets.
_SHORT_TAG = re.compile(r"<([bipqsu])>([^<>]{0,200})</\1>")
_OPEN_TAG = re.compile(r"<[a-z]>(?=\w)")
_UNDERLINED = re.compile(r"(?<!\w)_{1,3}([A-Za-z])_{1,3}(?!\w)")
_ENTITY = re.compile(r"&(?:nbsp|quot|amp|lt|gt|#\d{1,5});")


def plain_ends(text: str) -> str:
    """The beginning and the end of a reply in plain letters, stripped."""
    if len(text) > 2 * ENDS:
        text = f"{text[:ENDS]}\n{text[-ENDS:]}"
    text = _without_forms(text)
    text = _ANSWER_TAG.sub("\nanswer: ", text)
    text = _SHORT_TAG.sub(r" \2 ", text)
    text = _UNDERLINED.sub(r"\1", _OPEN_TAG.sub(" ", _TAG.sub(" ", text)))
    text = _ENTITY.sub(" ", text)
    # Signs, so that what was apart stays apart.
    return _LATEX.sub("`", text).strip()


def _without_forms(text: str) -> str:
    """Compatibility forms, such as full-width letters, as plain ones. In pieces, because ordering a
    run of combining marks takes quadratic time."""
    if text.isascii():
        return text
    text = text.translate(_FORMS)
    starts = range(0, len(text), _PIECE)
    text = "".join(unicodedata.normalize("NFKC", text[i : i + _PIECE]) for i in starts)
    return _ALONE_ALIKE.sub(lambda match: match[0].translate(_ALIKE), text)
