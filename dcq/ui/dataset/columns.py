"""What a quiz shows of a row: a text column and optionally a label, or a custom template."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.ui.text import plain

COLUMNS, TEMPLATE = "Columns", "Own template"
_LIKELY = ("text", "sentence", "question", "content", "review", "document")


def choose(columns: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """The text column, the label column and the template; None for what was not chosen."""
    how = st.segmented_control(
        "What a quiz shows of a row",
        [COLUMNS, TEMPLATE],
        default=COLUMNS,
        required=True,
        key="dataset_how",
    )
    known = "_".join(columns)  # part of the keys: other columns get new widgets
    if how == TEMPLATE:
        template = st.text_area(
            "Template",
            "\n".join(f"{name}: {{{name}}}" for name in columns[:3]),
            key=f"dataset_template_{known}",
            help="A column's name in braces is replaced by its value. {{ and }} are plain braces.",
        )
        st.caption(plain(f"Columns: {', '.join(columns)}"))
        return None, None, template or ""
    left, right = st.columns(2)
    text = left.selectbox(
        "Column of the text",
        columns,
        index=next((columns.index(name) for name in _LIKELY if name in columns), 0),
        key=f"dataset_text_{known}",
    )
    label = right.selectbox(
        "Column of the label",
        [name for name in columns if name != text],
        index=None,
        placeholder="none",
        key=f"dataset_label_{known}",
        help="The label is shown on its own line, and no rewording may change it.",
    )
    return text, label, None
