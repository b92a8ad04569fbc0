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
    room,
)
from dcq.words import percent, points

# A name stands above its marks, not beside them: so a long one leaves room on a small screen.
LINE = 52  # pixels, a name and the marks below it
NAME = 0.42  # lines from a mark up to its name
REACH = (-0.2, 0.35)  # lines above and below a mark that the line at zero is drawn
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
        subplot_titles=(
            "Guided − general,<br>points of overlap",
            "Exact or near-exact<br>completions",
        ),
    )
    dress(figure, LINE * max(len(rows), 1) + 96)
    figure.update_annotations(font_size=SMALL_SIZE, yshift=2)
    for column, measure in enumerate(MEASURES, 1):
        _panel(figure, rows, measure, column, (expected or {}).get(measure))
    for place, (name, control) in enumerate(zip(rows["name"], rows["is_control"], strict=True)):
        figure.add_annotation(
            x=0,
            xref="paper",
            y=place - NAME,
            yref="y",
            text=_label(str(name), is_control=control),
            showarrow=False,
            xanchor="left",
            font_size=SMALL_SIZE,
        )
    figure.update_yaxes(
        range=[max(len(rows), 1) - 0.6, -0.7],
        showticklabels=False,
        showgrid=False,
        fixedrange=True,
    )
    shares = [percent(share) for share in rows["rate"].dropna()]
    figure.update_layout(margin_t=56, margin_r=room(shares), showlegend=False)
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
    start, end = _ends([*low.dropna(), *high.dropna(), *band, 0.0], measure)
    ticks, decimals = _ticks(start, end)
    figure.update_xaxes(
        # The numbers of the panel on the right have the margin.
        range=[start, end + (0.18 * (end - start) if measure == "gain" else 0)],
        tickvals=ticks,
        ticktext=[_tick(tick, decimals, measure) for tick in ticks],
        tickfont=TICKS,
        tickangle=0,
        fixedrange=True,
        **where,
    )
    for place in range(len(rows)):  # it stops at the names, which it would run through
        above, below = (place + reach for reach in REACH)
        figure.add_shape(type="line", x0=0, x1=0, y0=above, y1=below, line=CHANCE_LINE, **where)
    if band:  # after the marks: plotly shades no panel that is empty
        figure.add_vrect(
            *band, fillcolor=faded(CONTROL, EXPECTED), line_width=0, layer="below", **where
        )


def _ends(marks: list[float], measure: str) -> tuple[float, float]:
    """Where an axis begins and ends that holds all ``marks``; 10 points at least, so that one which
    is all zeros is still an axis."""
    start, end = min(marks), max(marks)
    if measure == "gain":
        short = max(10 - (end - start), 0) / 2
        start, end = start - short, end + short
    else:
        end = max(end, start + 0.1)
    edge = 0.06 * (end - start)
    return start - edge, end + edge


def _ticks(start: float, end: float) -> tuple[list[float], int]:
    """Round numbers from ``start`` to ``end``, two to five of them, and the decimals that tell
    them apart."""
    power = math.floor(math.log10((end - start) / 5))
    step = next(
        size * 10.0**power for size in (1, 2, 5, 10) if (end - start) / (size * 10.0**power) < 5
    )
    first, last = math.ceil(start / step), math.floor(end / step)
    return [place * step for place in range(first, last + 1)], max(-math.floor(math.log10(step)), 0)


def _tick(value: float, decimals: int, measure: str) -> str:
    if measure == "rate":
        return percent(value, max(decimals - 2, 0))
    sign = "+" if value > 0 else ""
    return f"{sign}{value:z.{decimals}f}".replace("-", "−")


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
        limits = (points(low), points(high)) if measure == "gain" else (percent(low), percent(high))
        words = "guided minus general" if measure == "gain" else "matches"
        sentences.append(f"Expected of {words} on unseen text: {limits[0]} to {limits[1]}.")
    return " ".join(sentences)


def _label(name: str, *, is_control: bool) -> str:
    short_name = plain(name, 34)
    return f"{short_name} (control)" if is_control else f"<b>{short_name}</b>"
