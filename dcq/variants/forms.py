"""The form of an English word in context: inflection, capitals, and the article before it."""

from __future__ import annotations

import re

_SOUNDS_VOWEL = re.compile(
    r"(?!uni(?!n|m)|us(?:e|u|able)|uti|eu|ewe|one\b|once)[aeiou]|hour|hono|heir|honest"
)


def inflect(lemma: str, tag: str) -> str | None:
    """``lemma`` in the form that the Penn Treebank ``tag`` names; None if it has none."""
    from lemminflect import getInflection  # half a second to load, so not at import

    forms = getInflection(lemma, tag=tag)
    return str(forms[0]) if forms else None


def related(form: str, word: str) -> bool:
    """True for "finish" and "finishing": the same word in another form."""
    return form.startswith(word[:-1]) or word.startswith(form[:-1])


def case_like(model: str, word: str) -> str:
    """``word`` with the capitals of ``model``."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[0].isupper() else word


def article(written: str, word: str) -> str:
    """ "a" or "an", whichever ``word`` needs, with the capital of ``written``."""
    vowel = _SOUNDS_VOWEL.match(word.lower()) is not None
    return written[0] + ("n" if vowel else "")
