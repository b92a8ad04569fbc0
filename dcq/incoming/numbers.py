"""A number in a cell of a table, or in a text of JSON.

``float`` takes more than people and programs write for a number: ``nan``, ``inf``, ``1_0``, digits
of all scripts, and ``1e400``, which is infinite. None of these is a score.
"""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_LONGEST = 400  # signs


def read_number(text: str) -> float | None:
    """The finite number that a text is, with spaces around it or not; None for any other text."""
    plain = text.strip(" \t")
    if len(plain) > _LONGEST or not _NUMBER.fullmatch(plain):
        return None
    number = float(plain)
    return number if math.isfinite(number) else None
