"""A replication beside its controls: the gain by guidance, and the rate of matches."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.template import (
    CHANCE_LINE,
    CONTROL,
    INK,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    dress,
    faded,
    plain,
)
from dcq.words import percent, points

LINE = 40  # pixels
MARK = 12  # pixels
EXPECTED = 0.18  # opacity of the range that is expected on unseen text
MEASURES = ("gain", "rate")  # one panel each


def replication_measures(
    rows: pd.DataFrame, expected: dict[str, tuple[float, float]] | None = None
) -> go.Figure:
    """Guided minus general on the left, the share of matches on the right, with their intervals.

    ``rows`` has a line for each partition: ``name``, ``n``, ``is_control`` and, for each of
    ``MEASURES``, its value, ``…_low`` and ``…_high``; NaN where there is none. ``expected`` is the
    range of a measure on unseen text, shown as a band. A mark's ``customdata`` is ``[name, n]``.
    """
    figure = make_subplots(
        rows=1,
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.06,
        subplot_titles=("Guided − general, points of overlap", "Exact or near-exact completions"),
    )
    dress(figure, LINE * max(len(rows), 1) + 110)
    figure.update_annotations(font_size=SMALL_SIZE, yshift=4)
    for column, measure in enumerate(MEASURES, 1):
        _panel(figure, rows, measure, column, (expected or {}).get(measure))
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        tickvals=list(range(len(rows))),
        ticktext=[
            _label(str(name), is_control=control)
            for name, control in zip(rows["name"], rows["is_control"], strict=True)
        ],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
    figure.update_layout(margin_t=40, showlegend=False)
    return figure


def _panel(
    figure: go.Figure,
    rows: pd.DataFrame,
    measure: str,
    column: int,
    expected: tuple[float, float] | None,
) -> None:
    where = {"row": 1, "col": column}
    scale = 100 if measure == "gain" else 1  # points of overlap, shares of completions
    say = points if measure == "gain" else percent
    values = scale * rows[measure]
    low, high = ((scale * rows[f"{measure}_{end}"]).fillna(values) for end in ("low", "high"))
    band = [scale * end for end in expected or ()]
    figure.add_trace(
        go.Scatter(
            x=values,
            y=list(range(len(rows))),
            mode="markers",
            marker={
                "size": MARK,
                "color": [CONTROL if control else ORIGINAL for control in rows["is_control"]],
                "symbol": ["diamond" if control else "circle" for control in rows["is_control"]],
            },
            error_x={
                "array": high - values,
                "arrayminus": values - low,
                "color": INK,
                "thickness": 1.5,
                "width": 4,
            },
            customdata=rows[["name", "n"]],
            hovertemplate=("%{x:+.1f} points" if measure == "gain" else "%{x:.1%}")
            + ", n = %{customdata[1]:,}<extra></extra>",
        ),
        **where,
    )
    for place, (value, top) in enumerate(zip(values, high, strict=True)):
        if not math.isnan(value):
            figure.add_annotation(
                x=top,
                y=place,
                text=f"<b>{say(value / scale)}</b>",
                showarrow=False,
                xanchor="left",
                xshift=8,
                font_size=SMALL_SIZE,
                **where,
            )
    ends = [*low.dropna(), *high.dropna(), *band, 0.0]
    span = max(max(ends) - min(ends), 0.1 * scale)
    figure.update_xaxes(
        # Room for the numbers on the right.
        range=[min(ends) - 0.06 * span, max(ends) + 0.22 * span],
        tickformat="+d" if measure == "gain" else ".0%",
        tickfont=TICKS,
        nticks=6,
        fixedrange=True,
        **where,
    )
    figure.add_vline(x=0, line=CHANCE_LINE, **where)
    if band:  # after the marks: plotly shades no panel that is empty
        figure.add_vrect(
            *band, fillcolor=faded(CONTROL, EXPECTED), line_width=0, layer="below", **where
        )


def describe_replication_measures(
    rows: pd.DataFrame, expected: dict[str, tuple[float, float]] | None = None
) -> str:
    """All marks in a few sentences, as alternative text."""
    sentences = []
    for row in rows.to_dict("records"):
        parts = []
        if not math.isnan(row["gain"]):
            parts.append(f"guided minus general {points(row['gain'])} points")
        if not math.isnan(row["rate"]):
            parts.append(f"{percent(row['rate'])} exact or near-exact")
        kind = "control" if row["is_control"] else "target"
        sentences.append(f"{row['name']} ({kind}): {', '.join(parts) or 'nothing usable'}.")
    for measure, (low, high) in (expected or {}).items():
        said = (points(low), points(high)) if measure == "gain" else (percent(low), percent(high))
        words = "guided minus general" if measure == "gain" else "matches"
        sentences.append(f"Expected of {words} on unseen text: {said[0]} to {said[1]}.")
    return " ".join(sentences)


def _label(name: str, *, is_control: bool) -> str:
    shown = plain(name, 34)
    return f"{shown} (control)" if is_control else f"<b>{shown}</b>"
