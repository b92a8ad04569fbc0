"""What the charts by slot share: counting answers, bars with intervals, the axis of shares."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import INK, TICKS
from dcq.evidence.interval import wilson
from dcq.records import Outcome
from dcq.words import percent

SLOTS = ("A", "B", "C", "D")


def count_answers(rows: pd.DataFrame) -> dict[str, int]:
    """Counts by answer."""
    return {str(key): int(value) for key, value in rows.groupby("answer")["count"].sum().items()}


def count_replies(tally: dict[str, int]) -> int:
    """How many replies there are: an error is none."""
    return sum(tally.values()) - tally.get(Outcome.ERROR, 0)


def answer_bars(
    owner: str, answers: list[str], tally: dict[str, int], colours: list[str]
) -> go.Bar:
    """One bar per answer with its interval; the caller gives the positions on x."""
    n = count_replies(tally)
    counted = [tally.get(answer, 0) for answer in answers]
    shares = [count / n if n else math.nan for count in counted]
    limits = [wilson(count, n) for count in counted]
    return go.Bar(
        y=shares,
        marker={"color": colours},
        error_y={
            "array": [i.high - s if i else 0 for i, s in zip(limits, shares, strict=True)],
            "arrayminus": [s - i.low if i else 0 for i, s in zip(limits, shares, strict=True)],
            "color": INK,
            "thickness": 1.5,
            "width": 4,
        },
        customdata=[
            [owner, answer, count, n] for answer, count in zip(answers, counted, strict=True)
        ],
        hovertemplate="<b>%{customdata[1]}</b>: %{customdata[2]:,} of %{customdata[3]:,}"
        " answers<extra></extra>",
    )


def set_share_axis(figure: go.Figure, chance: float, top: float) -> None:
    """Per cent from 0 to 100 on y; the tick at chance says so, where no bar can cover it."""
    ticks = [0, chance, 0.5, 0.75, 1]
    words = [percent(tick) for tick in ticks]
    words[1] = f"chance {words[1]}"
    figure.update_yaxes(
        range=[0, top],
        tickvals=ticks,
        ticktext=words,
        tickfont=TICKS,
        fixedrange=True,
        rangemode="tozero",
    )
