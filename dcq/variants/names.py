"""Names that a rewording lost, found by their capitals.

Where each noun has a capital, as in German, capitals tell nothing, and nothing is looked for. A
script without capitals has no such names, but names in Latin letters within it are found.
"""

from __future__ import annotations

import re

import regex
from rapidfuzz.distance import Prefix

from dcq.languages import primary
from dcq.variants.tokens import word_spans, words

# Share of the longer words inside sentences that are capitalised; a line with more is a headline,
# or German that nobody declared, and there capitals mark no names.
HEADLINE = 0.45
# Letters at the end of a name that may differ where names have cases.
ENDING, LEAST_SHARED = 3, 3

_CAPITALISES_NOUNS = frozenset({"de", "gsw", "lb", "nds"})
_INFLECTS_NAMES = frozenset(
    {
        *("az", "be", "bs", "cs", "el", "et", "fi", "hr", "hu", "hy", "is", "kk", "la", "lt"),
        *("lv", "pl", "ru", "sh", "sk", "sl", "sr", "tr", "uk", "uz"),
    }
)
_VERSE = re.compile(r"\d:\d+$")  # a new sentence follows the number of a verse
_VERSE_LENGTH = 8  # a longer part of a line would be searched at each word
_OPENING = regex.compile(r"[\p{STerm}.!?:;：；…¿¡\"“”«»„'‘(\[{*#>\-–—•|]")
_JOINTS = re.compile(r"['’\-]")


def lost_names(source: str, text: str, language: str) -> list[str]:
    """The names of ``source`` that ``text`` lacks, in order, each once."""
    code = primary(language)
    if code in _CAPITALISES_NOUNS:
        return []
    present = {bare for word in words(text) for bare in (_bare(word), *_parts(word))}
    names = (name for name in dict.fromkeys(_capitalised(source)) if _bare(name) not in present)
    if code not in _INFLECTS_NAMES:
        return list(names)
    return [name for name in names if not any(_is_form(_bare(name), other) for other in present)]


def _capitalised(text: str) -> list[str]:
    """Words that look like names: capitalised, inside a sentence, and nowhere in lower case."""
    lower = {word for word in words(text) if not word[0].isupper()}
    names: list[str] = []
    for line in text.splitlines():
        spans = list(word_spans(line))
        inside = [line[start:end] for start, end in spans if not _opens(line[:start])]
        long = [word for word in inside if len(word) > 3 and _has_case(word)]
        if _is_uncased(line) or sum(word[0].isupper() for word in long) <= HEADLINE * len(long):
            names += [word for word in inside if word[0].isupper() and len(word) > 1]
    return [name for name in names if name.casefold() not in lower]


def _has_case(word: str) -> bool:
    return word.lower() != word.upper()


def _is_uncased(line: str) -> bool:
    """True if most words of ``line`` are in a script without capitals."""
    found = words(line)
    return 2 * sum(map(_has_case, found)) < len(found)


def _opens(before: str) -> bool:
    """True if a sentence opens after ``before``, the part of a line."""
    before = before.rstrip()
    return (
        not before
        or _OPENING.match(before[-1]) is not None
        or _VERSE.search(before[-_VERSE_LENGTH:]) is not None
    )


def _bare(word: str) -> str:
    """``word`` without capitals and without the ending of the possessive."""
    return re.sub(r"['’]s$", "", word.casefold())


def _parts(word: str) -> list[str]:
    """What apostrophes and hyphens join in ``word``: of "l'Europe" also "europe"."""
    return _JOINTS.split(word.casefold())


def _is_form(name: str, other: str) -> bool:
    """True if ``other`` may be another case of ``name``: only the last letters differ."""
    return Prefix.similarity(name, other) >= max(LEAST_SHARED, len(name) - ENDING)
