"""Shares of right answers over time, with the end of a model's training data."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import (
    CHANCE_LINE,
    CONTAMINATED,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    faded,
    new_figure,
    plain,
)
from dcq.words import percent

_HEIGHT = 340
_STYLES: Mapping[str, dict[str, Any]] = {
    "originals": {"color": ORIGINAL, "width": 3},
    "rewordings": {"color": ORIGINAL, "width": 2, "dash": "dot"},
    "recognised": {"color": CONTAMINATED, "width": 2, "dash": "dash"},
}
_OTHER = {"color": faded(VARIANT, 0.8), "width": 2}


def effect_over_time(rows: pd.DataFrame, cutoff: date) -> go.Figure:
    """A line a kind of share, broken at the ``cutoff``.

    ``rows`` has ``line`` (originals, rewordings, recognised, or another model's name), ``day``,
    ``share`` from 0 to 1 and the number ``n`` of items behind it.
    """
    figure = new_figure(_HEIGHT)
    for line, line_rows in rows.sort_values("day", kind="stable").groupby("line", sort=False):
        style = _STYLES.get(str(line), _OTHER)
        old = line_rows["day"] <= cutoff
        for side, named in ((line_rows[old], True), (line_rows[~old], not old.any())):
            if len(side):
                figure.add_trace(
                    go.Scatter(
                        x=side["day"],
                        y=side["share"],
                        customdata=side[["n"]],
                        mode="lines+markers",
                        line=style,
                        marker={"size": 7, "color": style["color"]},
                        name=plain(str(line), 36),
                        legendgroup=str(line),
                        showlegend=named,
                        hovertemplate=f"{plain(str(line), 36)}: %{{y:.0%}} of %{{customdata[0]}}, "
                        "around %{x|%b %Y}<extra></extra>",
                    )
                )
    figure.add_vline(x=cutoff.isoformat(), line=CHANCE_LINE)
    figure.add_annotation(
        x=cutoff.isoformat(),
        y=1,
        yref="paper",
        text="end of training data",
        showarrow=False,
        xanchor="left",
        xshift=6,
        yanchor="bottom",
        font_size=SMALL_SIZE,
    )
    figure.update_layout(showlegend=True, margin_t=70)
    figure.update_xaxes(tickfont=TICKS, fixedrange=True)
    figure.update_yaxes(range=[-0.03, 1.03], tickformat=".0%", tickfont=TICKS, fixedrange=True)
    return figure


def describe_effect_over_time(rows: pd.DataFrame, cutoff: date) -> str:
    """Each line's means before and after the cut-off, as alternative text."""
    parts = []
    for line, line_rows in rows.groupby("line", sort=False):
        old = line_rows["day"] <= cutoff
        means = [
            percent(float((side["share"] * side["n"]).sum() / side["n"].sum()))
            for side in (line_rows[old], line_rows[~old])
            if len(side)
        ]
        parts.append(f"{line} {', then '.join(means)}")
    return f"Shares of items before and after {cutoff:%B %Y}: {'; '.join(parts) or 'none'}."
