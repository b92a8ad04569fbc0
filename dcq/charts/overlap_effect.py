"""What overlap does to accuracy: by METEOR, by the size of the model; and where what was found
stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.intervals import whiskers
from dcq.charts.template import (
    CHANCE_LINE,
    CONTAMINATED,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    dress,
    new_figure,
    plain,
)
from dcq.words import percent, points, two_decimals

MARK = 11  # pixels
PANEL = 190  # pixels
COLUMNS = 2
MOST_NAMES = 8
COUNTS_AT = 1.12  # of n, above 100 %


def accuracy_by_meteor(rows: pd.DataFrame) -> go.Figure:
    """Accuracy in bins of METEOR, one panel a model (the report's Figure 4).

    ``rows`` has ``model``, ``start`` and ``end`` of the bin, ``n`` and ``accuracy`` with ``low``
    and ``high``; bins without instances are left out. The numbers on top are the n. A mark's
    ``customdata`` is ``[model, n]``.
    """
    models = list(rows["model"].unique())
    columns = min(len(models), COLUMNS) or 1
    lines = math.ceil(len(models) / columns) or 1
    height = lines * (PANEL + 70) + 50
    figure = make_subplots(
        rows=lines,
        cols=columns,
        shared_yaxes=True,
        horizontal_spacing=0.05,
        vertical_spacing=70 / height if lines > 1 else 0,
        subplot_titles=[f"<b>{plain(model, 36)}</b>" for model in models],
    )
    dress(figure, height)
    figure.update_annotations(font_size=SMALL_SIZE + 1)
    for index, model in enumerate(models):
        model_rows = rows[(rows["model"] == model) & rows["accuracy"].notna()]
        where = {"row": index // columns + 1, "col": index % columns + 1}
        middle = (model_rows["start"] + model_rows["end"]) / 2
        figure.add_trace(
            go.Scatter(
                x=middle,
                y=model_rows["accuracy"],
                mode="lines+markers",
                line={"color": ORIGINAL, "width": 1.5},
                marker={"size": MARK, "color": ORIGINAL},
                error_y=whiskers(model_rows["accuracy"], model_rows["low"], model_rows["high"]),
                customdata=model_rows[["model", "n"]],
                hovertemplate="%{y:.1%} of %{customdata[1]:,}<extra></extra>",
                showlegend=False,
            ),
            **where,
        )
        for place, n in zip(middle, model_rows["n"], strict=True):
            figure.add_annotation(
                x=place,
                y=COUNTS_AT,
                text=f"{n:,}",
                showarrow=False,
                font_size=SMALL_SIZE - 2,
                **where,
            )
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    words = [f"{tick:.1f}" for tick in ticks]
    figure.update_xaxes(
        range=[0, 1], tickvals=ticks, ticktext=words, tickfont=TICKS, fixedrange=True
    )
    _share_axis(figure.update_yaxes, 1.2)
    return figure


def describe_accuracy_by_meteor(rows: pd.DataFrame) -> str:
    """The lowest and the highest bin of each model, as alternative text."""
    sentences = []
    for model, frame in rows.groupby("model", sort=False):
        bins = frame[frame["accuracy"].notna()].to_dict("records")
        if bins:
            ends = [
                f"{percent(row['accuracy'])} of {row['n']:,} from {row['start']:.1f} to "
                f"{row['end']:.1f}"
                for row in (bins[0], bins[-1])
            ]
            sentences.append(f"{model}: {', '.join(dict.fromkeys(ends))}.")
    return f"Accuracy by METEOR of the best match. {' '.join(sentences) or 'No model yet.'}"


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
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        tickvals=list(range(len(rows))),
        ticktext=[plain(name, 40) for name in rows["domain"]],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
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


def gain_by_size(rows: pd.DataFrame) -> go.Figure:
    """Accuracy on found minus on clean instances by the model's size, on a logarithmic axis.

    ``rows`` has ``model``, ``billions``, ``gain`` with ``low`` and ``high`` (NaN where there are
    none), as fractions. Names of more than ``MOST_NAMES`` models would cover each other and appear
    at the pointer alone.
    """
    figure = new_figure(320)
    gain, low, high = (100 * rows[name] for name in ("gain", "low", "high"))
    figure.add_trace(
        go.Scatter(
            x=rows["billions"],
            y=gain,
            mode="markers+text" if len(rows) <= MOST_NAMES else "markers",
            marker={"size": MARK, "color": ORIGINAL},
            text=[plain(model, 24) for model in rows["model"]],
            textposition="top right",
            textfont_size=SMALL_SIZE - 1,
            cliponaxis=False,
            error_y=whiskers(gain, low, high),
            hovertemplate="%{text}: %{y:+.1f} points<extra></extra>",
            showlegend=False,
        )
    )
    figure.add_hline(y=0, line=CHANCE_LINE)
    sizes = sorted(set(rows["billions"]))
    ends = [math.log10(size) for size in (sizes[0], sizes[-1])] if sizes else [0.0, 1.0]
    room = max(0.25 * (ends[1] - ends[0]), 0.2)  # for the names
    figure.update_xaxes(
        type="log",
        range=[ends[0] - room / 2, ends[1] + room],
        tickvals=(named := _apart(sizes)),
        ticktext=[f"{size:g}B" for size in named],
        tickangle=0,
        tickfont=TICKS,
        fixedrange=True,
    )
    figure.update_yaxes(
        title={"text": "points, found − clean", "font": TICKS},
        tickformat="+d",
        tickfont=TICKS,
        nticks=6,
        fixedrange=True,
    )
    return figure


def _apart(sizes: Sequence[float]) -> list[float]:
    """The sizes whose names do not cover one another."""
    labelled_sizes: list[float] = []
    for size in sizes:
        if not labelled_sizes or size >= 1.3 * labelled_sizes[-1]:
            labelled_sizes.append(size)
    return labelled_sizes


def describe_gain_by_size(rows: pd.DataFrame, correlation: float | None) -> str:
    """All models and the correlation, as alternative text."""
    parts = [
        f"{row['model']} ({row['billions']:g} billion) {points(row['gain'])}"
        for row in rows.sort_values("billions").to_dict("records")
    ]
    suffix = "" if correlation is None else f" Rank correlation {two_decimals(correlation)}."
    return f"Points on found minus clean instances: {', '.join(parts) or 'no model'}.{suffix}"


def _share_axis(update: Callable[..., object], top: float) -> None:
    ticks = [0, 0.25, 0.5, 0.75, 1]
    update(
        range=[-0.02, top],
        tickvals=ticks,
        ticktext=[percent(tick) for tick in ticks],
        tickfont=TICKS,
        fixedrange=True,
    )
