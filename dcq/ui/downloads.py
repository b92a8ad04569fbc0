"""Downloads of tables and charts; each file is made when its button is pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.quiz.results import Result
from dcq.report import export
from dcq.ui import names

_TABLES = {".csv": "text/csv", ".parquet": "application/vnd.apache.parquet"}


def offer_table(
    label: str,
    stem: str,
    make: Callable[[], pd.DataFrame],
    *,
    key: str,
    suffixes: Sequence[str] = tuple(_TABLES),
) -> None:
    """Buttons for a table as csv and parquet, named ``stem``."""
    for suffix in suffixes:

        def content(suffix: str = suffix) -> bytes:
            return export.to_bytes(make(), suffix)

        st.download_button(
            f"{label} · {suffix[1:]}",
            content,
            f"{stem}{suffix}",
            _TABLES[suffix],
            key=f"{key}{suffix}",
            on_click="ignore",
            icon=":material/table:",
            width="stretch",
        )


def offer_chart(stem: str, figure: go.Figure, *, key: str, about: Sequence[Result]) -> None:
    """Buttons for a chart as SVG and PNG, named ``stem``; the runs it is ``about`` are listed below
    it."""
    offer_picture(stem, figure, lambda: names.caption_lines(about), key=key)


def offer_picture(
    stem: str, figure: go.Figure, caption: Callable[[], Sequence[str]], *, key: str
) -> None:
    """As ``offer_chart``, with the lines of ``caption`` below it."""
    for suffix, mime in (("svg", "image/svg+xml"), ("png", "image/png")):

        def content(suffix: str = suffix) -> bytes:
            file_format: Literal["svg", "png"] = "svg" if suffix == "svg" else "png"
            return charts.to_image(figure, file_format, caption=caption())

        st.download_button(
            f"Chart · {suffix}",
            content,
            f"{stem}.{suffix}",
            mime,
            key=f"{key}_{suffix}",
            on_click="ignore",
            icon=":material/image:",
            width="stretch",
        )
