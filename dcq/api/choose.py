"""From a word that a person wrote to what it stands for."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from dcq.errors import InputError

Choice = TypeVar("Choice", bound=StrEnum)


def choose(choices: type[Choice], word: Choice | str) -> Choice:
    """The choice that a word names."""
    try:
        return choices(word)
    except ValueError:
        known = ", ".join(choices)
        raise InputError(
            f"There is no {choices.__name__.lower()} {word!r}; choose from {known}."
        ) from None
