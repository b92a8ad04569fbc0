"""Scores on originals and on rewordings, one line for each model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.template import (
    CONTAMINATED,
    CONTROL,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    dress,
    faded,
    plain,
)
from dcq.words import percent

COLUMNS = 2
PANEL = 300  # pixels
GAP = 80
_STYLES: Mapping[str, dict[str, Any]] = {
    "clean model": {"color": faded(VARIANT, 0.8), "dash": "solid", "width": 1.5},
    "all instances": {"color": ORIGINAL, "dash": "solid", "width": 3.5},
    "recognised": {"color": CONTAMINATED, "dash": "dash", "width": 2.5},
    "not recognised": {"color": CONTROL, "dash": "dot", "width": 2.5},
}


def effect_slopes(rows: pd.DataFrame) -> go.Figure:
    """From originals (left) to rewordings (right), a panel a target.

    ``rows`` has ``panel`` (the target), ``model``, ``line`` (clean model, all instances,
    recognised, not recognised), ``original`` and ``reworded`` from 0 to 1.
    """
    panels = list(rows["panel"].unique())
    columns = min(len(panels), COLUMNS) or 1
    lines = -(-len(panels) // columns) or 1
    height = lines * PANEL + (lines - 1) * GAP + 130
    figure = make_subplots(
        rows=lines,
        cols=columns,
        shared_yaxes=True,
        horizontal_spacing=0.12,
        vertical_spacing=GAP / height if lines > 1 else 0,
        subplot_titles=[f"<b>{plain(panel, 36)}</b>" for panel in panels],
    )
    dress(figure, height)
    figure.update_layout(margin_t=84)  # the legend, in two lines on a narrow screen
    figure.update_annotations(font_size=SMALL_SIZE + 1)
    legend_lines: set[str] = set()
    for index, panel in enumerate(panels):
        where = {"row": index // columns + 1, "col": index % columns + 1}
        panel_rows = rows[rows["panel"] == panel]
        for row in sorted(
            panel_rows.to_dict("records"), key=lambda row: list(_STYLES).index(row["line"])
        ):
            _slope(figure, row, where, named=row["line"] not in legend_lines)
            legend_lines.add(row["line"])
    figure.update_layout(showlegend=True)
    figure.update_xaxes(
        range=[-0.28, 1.28],
        tickvals=[0, 1],
        ticktext=["originals", "rewordings"],
        tickfont=TICKS,
        fixedrange=True,
    )
    low, high = (float(pick) for pick in _range(rows))
    figure.update_yaxes(range=[low, high], tickformat=".0%", tickfont=TICKS, fixedrange=True)
    return figure


def _slope(
    figure: go.Figure, row: Mapping[Any, Any], where: dict[str, int], *, named: bool
) -> None:
    style = _STYLES[row["line"]]
    figure.add_trace(
        go.Scatter(
            x=[0, 1],
            y=[row["original"], row["reworded"]],
            mode="lines+markers",
            line=style,
            marker={"size": 6 if row["line"] == "clean model" else 10, "color": style["color"]},
            name=row["line"],
            legendgroup=row["line"],
            showlegend=named,
            hovertemplate=f"{plain(row['model'], 36)}, {row['line']}: %{{y:.1%}}<extra></extra>",
        ),
        **where,
    )
    if row["line"] == "all instances":
        for x, name, side in ((0, "original", "right"), (1, "reworded", "left")):
            figure.add_annotation(
                x=x,
                y=row[name],
                text=f"<b>{percent(row[name], 1)}</b>",
                showarrow=False,
                xanchor=side,
                xshift=-10 if side == "right" else 10,
                font_size=SMALL_SIZE,
                **where,
            )


def _range(rows: pd.DataFrame) -> tuple[float, float]:
    values = rows[["original", "reworded"]]
    if values.empty:
        return 0.0, 1.0
    return max(0.0, values.min().min() - 0.06), min(1.02, values.max().max() + 0.06)


def describe_effect_slopes(rows: pd.DataFrame) -> str:
    """Each target's lines, and how many clean models stand beside it, as alternative text."""
    sentences = []
    for panel, panel_rows in rows.groupby("panel", sort=False):
        parts = [
            f"{row['line']} {percent(row['original'], 1)} to {percent(row['reworded'], 1)}"
            for row in panel_rows.to_dict("records")
            if row["line"] != "clean model"
        ]
        clean = int((panel_rows["line"] == "clean model").sum())
        sentences.append(f"{panel}: {', '.join(parts)}; {clean} clean models in grey.")
    return f"Scores on originals and on rewordings. {' '.join(sentences) or 'No model yet.'}"
