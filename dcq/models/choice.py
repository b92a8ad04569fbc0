"""Which choice of a completion is read where it has several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def first_choice(document: object) -> Any:
    """The choice with index 0, which servers may list after others; the first of the list where
    none has that index, and None where there is no choice. It is untrusted, of any type."""
    choices = document.get("choices") if isinstance(document, Mapping) else None
    if not isinstance(choices, list) or not choices:
        return None
    numbered = (c for c in choices if isinstance(c, dict) and c.get("index") == 0)
    return next(numbered, choices[0])
