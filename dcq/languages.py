"""Codes of languages, and the language that a script suggests.

Which codes there are, and the script that a language is usually written in, are langcodes' (the
registry of BCP 47 and the likely subtags of CLDR).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from dcq.errors import InputError
from dcq.scripts import NAMES, main_script

LONGEST = 35  # characters of a code, as BCP 47 advises
_CODE = re.compile(rf"(?=.{{,{LONGEST}}}$)[A-Za-z]{{2,3}}(?:[-_][A-Za-z0-9]+)*")
# Scripts in which a language is written whose usual one is the first.
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "Jpan": ("Jpan", "Hani"),
    "Hans": ("Hani",),
    "Hant": ("Hani",),
    "Kore": ("Hang", "Hani"),
}
# The letters that a language has beyond those of the commonest one of its script; of several that
# explain as many, the first is taken.
_LETTERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Cyrl": (
        ("uk", "іїєґ"),
        ("be", "іў"),
        ("sr", "ђјљњћџ"),
        ("mk", "ѓќѕјљњџ"),
        ("mn", "өү"),
        ("ky", "ңөү"),
        ("kk", "әғқңөұүһі"),
        ("tt", "әөүҗңһ"),
        ("uz", "ўқғҳ"),
        ("tg", "ғӣқӯҳҷ"),
    ),
    "Arab": (("fa", "پچژگکی"), ("ur", "پچژگکیٹڈڑںےھہ")),
}
_FEW = 0.02  # share of such letters below which they are those of foreign names


@dataclass(frozen=True)
class Guess:
    """A language that a text may be in, ``code``, by the ``script`` of most of its letters."""

    code: str
    script: str

    @property
    def reason(self) -> str:
        """Why the language was guessed, as the first half of a sentence."""
        return (
            f"Most letters of the texts are {self.script}, so their language was taken as "
            f"{self.code}"
        )


def primary(code: str) -> str:
    """The language of a code without script and region: ``pt`` of ``pt-BR`` or ``PT_br``."""
    return code.strip().replace("_", "-").split("-")[0].lower()


def read_code(code: str) -> str:
    """``code`` as BCP 47 writes it: ``pt-BR`` of ``PT_br``. Raises InputError if it is no code of a
    language."""
    from langcodes import standardize_tag, tag_is_valid  # here, because most that judges needs none
    from langcodes.tag_parser import LanguageTagError

    plain = code.strip()
    if _CODE.fullmatch(plain):
        try:
            if tag_is_valid(plain):
                return standardize_tag(plain)
        except LanguageTagError:
            pass
    raise InputError(
        f"{plain[:LONGEST]!r} is no code of a language; write one of BCP 47, such as en, kk, ja, "
        "pt-BR or zh-Hant."
    )


def guess(text: str) -> Guess | None:
    """The language that the script of ``text`` suggests; None where that is Latin, which tells
    nothing, an unknown script, or where there are no letters."""
    script = main_script(text)
    if script == "Latn" or script not in NAMES:
        return None
    counts = Counter(text.lower())
    candidates = _LETTERS.get(script, ())
    beyond = {letter for _, letters in candidates for letter in letters}
    letters_in_all = sum(number for sign, number in counts.items() if sign.isalpha())
    if candidates and sum(counts[letter] for letter in beyond) > _FEW * letters_in_all:
        code, _ = max(
            candidates, key=lambda candidate: sum(counts[letter] for letter in candidate[1])
        )
    else:
        from langcodes import Language  # as above

        code = Language.make(script=script).maximize().language or ""
    return Guess(code, NAMES[script])


def fits(language: str, text: str) -> bool:
    """Whether ``text`` is in a script in which ``language`` is usually written; True for a text
    without letters."""
    script = main_script(text)
    return not script or script in _scripts_of(language)


def fitting(language: str, text: str) -> str:
    """The language whose signs ``text`` uses, for example at the ends of sentences: ``language``
    where it fits the script, else the guessed one, and English for Latin letters."""
    if fits(language, text):
        return language
    guessed = guess(text)
    return guessed.code if guessed else "en"


@lru_cache(maxsize=256)
def _scripts_of(language: str) -> tuple[str, ...]:
    from langcodes import Language  # as above
    from langcodes.tag_parser import LanguageTagError

    try:
        usual = Language.get(language.strip()).maximize().script or ""
    except LanguageTagError:
        return ()
    return _WRITTEN.get(usual, (usual,))
