"""Exhibits as pictures that the browser draws: on slides, in the HTML report, on screens where a
name must have room at any width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from dcq import charts
from dcq.documents.drawings import DESCRIPTIONS, DRAWINGS
from dcq.documents.result_tables import cell_text, is_number
from dcq.documents.ruler_drawings import Data
from dcq.sections import Chart, Example, Exhibit
from dcq.variants.concerns import word_diff
from dcq.variants.tokens import tokens


@dataclass(frozen=True, eq=False)
class Picture:
    """What ``pictures.js`` draws: a ``kind`` that it knows and its ``data``, which JSON can hold.
    ``words`` are the alternative text."""

    kind: str
    data: Mapping[str, Any]
    words: str = ""

    def document(self) -> Data:
        """The picture as JSON for the browser."""
        return {"kind": self.kind, "data": self.data, "words": self.words}


def source(name: str) -> str:
    """The content of a file of ``dcq.documents.drawn``, such as ``pictures.js``."""
    return resources.files("dcq.documents.drawn").joinpath(name).read_text("utf-8")


def picture_of(exhibit: Exhibit) -> Picture | None:
    """The chart of an exhibit as a picture; None where there is no chart, or none that is drawn
    here."""
    chart = exhibit.chart
    return draw(chart) if chart is not None and chart.name in DRAWINGS else None


def draw(chart: Chart) -> Picture:
    """A chart as a picture. Raises KeyError where it is none of ``DRAWINGS``."""
    kind, data = DRAWINGS[chart.name](chart.rows, *chart.arguments)
    return Picture(kind, data, describe(chart))


def alt_of(exhibit: Exhibit) -> str:
    """The alternative text of an exhibit's chart; empty where there is none."""
    return describe(exhibit.chart) if exhibit.chart else ""


def describe(chart: Chart) -> str:
    """The alternative text of a chart."""
    name = f"describe_{chart.name}"
    described = DESCRIPTIONS.get(name) or getattr(charts, name)
    return str(described(chart.rows, *chart.arguments, **chart.described))


def table_of(exhibit: Exhibit) -> Picture:
    """The exhibit's table as a picture that can be read from a distance."""
    table = exhibit.table
    return Picture(
        "table",
        {
            "columns": [str(name) for name in table.columns],
            "rows": [[cell_text(cell) for cell in row] for row in table.itertuples(index=False)],
            "numbers": [is_number(table, name) for name in table.columns],
        },
    )


def item_of(example: Example, *, revealed: bool) -> Picture:
    """A question as a picture: its options, with the words that differ between them marked."""
    texts = [text for _, text in example.options]
    return Picture(
        "item",
        {
            "revealed": revealed,
            "options": [
                {
                    "letter": letter,
                    "parts": list(_parts(text, texts)),
                    "original": letter == example.original,
                    "chosen": letter == example.chosen,
                }
                for letter, text in example.options
            ],
        },
    )


def _parts(text: str, options: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and of each whether another option lacks it."""
    pieces = tokens(text)
    differs = [False] * len(pieces)
    for other in options:
        place = 0
        for segment, kind in word_diff(other, text)[1]:
            length = len(tokens(segment))
            if kind != "same":
                differs[place : place + length] = [True] * length
            place += length
    run, state = "", False
    for piece, new in zip(pieces, differs, strict=True):
        if new != state and run:
            yield run, state
            run = ""
        run, state = run + piece, new
    if run:
        yield run, state


STEPS = Picture(
    "steps",
    {
        "steps": [
            {
                "shape": "original",
                "title": "One instance of the benchmark",
                "text": "as it was published",
            },
            {
                "shape": "reworded",
                "title": "is reworded three times",
                "text": "other words, the same meaning",
            },
            {
                "shape": "question",
                "title": "The model picks the original",
                "text": "one in four by guessing",
            },
            {
                "shape": "compared",
                "title": "and is compared with itself",
                "text": "on text that it cannot have seen",
            },
        ]
    },
)
