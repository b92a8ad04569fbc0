"""Options that would have no effect beside others: they are refused, never passed over."""

from __future__ import annotations

from collections.abc import Mapping

from dcq.errors import InputError
from dcq.words import listed


def refuse(options: Mapping[str, object], why: str) -> None:
    """Raise InputError where one of the ``options``, by name, was given: neither None nor False
    nor empty. ``why`` they have no effect is the beginning of the sentence."""
    given = [
        name
        for name, value in options.items()
        if value is not None and value is not False and value != [] and value != ""
    ]
    if given:
        raise InputError(f"{why}; leave {listed(given)} out.")
