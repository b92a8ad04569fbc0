"""Results of one method as a table on the screen: the method declares its columns and their help
(``dcq.judging.fields``), and numbers stay numbers, so that a column can be sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dcq.documents import result_tables
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult
from dcq.result_columns import Column, Row
from dcq.ui import glossary

_SHOW_ALL = "judged_table_whole"
# What a small laptop has room for: what was asked, what was found, and how sure that is.
_MAIN = {"Model", "Partition", "Quiz", "Wordings", "Answer", "n", "On unseen text", "q"}
_MAIN_ESTIMATE = {"κ": "κ above controls"}  # one number a finding


def show(results: Sequence[JudgedResult], concluded: Concluded, **options: Any) -> None:
    """A table of results with the columns that fit a small screen, or all of them if the user
    wishes; ``options`` are passed on to Streamlit's table."""
    all_columns = result_tables.columns(results, concluded)
    toggle_key = f"{_SHOW_ALL}_{results[0].evidence.read_by}" if results else _SHOW_ALL
    visible_columns = (
        all_columns if st.session_state.get(toggle_key) else _main_columns(all_columns)
    )
    alt = f"Results: {', '.join(column.heading for column in visible_columns)}."
    # The first two columns say what a row is about.
    show_columns(visible_columns, results, alt=alt, pinned=2, **options)
    st.toggle(f"All {len(all_columns)} columns", key=toggle_key, persist_state="session")


def _main_columns(all_columns: Sequence[Column[Row]]) -> list[Column[Row]]:
    """Of all columns those of the short view: ``_MAIN`` and the estimate."""
    headings = {column.heading for column in all_columns}
    estimate = next(
        (column.heading for column in all_columns if column.key == "" and column.number), ""
    )
    main_headings = _MAIN | {_MAIN_ESTIMATE.get(estimate, estimate)}
    return [column for column in all_columns if column.heading in main_headings & headings]


def show_columns(
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    *,
    alt: str,
    pinned: int,
    widths: Mapping[str, int] | None = None,
    **options: Any,
) -> Any:
    """A table of any ``rows`` by these columns, the first ``pinned`` of which do not scroll, as
    wide as ``widths`` say in pixels, by heading; ``options`` are passed on to Streamlit's table.
    Returns its selection event."""
    return st.dataframe(
        pd.DataFrame(
            {column.heading: [_cell_value(column, row) for row in rows] for column in columns}
        ),
        hide_index=True,
        placeholder="no value",
        column_config={
            column.heading: _column_config(
                column, pinned=place < pinned, width=(widths or {}).get(column.heading)
            )
            for place, column in enumerate(columns)
        },
        alt=alt,
        **options,
    )


def _cell_value(column: Column[Row], row: Row) -> object:
    value = column.value(row)
    if value is None:
        return "" if column.optional and column.number is None else None
    if column.number is None:
        return column.show(value)
    return value * column.number.times  # type: ignore[operator]  # it is a number


def _column_config(column: Column[Row], *, pinned: bool, width: int | None) -> ColumnConfig:
    help_ = glossary.tip(column.term) if column.term else None
    if column.number is None:
        return st.column_config.TextColumn(column.heading, help=help_, pinned=pinned, width=width)
    return st.column_config.NumberColumn(
        column.heading, help=help_, format=column.number.format, width=width
    )
