"""Models against partitions as a table; a click on a cell opens its evidence."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
import streamlit as st

from dcq import methods
from dcq.judging.judged import Ruling
from dcq.judging.matrix import Cell, Matrix, MatrixRow
from dcq.records import PartitionRole
from dcq.ui import glossary, method_results, page
from dcq.ui.results.filters import LINE
from dcq.words import model_titles, percent, two_decimals

# Read without colour: a flag, an empty circle, a question mark.
MARKS = {Ruling.CONTAMINATED: "⚑", Ruling.NO_EVIDENCE: "○", Ruling.INCONCLUSIVE: "?"}
_SHADES = {
    Ruling.CONTAMINATED: "background-color: rgba(230, 126, 34, 0.30)",
    Ruling.INCONCLUSIVE: "background-color: rgba(241, 196, 15, 0.20)",
}
_PARTITION, _ROLE, _FOUND = "Partition", "Role", "Overlap"
_TALLEST = 420  # pixels


def show(matrix: Matrix, *, run_key: str, runs: Collection[str]) -> None:
    """The table. A click on a cell with a quiz selects its run for the widget ``run_key``, which is
    drawn later, if it is one of ``runs``; a click on a cell with only a replication, or on a share
    found, opens that run on its page."""
    table, titles = tabulate(matrix), titles_of(matrix)
    event = st.dataframe(
        table.style.apply(_shade, axis=None, matrix=matrix),
        hide_index=True,
        # A new key after each choice resets the selection.
        key=f"{run_key}_matrix_{st.session_state.get(run_key)}",
        height=min(LINE * (len(table) + 1) + 3, _TALLEST),
        on_select="rerun",
        selection_mode="single-cell",
        column_config=glossary.columns(
            {
                _FOUND: "Share found",
                **dict.fromkeys(titles_of(matrix).values(), "κ above controls"),
            },
            {
                _PARTITION: st.column_config.TextColumn(_PARTITION, pinned=True),
                _ROLE: st.column_config.TextColumn(_ROLE, width="small"),
                _FOUND: st.column_config.TextColumn(_FOUND, width="small"),
            },
        ),
        alt="κ and verdict of every model on every partition.",
    )
    st.caption(
        f"{MARKS[Ruling.CONTAMINATED]} contaminated · {MARKS[Ruling.NO_EVIDENCE]} no evidence · "
        f"{MARKS[Ruling.INCONCLUSIVE]} undecided by all methods, with κ above controls. Where "
        f"there are none, and on controls, the share of originals found, in per cent. "
        f"{_letters(matrix)}A click on a cell opens its run."
    )
    model_of = {title: model for model, title in titles.items()}
    for number, column in event.selection.cells:
        if number < len(matrix.rows):
            row = matrix.rows[number]
            _open(row, column, model_of.get(column), run_key=run_key, runs=runs)


def titles_of(matrix: Matrix) -> dict[str, str]:
    """The titles of the columns of models."""
    return model_titles(matrix.models)


def _letters(matrix: Matrix) -> str:
    """What the letters of other methods stand for."""
    used = {name for row in matrix.rows for cell in row.cells.values() for name in cell.others}
    named = [
        f"{method.mark}: {method.title.lower()}."
        for method in methods.METHODS
        if method.name in used
    ]
    return "".join(f"{words} " for words in named)


def _open(
    row: MatrixRow, column: str, model: str | None, run_key: str, runs: Collection[str]
) -> None:
    if column == _FOUND and row.overlap is not None:
        page.switch_to("overlap", **method_results.overlap_choices(row.overlap.run))
    cell = row.cells.get(model or "")
    if cell is None:
        return
    if cell.finding is None:
        for result in cell.others.values():
            method_results.open_result(result)
    run = cell.finding.evidence.run if cell.finding else None
    if run in runs and run != st.session_state.get(run_key):
        st.session_state[run_key] = run


def tabulate(matrix: Matrix) -> pd.DataFrame:
    """A row for each partition, a column for each model: mark, κ, and the other methods."""
    return pd.DataFrame(
        [
            {
                _PARTITION: row.place,
                _ROLE: str(row.role),
                _FOUND: _overlap(row),
                **{
                    title: cell_words(row.cells.get(model))
                    for model, title in titles_of(matrix).items()
                },
            }
            for row in matrix.rows
        ]
    )


def cell_words(cell: Cell | None) -> str:
    """A cell as text: ``⚑ 0.62 · R``; empty where nothing was asked."""
    if cell is None:
        return ""
    parts = []
    mark = f"{MARKS[cell.ruling]} " if cell.ruling else ""
    if cell.finding is None and cell.answer is not None:
        parts.append(mark.strip())
    if cell.finding is not None:
        value = _number(cell)
        open_end = "" if cell.finding.evidence.finished else "…"
        parts.append(f"{mark}{value}{open_end}")
    parts += [methods.named(name).mark for name in cell.others]
    return " · ".join(parts)


def _number(cell: Cell) -> str:
    """κ above controls; where there are none, as on a control itself, the share that was found."""
    if cell.kappa is not None:
        return two_decimals(cell.kappa)
    return "–" if cell.share is None else percent(cell.share)


def _overlap(row: MatrixRow) -> str:
    overlap = row.overlap
    share = overlap.estimate.share if overlap else None
    return "" if share is None else percent(share)


def _shade(table: pd.DataFrame, matrix: Matrix) -> pd.DataFrame:
    styles = pd.DataFrame("", index=table.index, columns=table.columns)
    titles = titles_of(matrix)
    for number, row in enumerate(matrix.rows):
        for model, cell in row.cells.items():
            if row.role is not PartitionRole.CONTROL and cell.ruling in _SHADES:
                styles.loc[number, titles[model]] = _SHADES[cell.ruling]
    return styles
