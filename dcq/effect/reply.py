"""What a reply to a question of a benchmark answers. The rules for choices are ours; a short answer
is compared as the exported task of lm-evaluation-harness compares it.

A reply may have millions of arbitrary characters: every step takes linear time.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence

_ENDS = string.whitespace + "\u200b\ufeff.,;:!?\"'`*_“”‘’„«»「」『』、。؟"
_BRACKETS = "()[]{}<>"
_NAMED = re.compile(r"(\d+) \((.+)\)", re.DOTALL)
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def read_choice(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a text is: to the letter; but for case, white space, forms of the same
    characters (NFKC) and punctuation at its ends; or by its name or number, "negative" or "0" for
    "0 (negative)"; any of these in brackets. None where it is none of them, or the first of these
    rules that fits any fits several."""
    own, bare = _same_form(text), _without_brackets(text)
    rules: tuple[tuple[str, Callable[[str], str]], ...] = (
        (text.strip(), str),
        (_plain(text), _plain),
        (own, _same_form),
        (own, _name),
        (bare, _without_brackets),
        (bare, _name),
        (bare, _number),
    )
    for wanted, form in rules:
        fitting = [choice for choice in choices if wanted and form(choice) == wanted]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


def _plain(text: str) -> str:
    text = " ".join(text.casefold().split()).rstrip(_ENDS)
    start = text.lstrip(_ENDS)
    before = text[: -len(start)] if start else ""
    is_fraction = start.isdecimal() and before.endswith(".") and not before.endswith("..")
    return f".{start}" if is_fraction else start


def _same_form(text: str) -> str:
    return _plain(unicodedata.normalize("NFKC", text))


def _without_brackets(text: str) -> str:
    """A fraction keeps its point: [.5] is no 5."""
    return _plain(_same_form(text).strip(_BRACKETS))


def _name(choice: str) -> str:
    named = _NAMED.fullmatch(choice.strip())
    return _same_form(named[2]) if named else ""


def _number(choice: str) -> str:
    named = _NAMED.fullmatch(choice.strip())
    return named[1] if named else ""


def first_line(text: str) -> str:
    """The short answer in a text: nothing that follows on later lines."""
    return text.strip().partition("\n")[0].strip()


def is_same(given: str, answer: str) -> bool:
    """Whether a short answer is the right one, case, white space and ASCII punctuation ignored, as
    in the exported task; so 35 is 3.5 there too. An answer that is only punctuation is compared as
    it is."""
    right = _bare(answer)
    return _bare(given) == right if right else given.strip() == answer.strip()


def _bare(text: str) -> str:
    return " ".join(text.lower().translate(_PUNCTUATION).split())
