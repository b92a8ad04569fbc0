"""Results of one method as a table on the screen: the method declares its columns and their help
(``dcq.judging.fields``), and numbers stay numbers, so that a column can be sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dcq.documents import result_tables
from dcq.judging.study import JudgedResult
from dcq.result_columns import Column, Of
from dcq.ui import glossary

_WHOLE = "judged_table_whole"
# What a small laptop has room for: what was asked, what was found, and how sure that is.
_NEEDED = {"Model", "Partition", "Quiz", "Wordings", "Verdict", "n", "On unseen text", "q"}
_INSTEAD = {"κ": "κ above controls"}  # one number a finding


def show(results: Sequence[JudgedResult], **options: Any) -> None:
    """A table of results with the columns that have room, or all of them if the user wishes;
    ``options`` are passed on to Streamlit's table."""
    every = result_tables.columns(results)
    name = f"{_WHOLE}_{results[0].evidence.read_by}" if results else _WHOLE
    visible_columns = every if st.session_state.get(name) else _needed(every)
    alt = f"Results: {', '.join(column.heading for column in visible_columns)}."
    # The first two columns say what a row is about.
    show_columns(visible_columns, results, alt=alt, pinned=2, **options)
    st.toggle(f"All {len(every)} columns", key=name, persist_state="session")


def _needed(every: Sequence[Column[Of]]) -> list[Column[Of]]:
    """Of all columns those that are needed, the estimate among them."""
    headings = {column.heading for column in every}
    estimate = next((column.heading for column in every if column.key == "" and column.number), "")
    needed_headings = _NEEDED | {_INSTEAD.get(estimate, estimate)}
    return [column for column in every if column.heading in needed_headings & headings]


def show_columns(
    columns: Sequence[Column[Of]], rows: Sequence[Of], *, alt: str, pinned: int, **options: Any
) -> Any:
    """A table of any ``rows`` by these columns, the first ``pinned`` of which stay where they are;
    ``options`` are passed on to Streamlit's table, whose event is returned."""
    return st.dataframe(
        pd.DataFrame({column.heading: [_cell(column, row) for row in rows] for column in columns}),
        hide_index=True,
        placeholder="no value",
        column_config={
            column.heading: _config(column, pinned=place < pinned)
            for place, column in enumerate(columns)
        },
        alt=alt,
        **options,
    )


def _cell(column: Column[Of], row: Of) -> object:
    value = column.value(row)
    if value is None:
        return "" if column.optional and column.number is None else None
    if column.number is None:
        return column.show(value)
    return value * column.number.times  # type: ignore[operator]  # it is a number


def _config(column: Column[Of], *, pinned: bool) -> ColumnConfig:
    help_ = glossary.tip(column.term) if column.term else None
    if column.number is None:
        return st.column_config.TextColumn(column.heading, help=help_, pinned=pinned)
    return st.column_config.NumberColumn(column.heading, help=help_, format=column.number.format)
