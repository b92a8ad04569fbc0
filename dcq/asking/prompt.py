"""A wording that models are asked with: named, versioned, and never changed once released.

Values are put in place of its placeholders in one pass, never formatted, so braces in a dataset's
name or in an option mean nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Prompt:
    """A named, versioned wording. ``wording`` is the part that is the same for all instances, with
    placeholders in braces; a run keeps it."""

    name: str
    version: str
    wording: str
    temperature: float
    max_tokens: int

    @property
    def id(self) -> str:
        """``name/version``, as stored with a run."""
        return f"{self.name}/{self.version}"


def sha256(prompt_text: str) -> str:
    """Hash that proves later that a prompt shown is the prompt that was sent."""
    return hashlib.sha256(prompt_text.encode("utf-8", "surrogatepass")).hexdigest()


def fill(wording: str, values: Mapping[str, str]) -> str:
    """Put values in place of placeholders, in one pass: what a value holds is not looked at."""
    names = "|".join(map(re.escape, values))
    return re.sub(names, lambda match: values[match[0]], wording)
