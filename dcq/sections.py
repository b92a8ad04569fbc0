"""What people read of results, as records: sentences, tables, and charts by their names. Slides,
HTML, PDF, Markdown and LaTeX are made of them (``dcq.documents``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart, which is drawn where it is looked at: the ``name`` of its function in
    ``dcq.documents.drawings.DRAWINGS``, the ``rows`` that this takes, and what else it is
    ``given``. The function ``describe_NAME``, there or in ``dcq.charts``, puts the same into
    words; ``described`` is given to that one alone."""

    name: str
    rows: pd.DataFrame
    given: tuple[Any, ...] = ()
    described: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A ``table`` of texts and whole numbers, with a ``chart`` or without; the lines of ``caption``
    say which runs they are from."""

    title: str
    caption: tuple[str, ...]
    table: pd.DataFrame
    chart: Chart | None = None


@dataclass(frozen=True)
class Example:
    """One real question. ``options`` are its letters and texts in the order shown, ``original`` is
    the letter of the original and ``chosen`` what the ``model`` chose; ``share`` says of how many
    that is so (``102 of 210``). ``hidden``: a hash stands in the place of each text."""

    model: str
    instruction: str
    options: tuple[tuple[str, str], ...]
    original: str
    chosen: str
    hidden: bool
    share: str
    caption: tuple[str, ...]

    @property
    def answer(self) -> str:
        """Which one is the original, and what the model chose; to be told after the options."""
        return f"The original is {self.original}; {self.model} chose {self.chosen}."


@dataclass(frozen=True, eq=False)
class Section:
    """``part`` is what it is about (``dcq.documents.deck.model.Part``). ``sentences`` are plain
    text that can be read aloud; ``example`` is the method's only. ``link`` leads to the finding, as
    an address behind that of the app; empty where no finding is one's own."""

    part: str
    title: str
    sentences: tuple[str, ...]
    exhibits: tuple[Exhibit, ...] = ()
    example: Example | None = None
    link: str = ""
