"""Position preference: which letter a model prefers, whatever its option."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.slots import SLOTS, answer_bars, count_answers, count_replies, set_share_axis
from dcq.charts.template import CHANCE_LINE, SMALL_SIZE, TICKS, VARIANT, dress, plain
from dcq.words import percent

PANELS_A_ROW = 4


def position_preference(counts: pd.DataFrame, chance: float = 0.25) -> go.Figure:
    """How often each model chose each letter, whatever its option; one panel per model.

    ``counts`` has columns ``model``, ``answer`` and ``count``, as ``option_distribution`` has them
    for kinds. Shares are of all replies, errors left out; whiskers are 95 % Wilson intervals. A
    bar's ``customdata`` is ``[model, answer, count, n]``.
    """
    models = list(counts["model"].unique())
    columns = max(2, min(len(models), PANELS_A_ROW))  # a lone panel would be too wide to read
    rows = math.ceil(len(models) / columns) or 1
    panels: list[list[dict[str, object] | None]] = [
        [{} if r * columns + c < len(models) else None for c in range(columns)] for r in range(rows)
    ]
    tallies = {model: count_answers(counts[counts["model"] == model]) for model in models}
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=panels,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.34 / rows,
        subplot_titles=[
            f"{plain(model, 24)}<br>n = {count_replies(tally):,}"
            for model, tally in tallies.items()
        ],
    )
    dress(figure, height=240 * rows + 60)
    for i, model in enumerate(models):
        tally = tallies[model]
        bars = answer_bars(model, list(SLOTS), tally, [VARIANT] * len(SLOTS))
        figure.add_trace(
            bars.update(x=list(SLOTS), width=0.6, showlegend=False),
            row=i // columns + 1,
            col=i % columns + 1,
        )
    figure.add_hline(y=chance, line=CHANCE_LINE)
    figure.update_xaxes(fixedrange=True, tickfont=TICKS)
    set_share_axis(figure, chance, top=1.05)
    figure.update_annotations(font_size=SMALL_SIZE)
    figure.update_layout(margin_t=60)
    return figure


def describe_position_preference(counts: pd.DataFrame, chance: float = 0.25) -> str:
    """Each model's favourite letter in one sentence."""
    parts = []
    for model in counts["model"].unique():
        tally = count_answers(counts[counts["model"] == model])
        n = count_replies(tally)
        favourite = max(SLOTS, key=lambda letter: tally.get(letter, 0))
        share = percent(tally.get(favourite, 0) / n) if n else ""
        parts.append(
            f"{model} {favourite} most often ({share} of {n:,})" if n else f"{model} nothing yet"
        )
    return (
        f"Share of answers by letter, chance being {percent(chance)}: "
        f"{'; '.join(parts) or 'no answer yet'}."
    )
