"""A figure of several groups with its intervals, one line each: κ of sets of variants, of labels,
of lengths; the estimates of any method.

Intervals as thin bars on marks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import (
    CHANCE_LINE,
    INK,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    new_figure,
    plain,
)
from dcq.words import kappa_words

LINE = 40  # pixels


def kappa_intervals(rows: pd.DataFrame) -> go.Figure:
    """A mark with whiskers per row of ``rows``, in its order; the line at 0 is guessing.

    Columns are ``name``, ``kappa``, ``low``, ``high``, ``n`` and ``whole`` (all groups together,
    drawn in grey). A row without κ keeps its line and its n. A mark's ``customdata`` is ``[name,
    n]``.
    """
    figure = new_figure(height=LINE * max(len(rows), 1) + 70)
    for is_control, colour in ((False, ORIGINAL), (True, VARIANT)):
        chosen = [
            (place, row)
            for place, row in enumerate(rows.to_dict("records"))
            if bool(row["whole"]) is is_control and pd.notna(row["kappa"])
        ]
        figure.add_trace(
            go.Scatter(
                x=[row["kappa"] for _, row in chosen],
                y=[place for place, _ in chosen],
                mode="markers",
                marker={
                    "color": colour,
                    "size": 11,
                    "symbol": "diamond" if is_control else "circle",
                },
                error_x={
                    "array": [row["high"] - row["kappa"] for _, row in chosen],
                    "arrayminus": [row["kappa"] - row["low"] for _, row in chosen],
                    "color": colour,
                    "thickness": 2,
                    "width": 0,
                },
                customdata=[[row["name"], row["n"]] for _, row in chosen],
                text=[_numbers(row) for _, row in chosen],
                hovertemplate="κ %{text}, n %{customdata[1]:,}<extra></extra>",
                showlegend=False,
            )
        )
    for place, row in enumerate(rows.to_dict("records")):
        figure.add_annotation(
            x=1,
            xref="paper",
            y=place,
            text=f"{_numbers(row)}  n {row['n']:,}",
            showarrow=False,
            xanchor="left",
            xshift=8,
            font_size=SMALL_SIZE,
        )
    figure.add_vline(x=0, line=CHANCE_LINE)
    figure.update_xaxes(range=[-0.4, 1.05], tickvals=[0, 0.5, 1], tickfont=TICKS, fixedrange=True)
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        tickvals=list(range(len(rows))),
        ticktext=[plain(str(name), 40) for name in rows["name"]],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
    figure.update_layout(margin={"t": 16, "r": 190})
    return figure


def describe_kappa_intervals(rows: pd.DataFrame, zero: str = "guessing") -> str:
    """All rows in one sentence, as alternative text; ``zero`` is what 0 stands for."""
    if rows.empty:
        return "κ with its interval: nothing to show yet."
    parts = [f"{row['name']} {_numbers(row)} (n {row['n']:,})" for row in rows.to_dict("records")]
    return f"κ with its 95 % interval, 0 being {zero}: {', '.join(parts)}."


def describe_estimate_intervals(rows: pd.DataFrame, unit: str) -> str:
    """All rows in one sentence, as alternative text."""
    parts = [f"{row['name']} {_numbers(row)} (n {row['n']:,})" for row in rows.to_dict("records")]
    return f"{unit[:1].upper()}{unit[1:]} with its 95 % interval: {', '.join(parts)}."


def _numbers(row: Mapping[Any, Any]) -> str:
    values = (row["kappa"], row["low"], row["high"])
    return kappa_words(*(None if pd.isna(value) else float(value) for value in values))


def whiskers(values: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, Any]:
    """``error_x`` or ``error_y`` of a trace; where a limit is NaN, there is no bar."""
    return {
        "array": high.fillna(values) - values,
        "arrayminus": values - low.fillna(values),
        "color": INK,
        "thickness": 1.5,
        "width": 4,
    }
