"""The contents of documents as records: sentences, tables, and charts by their names.

Slides, HTML, PDF, Markdown and LaTeX are made from them (``dcq.documents``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart that is drawn where it is looked at: the ``name`` of its function in
    ``dcq.documents.drawings.DRAWINGS``, the ``rows`` that this takes, and its further
    ``arguments``. The function ``describe_NAME``, there or in ``dcq.charts``, gives the alternative
    text and takes ``described`` besides."""

    name: str
    rows: pd.DataFrame
    arguments: tuple[Any, ...] = ()
    described: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A ``table`` of texts and whole numbers, with a ``chart`` or without; the lines of ``caption``
    say which runs they are from, and ``sentences`` what it shows, the first as on a slide."""

    title: str
    caption: tuple[str, ...]
    table: pd.DataFrame
    chart: Chart | None = None
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """One real question.

    ``options`` are its letters and texts in the order shown, ``original`` is the letter of the
    original and ``chosen`` the letter that the ``model`` chose; ``share`` says how often it picks
    the original (``102 of 210``). ``hidden``: each text is replaced by a hash.
    """

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
        """Which option is the original, and what the model chose; shown after the options."""
        return f"The original is {self.original}; {self.model} chose {self.chosen}."


@dataclass(frozen=True, eq=False)
class Section:
    """One section of a document. ``part`` is the part that it belongs to
    (``dcq.documents.deck.model.Part``). ``sentences`` are plain text that can be read aloud; only
    the section on the method has an ``example``. ``link`` leads to the finding, as an address
    behind that of the app; it is empty where no finding is the section's own."""

    part: str
    title: str
    sentences: tuple[str, ...]
    exhibits: tuple[Exhibit, ...] = ()
    example: Example | None = None
    link: str = ""
