"""One rule for names: of models, datasets, splits, studies, sets of variants and people.

A name goes into prompts, tables, addresses, commands and files, and two names that differ must look
different. So a name is one line of signs that can be seen, of a length that a table has room for,
and no letter of it passes for one of another script. Names in any one script are fine, and so are
several scripts side by side. The rule holds where a name comes in; a store may hold others, from
before it. They are kept as they are, and ``shown`` writes what nobody would see.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import regex

from dcq.errors import InputError
from dcq.words import counted, visible

LONGEST = 200  # characters
LONGEST_MODEL = 500  # with its address, or a path
LONGEST_PERSON = 120
_MOST_QUOTED = 40

_LOOKALIKES = {
    "Cyrillic": "АВЕЅІЈКМНОРСТУХҮҺӀԌԚԜаеорсухѕіјһӏԁԛԝү",
    "Greek": "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲϳϹͿ",
    "Armenian": "օոսհցզԼՍՕ",
}
_SCRIPTS = ("Latin", *_LOOKALIKES, "Cherokee", "Coptic", "Lisu")
_ALIKE = "".join(_LOOKALIKES.values())
_LETTERS = {script: regex.compile(rf"\p{{Script={script}}}", regex.V1) for script in _SCRIPTS}
_WORD = regex.compile(r"[\p{L}\p{M}]+", regex.V1)

_UNSEEN = r"[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]"
_APART = "".join(rf"\p{{Script={script}}}" for script in _SCRIPTS)
_JOINED = rf"[[\p{{L}}\p{{M}}]--[{_APART}]]"
_PICTURE = r"\p{Extended_Pictographic}"
# Unseen signs that scripts and pictures need where they stand: joiners within a word of a script
# that joins its letters, the form of a Chinese or Mongolian sign, and what makes up an emoji.
_NEEDED = "|".join(
    (
        rf"(?<={_JOINED})[\u200c\u200d](?={_JOINED})",
        rf"(?<=[{_PICTURE}\ufe0f\U0001f3fb-\U0001f3ff])\u200d(?={_PICTURE})",
        rf"(?<=[{_PICTURE}])[\ufe0e\ufe0f]",
        r"(?<=\p{Script=Han})[\ufe00-\ufe0f\U000e0100-\U000e01ef]",
        r"(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]",
    )
)
_REFUSED = regex.compile(rf"(?!{_NEEDED}){_UNSEEN}", regex.V1)
# In texts, where line ends, tabs and spaces of all kinds are spaces.
_INVISIBLE = regex.compile(
    r"[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\s\x1c-\x1f]]", regex.V1
)
_PATH = regex.compile(r"(?i:likelihood:)\s*(?:/|~|\.{1,2}/|[A-Za-z]:\\)")
_ADDRESS = regex.compile(r"@\w+://[^/]*")
_SPACE = regex.compile(r"\p{Zs}", regex.V1)


def read_name(text: str, what: str, most: int = LONGEST) -> str:
    """``text`` without the spaces around it and with plain spaces inside, if that can name a
    ``what``, such as "dataset". Raises InputError with the reason if it cannot."""
    name = str(_SPACE.sub(" ", text)).strip(" ")
    check_name(name, what, most)
    return name


def check_name(name: str, what: str, most: int = LONGEST) -> None:
    """Raise InputError for what cannot name a ``what``."""
    check_line(name, what, most)
    if not name.isascii() and (reason := _mixed(name)):
        raise InputError(f"Name the {what} {reason}.")


def check_line(name: str, what: str, most: int = LONGEST) -> None:
    """``check_name`` without the rule on scripts."""
    if not name:
        raise InputError(f"Name the {what}, in at most {most} characters.")
    if len(name) > most:
        raise InputError(
            f"Name the {what}, in at most {most} characters; this name has {len(name):,}."
        )
    if match := _REFUSED.search(name):
        raise InputError(
            f"Name the {what} without the sign after {counted(match.start(), 'character')}, "
            f"U+{ord(match[0]):04X}: it cannot be seen, or ends the line."
        )


def check_model(name: str) -> None:
    """Raise InputError for what cannot name a model: the rule on scripts leaves out the path of a
    file or folder of this machine."""
    check = check_line if _PATH.match(name) else check_name
    check(name, "model", LONGEST_MODEL)


def readable(text: str) -> str:
    """``text`` without what no name may have, for names that nobody here can correct, such as those
    that a sign-in gives."""
    return str(_REFUSED.sub("", _SPACE.sub(" ", text)))


def as_seen(text: str) -> str:
    """A form of a text that is equal for texts that a reader cannot tell apart: one code for each
    character, no sign that cannot be seen, and single spaces."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    seen = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)))
    return " ".join(unicodedata.normalize("NFKC", seen).replace("\u2800", " ").split())


def is_unicode(text: str) -> bool:
    """Whether ``text`` can be written: it has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def with_plain_address(model: str) -> str:
    """A model's name with the scheme and the host of its address in small letters: they may be
    written in any, and name the same server."""
    return str(_ADDRESS.sub(lambda match: match[0].lower(), model, count=1))


def is_meant(given: str | None, names: Iterable[str]) -> bool:
    """Whether a person means something that has these ``names``, by one of them as it is stored or
    as it is shown; True for None, by which everything is meant."""
    return given is None or any(_is_alike(given, name) for name in names)


def find(given: str, names: Iterable[str]) -> str:
    """The one of ``names`` that a person means; ``given`` where it is none of them."""
    candidates = list(names)
    if given in candidates:
        return given
    return next((name for name in candidates if _is_alike(given, name)), given)


def _is_alike(given: str, name: str) -> bool:
    return given in (name, visible(name)) or (
        "@" in given and with_plain_address(given) == with_plain_address(name)
    )


def _mixed(name: str) -> str:
    """How to name it instead and why, as the end of a sentence, where a letter of ``name`` could
    pass for another one; empty if none could."""
    styled = next((s for s in name if unicodedata.decomposition(s).startswith("<font>")), "")
    if styled:
        return f"in plain letters; {styled} is a sign of mathematics"
    for word in _WORD.findall(name):
        scripts = [script for script, letters in _LETTERS.items() if letters.search(word)]
        # Sciences put Greek letters before Latin ones, as in αNLI; most look like no other.
        if len(scripts) > 1 and (
            set(scripts) != {"Latin", "Greek"} or not set(_ALIKE).isdisjoint(word)
        ):
            return (
                f"in letters of one script a word; “{word[:_MOST_QUOTED]}” mixes "
                f"{' and '.join(scripts)}, and some look alike"
            )
    for script, letters in _LOOKALIKES.items():
        found = _LETTERS[script].findall(name)
        if found and set(found) <= set(letters) and _LETTERS["Latin"].search(name):
            return f"in other letters; “{found[0]}” is {script} and looks like a Latin one"
    return ""
