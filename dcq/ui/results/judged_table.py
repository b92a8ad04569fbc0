"""Results of one method as a table on the screen: its columns with their help are the method's
(``dcq.judging.fields``), and numbers stay numbers, so that a column can be sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dcq.documents import method_table
from dcq.judging.fields import Shown
from dcq.judging.study import JudgedResult
from dcq.ui import glossary


def show(found: Sequence[JudgedResult], **given: Any) -> None:
    """``given`` is passed on to Streamlit's table."""
    shown = method_table.columns(found)
    st.dataframe(
        pd.DataFrame({one.heading: [_cell(one, row) for row in found] for one in shown}),
        hide_index=True,
        placeholder="no value",
        column_config={one.heading: _config(one, place) for place, one in enumerate(shown)},
        alt=f"Results: {', '.join(one.heading for one in shown)}.",
        **given,
    )


def _cell(column: Shown, one: JudgedResult) -> object:
    value = column.value(one)
    if value is None:
        return "" if column.optional and column.number is None else None
    if column.number is None:
        return column.show(value)
    return value * column.number.times  # type: ignore[operator]  # it is a number


def _config(column: Shown, place: int) -> ColumnConfig:
    """The first two columns, which say what a row is about, stay where they are."""
    help_ = glossary.tip(column.term) if column.term else None
    if column.number is None:
        return st.column_config.TextColumn(column.heading, help=help_, pinned=place < 2)
    return st.column_config.NumberColumn(column.heading, help=help_, format=column.number.format)
