"""What was found of a benchmark: by category, by window of time, by domain.

The contamination report calls what is found contaminated, so it has that colour here; what was not
found is grey.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.intervals import whiskers
from dcq.charts.template import (
    CONTAMINATED,
    FADED,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    faded,
    new_figure,
    plain,
    room,
)
from dcq.words import percent

LINE = 40  # pixels
FILLS = {
    "clean": VARIANT,
    "input-only": faded(CONTAMINATED, FADED),
    "input-and-label": CONTAMINATED,
}
EDGES = {"clean": VARIANT, "input-only": CONTAMINATED, "input-and-label": CONTAMINATED}
TITLES = {
    "clean": "clean",
    "input-only": "input only",
    "input-and-label": "input and label",
}


def overlap_categories(rows: pd.DataFrame) -> go.Figure:
    """A bar for each category with its number and share of what was looked for, and whiskers.

    ``rows`` has ``category`` (clean, input-only, input-and-label), ``count``, ``n`` and ``share``
    with ``low`` and ``high``, from 0 to 1. A bar's ``customdata`` is ``[category, count, n]``.
    """
    figure = new_figure(LINE * max(len(rows), 1) + 90)
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=rows["share"],
            y=list(range(len(rows))),
            width=0.6,
            marker={
                "color": [FILLS[name] for name in rows["category"]],
                "line": {"color": [EDGES[name] for name in rows["category"]], "width": 1.5},
            },
            error_x=whiskers(rows["share"], rows["low"], rows["high"]),
            customdata=rows[["category", "count", "n"]],
            hovertemplate="%{customdata[1]:,} of %{customdata[2]:,}<extra></extra>",
            showlegend=False,
        )
    )
    _share_axis(
        figure,
        rows,
        [f"<b>{row['count']:,}</b> ({percent(row['share'])})" for row in rows.to_dict("records")],
    )
    _lines(figure, [TITLES[name] for name in rows["category"]])
    return figure.update_layout(margin_t=10)


def describe_overlap_categories(rows: pd.DataFrame) -> str:
    """The counts in one sentence, as alternative text."""
    if rows.empty:
        return "Instances by category: nothing was looked for yet."
    parts = [
        f"{TITLES[row['category']]} {row['count']:,} ({percent(row['share'])})"
        for row in rows.to_dict("records")
    ]
    return f"Of {rows['n'].iloc[0]:,} instances looked for: {', '.join(parts)}."


def found_by_window(rows: pd.DataFrame) -> go.Figure:
    """The share found in each window of time (the report's Figure 2), in the order of the rows.

    ``rows`` has ``window``, ``n`` and ``share`` with ``low`` and ``high``, from 0 to 1.
    """
    figure = new_figure(LINE * max(len(rows), 1) + 90)
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=rows["share"],
            y=list(range(len(rows))),
            width=0.6,
            marker_color=CONTAMINATED,
            error_x=whiskers(rows["share"], rows["low"], rows["high"]),
            customdata=rows[["window", "n"]],
            hovertemplate="%{x:.1%} of %{customdata[1]:,}<extra></extra>",
            showlegend=False,
        )
    )
    _share_axis(
        figure,
        rows,
        [f"<b>{percent(row['share'])}</b> of {row['n']:,}" for row in rows.to_dict("records")],
    )
    _lines(figure, list(rows["window"]))
    return figure.update_layout(margin_t=10)


def describe_found_by_window(rows: pd.DataFrame) -> str:
    """All windows in one sentence, as alternative text."""
    parts = [
        f"{row['window']} {percent(row['share'])} of {row['n']:,}"
        for row in rows.to_dict("records")
    ]
    return f"Share found by window of time: {', '.join(parts) or 'no window yet'}."


def domain_bars(rows: pd.DataFrame, n: int) -> go.Figure:
    """How many of ``n`` found instances stand on each domain (the report's Figure 3).

    ``rows`` has ``domain`` and ``instances``, in the order shown.
    """
    figure = new_figure(30 * max(len(rows), 1) + 90)
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=rows["instances"],
            y=list(range(len(rows))),
            width=0.6,
            marker_color=CONTAMINATED,
            text=[f"{count:,}" for count in rows["instances"]],
            textposition="outside",
            textfont_size=SMALL_SIZE,
            cliponaxis=False,
            hovertemplate=f"%{{x:,}} of {n:,} found instances<extra></extra>",
            showlegend=False,
        )
    )
    most = rows["instances"].max() if len(rows) else 1
    figure.update_xaxes(range=[0, 1.12 * most], tickfont=TICKS, nticks=6, fixedrange=True)
    _lines(figure, list(rows["domain"]))
    return figure.update_layout(margin_t=10)


def describe_domain_bars(rows: pd.DataFrame, n: int) -> str:
    """The three commonest domains in one sentence, as alternative text."""
    if rows.empty:
        return "Found instances by domain: none has a web address."
    first = [f"{row['domain']} {row['instances']:,}" for row in rows.head(3).to_dict("records")]
    return (
        f"Of {n:,} found instances with an address, by domain: {', '.join(first)}; "
        f"{len(rows):,} domains are shown."
    )


def _share_axis(figure: go.Figure, rows: pd.DataFrame, words: list[str]) -> None:
    """Shares from 0 to 1, with ``words`` to the right of each bar and its whisker."""
    ends = rows[["share", "high"]].max(axis=1)
    for place, (end, label) in enumerate(zip(ends, words, strict=True)):
        figure.add_annotation(
            x=end,
            y=place,
            text=label,
            showarrow=False,
            xanchor="left",
            xshift=8,
            font_size=SMALL_SIZE,
        )
    ticks = [0, 0.25, 0.5, 0.75, 1]
    figure.update_layout(margin_r=room(words))
    figure.update_xaxes(
        range=[0, 1.02],  # the edge of a bar is drawn around it
        tickvals=ticks,
        ticktext=[percent(tick) for tick in ticks],
        tickfont=TICKS,
        fixedrange=True,
    )


def _lines(figure: go.Figure, names: list[str]) -> None:
    """A name for each line, the first on top."""
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5],
        tickvals=list(range(len(names))),
        ticktext=[plain(name, 40) for name in names],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
