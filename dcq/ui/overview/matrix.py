"""The matrix on the page: each cell a link to its case, with its conclusion as colour, mark and
words; on a small screen a list, the worst first.

Streamlit's own table has neither cells that are read aloud nor heads over narrow columns, and a
chart of plotly takes no key, so the browser draws it from data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dcq.charts.matrix import Shade
from dcq.documents.matrix import (
    MEANINGS,
    NUMBER,
    figure_words,
    model_names,
    place_names,
    sentence_of,
)
from dcq.judging.answer import Pair, pair_id
from dcq.judging.matrix import Cell, Matrix, MatrixRow, family_of
from dcq.records import PartitionRole
from dcq.words import percent

_NONE = "Not asked"


@cache
def _component() -> Any:
    folder = resources.files("dcq.ui.overview")
    return st.components.v2.component(
        "dcq_matrix",
        js=folder.joinpath("matrix.js").read_text("utf-8"),
        css=folder.joinpath("matrix.css").read_text("utf-8"),
        isolate_styles=False,  # every rule is of a class of ours
    )


Address = tuple[str, Mapping[str, str]]  # a page, and the parameters that lead to something there


def show(
    matrix: Matrix,
    *,
    key: str,
    address: Callable[[Cell], Address],
    besides: Mapping[Pair, str],
    pinned: frozenset[str] = frozenset(),
    by_family: bool = False,
) -> Address | None:
    """Draw it, and return the ``address`` of the cell that was just opened, if one was. ``besides``
    says of pairs in which other study they are, too."""
    cells = {pair_id(model, row.partition): cell for model, row, cell in matrix.cells}
    opened = _component()(
        key=key,
        data=document(matrix, address, besides, pinned, by_family=by_family),
        on_opened_change=lambda: None,
    ).opened
    return address(cells[opened]) if isinstance(opened, str) and opened in cells else None


def document(
    matrix: Matrix,
    address: Callable[[Cell], Address],
    besides: Mapping[Pair, str],
    pinned: frozenset[str] = frozenset(),
    *,
    by_family: bool = False,
) -> dict[str, Any]:
    """What the browser draws; all of it is text."""
    names, places = model_names(matrix), place_names(matrix)

    def draw(model: str, row: MatrixRow) -> dict[str, Any] | None:
        cell = row.cells.get(model)
        if cell is None:
            return None
        beside = besides.get((model, row.partition), "")
        page, choices = address(cell)
        return {
            "id": pair_id(model, row.partition),
            "href": f"{page}?{urlencode(choices)}",
            "words": " ".join(filter(None, (sentence_of(row, cell), beside))),
            "look": _look(cell),
            "sign": cell.ruling.mark if cell.ruling else "",
            "figure": figure_words(cell),
            **({"two": True} if beside else {}),
        }

    families = [family_of(model) if by_family else "" for model in matrix.models]
    place_of = {row.partition: i for i, row in enumerate(matrix.rows)}
    line_of = {model: i for i, model in enumerate(matrix.models)}
    return {
        "label": "Conclusions on every model and benchmark",
        "none": _NONE,
        "columns": [
            {
                "name": places[row.partition],
                "title": _column_words(row, places[row.partition]),
                "look": _head(row.partition, pinned, control=_is_control(row)),
            }
            for row in matrix.rows
        ],
        "rows": [
            {
                "name": names[model],
                "title": names[model],
                "look": _head(model, pinned),
                "family": families[i] if i == 0 or families[i] != families[i - 1] else "",
                "cells": [draw(model, row) for row in matrix.rows],
            }
            for i, model in enumerate(matrix.models)
        ],
        "order": [[line_of[model], place_of[row.partition]] for model, row, _ in matrix.cells],
        "legend": list(_legend(matrix, besides)),
    }


def _look(cell: Cell) -> str:
    shade = Shade(cell.ruling.word) if cell.ruling else Shade.CONTROL
    return shade.value.replace(" ", "-")


def _is_control(row: MatrixRow) -> bool:
    return row.role is PartitionRole.CONTROL


def _head(key: str, pinned: frozenset[str], *, control: bool = False) -> str:
    return " ".join(filter(None, ("pinned" if key in pinned else "", "is-control" * control)))


def _column_words(row: MatrixRow, name: str) -> str:
    found = row.overlap.estimate.share if row.overlap else None
    parts = [name]
    if row.role is not PartitionRole.TARGET:
        parts.append("control" if _is_control(row) else "surely seen")
    if found is not None:
        parts.append(f"{percent(found)} of the instances were found on the web or in a corpus")
    return "; ".join(parts)


def _legend(matrix: Matrix, besides: Mapping[Pair, str]) -> list[dict[str, str]]:
    used = {cell.ruling for _, _, cell in matrix.cells}
    entries = [
        {"sign": ruling.mark, "look": Shade(ruling.word).value.replace(" ", "-"), "words": words}
        for ruling, words in MEANINGS.items()
        if ruling in used
    ]
    if any(model not in row.cells for row in matrix.rows for model in matrix.models):
        entries.append({"sign": "–", "look": "", "words": _NONE.lower()})
    if any((model, row.partition) in besides for model, row, _ in matrix.cells):
        entries.append({"sign": "", "look": "two", "words": "also in another study"})
    entries.append({"sign": "", "look": "", "words": NUMBER})
    if any(cell.ruling is None for _, _, cell in matrix.cells):
        entries.append(
            {"sign": "", "look": "", "words": "Per cent without a mark: the share found."}
        )
    return entries
