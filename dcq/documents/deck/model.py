"""What a document is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import pandas as pd
import plotly.graph_objects as go


class Part(StrEnum):
    """What a section is about, in the order in which sections come."""

    QUESTION = "question"
    METHOD = "method"
    VERDICT = "verdict"
    OPTIONS = "options"
    ABLATION = "ablation"
    KAPPA = "kappa"
    REPLICATION = "replication"
    OTHERS = "others"  # methods without a section of their own, one each
    OVERLAP = "overlap"
    COMPARISONS = "comparisons"
    LIMITS = "limits"


@dataclass(frozen=True)
class Example:
    """One real question. ``options`` are its letters and texts in the order shown, ``original`` is
    the letter of the original and ``chosen`` what the ``model`` chose. ``hidden``: a hash stands in
    the place of each text."""

    model: str
    instruction: str
    options: tuple[tuple[str, str], ...]
    original: str
    chosen: str
    hidden: bool
    caption: tuple[str, ...]

    @property
    def answer(self) -> str:
        """Which one is the original, and what the model chose; to be told after the options."""
        return f"The original is {self.original}; {self.model} chose {self.chosen}."


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A ``table`` of texts and whole numbers, a ``figure`` with its ``alt`` text, or both; the
    lines of ``caption`` say which runs they are from."""

    title: str
    caption: tuple[str, ...]
    table: pd.DataFrame
    figure: go.Figure | None = None
    alt: str = ""


@dataclass(frozen=True, eq=False)
class Section:
    """``sentences`` are plain text that can be read aloud; ``example`` is the method's only."""

    part: Part
    title: str
    sentences: tuple[str, ...]
    exhibits: tuple[Exhibit, ...] = ()
    example: Example | None = None


@dataclass(frozen=True, eq=False)
class Deck:
    """``data`` holds the numbers behind the sections, ready for JSON: ``results``,
    ``replications``, ``others``, ``overlaps`` and ``comparisons``, one object each. ``made_at`` is
    UTC."""

    title: str
    subtitle: str
    made_at: datetime
    sections: tuple[Section, ...]
    data: Mapping[str, list[dict[str, Any]]]
