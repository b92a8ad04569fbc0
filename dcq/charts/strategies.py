"""A model's score beside strategies without memory, which it has to exceed to mean anything."""

from __future__ import annotations

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
    room,
)
from dcq.words import percent

LINE = 44  # pixels


def strategy_bars(scores: pd.DataFrame, chance: float = 0.25) -> go.Figure:
    """One bar per row of ``scores``, in its order: the models' in blue, strategies in grey.

    Columns are ``name``, ``score``, ``low``, ``high`` (from 0 to 1), ``n`` and ``is_model``;
    whiskers reach from ``low`` to ``high``. A bar's ``customdata`` is ``[name, n]``.
    """
    figure = new_figure(height=LINE * max(len(scores), 1) + 100)
    names = [plain(name, 48) for name in scores["name"]]
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=scores["score"],
            y=list(range(len(scores))),
            width=0.6,
            marker_color=[ORIGINAL if is_model else VARIANT for is_model in scores["is_model"]],
            error_x={
                "array": scores["high"] - scores["score"],
                "arrayminus": scores["score"] - scores["low"],
                "color": INK,
                "thickness": 1.5,
                "width": 4,
            },
            customdata=scores[["name", "n"]],
            hovertemplate="%{x:.1%} of %{customdata[1]:,}<extra></extra>",
            showlegend=False,
        )
    )
    # All at once: plotly checks every earlier one again at each that is added.
    figure.update_layout(
        annotations=[
            {
                "x": max(score, high),
                "y": place,
                "text": f"<b>{percent(score)}</b>",
                "showarrow": False,
                "xanchor": "left",
                "xshift": 8,
                "font": {"size": SMALL_SIZE},
            }
            for place, (score, high) in enumerate(zip(scores["score"], scores["high"], strict=True))
        ]
    )
    figure.add_vline(x=chance, line=CHANCE_LINE)
    figure.update_xaxes(
        range=[0, 1.02],
        tickvals=[0, chance, 0.5, 0.75, 1],
        # Below each other: on a phone the next number stands close by.
        ticktext=[percent(0), f"{percent(chance)}<br>guessing", *map(percent, (0.5, 0.75, 1))],
        tickfont=TICKS,
        tickangle=0,
        fixedrange=True,
    )
    figure.update_yaxes(
        range=[len(scores) - 0.5, -0.5],
        tickvals=list(range(len(scores))),
        ticktext=[
            f"<b>{name}</b>" if is_model else name
            for name, is_model in zip(names, scores["is_model"], strict=True)
        ],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
    figure.update_layout(margin_t=16, margin_r=room(map(percent, scores["score"])))
    return figure


def describe_strategy_bars(scores: pd.DataFrame, chance: float = 0.25) -> str:
    """All bars in one sentence, as alternative text."""
    parts = [
        f"{name} {percent(score)}"
        for name, score in zip(scores["name"], scores["score"], strict=True)
    ]
    return f"Share of originals found, where guessing gives {percent(chance)}: {', '.join(parts)}."
