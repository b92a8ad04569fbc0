"""The member of an enumeration that a person's word names."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from dcq.errors import InputError

Choice = TypeVar("Choice", bound=StrEnum)


def choose(choices: type[Choice], word: Choice | str, what: str) -> Choice:
    """The member of ``choices`` that a word names; ``what`` names the kind of choice in the error
    message."""
    try:
        return choices(word)
    except ValueError:
        names = ", ".join(choices)
        raise InputError(f"There is no {what} {word!r}; choose from {names}.") from None
