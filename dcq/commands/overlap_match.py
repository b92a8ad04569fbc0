"""Pairs of a query and a text, scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dcq.commands.output import AsJson, emit, table
from dcq.errors import InputError
from dcq.overlap.match import WindowMatch, match_text
from dcq.overlap.meteor import find_preset

PAPER = "paper"
Preset = Annotated[
    str | None,
    typer.Option(
        help="paper, or release for the settings of the authors' code.", show_default=PAPER
    ),
]
Gamma = Annotated[
    float | None, typer.Option(help="Order penalty, 0 to 1; by default the preset's.")
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="From which score on a query is found, above 0 and at most 1; by default the preset's."
    ),
]
Window = Annotated[
    float | None,
    typer.Option(help="Longest window in lengths of the query; by default the preset's."),
]


def match(
    file: Annotated[Path, typer.Argument(help="A jsonl file of lines with query and text.")],
    preset: Preset = None,
    gamma: Gamma = None,
    window: Window = None,
    as_json: AsJson = False,
) -> None:
    """Score texts by how much of a query they have, in order, with METEOR."""
    settings = find_preset(preset or PAPER)
    if gamma is not None:
        settings = replace(settings, gamma=gamma)
    if window is not None:
        settings = replace(settings, window=window)
    rows = _read(file)
    matches = [match_text(row["query"], row["text"], settings) for row in rows]
    document = [
        {"score": window_match.score, "span": window_match.span} for window_match in matches
    ]
    table_rows = [
        [number, f"{window_match.score:.3f}", _passage(row["text"], window_match)]
        for number, (row, window_match) in enumerate(zip(rows, matches, strict=True), start=1)
    ]
    emit(document, as_json, table(["pair#", "score#", "best passage"], table_rows))


def _read(file: Path) -> Sequence[Mapping[str, Any]]:
    from dcq.partitions.files import read_file  # here, because it imports what reads parquet

    rows = read_file(file).rows
    for number, row in enumerate(rows, start=1):
        for name in ("query", "text"):
            if not isinstance(row.get(name), str):
                raise InputError(f'{file.name} has no text "{name}" in row {number}; add one.')
    return rows


def _passage(text: str, window_match: WindowMatch) -> str | None:
    return " ".join(text[slice(*window_match.span)].split()) if window_match.span else None
