"""Protocol v2: each slot without and with the original, and the resulting range."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.paired import paired_slots
from dcq.charts.template import ORIGINAL, SMALL_SIZE, faded
from dcq.words import percent

OPACITY = 0.14


def contamination_range(slots: pd.DataFrame, low: float, high: float) -> go.Figure:
    """One line per non-preferred slot, its share in the bdq (faded) and in its bcq (solid), on a
    band from the minimum to the maximum contamination.

    ``slots`` has columns ``model``, ``slot``, ``n``, ``without`` and ``having`` (shares from 0 to
    1). No line of chance is drawn: the bdq is what the model does without the original.
    """
    figure = paired_slots(
        pd.DataFrame(
            {
                "model": slots["model"],
                "partition": "slot " + slots["slot"],
                "slot": slots["slot"],
                "n": slots["n"],
                "modified": slots["without"],
                "standard": slots["having"],
            }
        ),
        chance=None,
    )
    figure.add_vrect(
        x0=low,
        x1=max(high, low + 0.004),  # a range of nothing is a line that can be seen
        fillcolor=faded(ORIGINAL, OPACITY),
        line_width=0,
        layer="below",
    )
    figure.add_annotation(
        x=(low + high) / 2,
        y=0,
        yref="paper",
        yanchor="top",
        yshift=-24,
        text=f"contamination {_ends(low, high)}",
        showarrow=False,
        font_size=SMALL_SIZE,
    )
    return figure


def describe_contamination_range(slots: pd.DataFrame, low: float, high: float) -> str:
    """The range and each slot's two shares, in one sentence."""
    told = ", ".join(
        f"{row['slot']} {percent(row['without'])} without and {percent(row['having'])} with it"
        for row in slots.to_dict("records")
    )
    return (
        f"Contamination from {_ends(low, high)}; share of each non-preferred slot "
        f"without and with the original: {told}."
    )


def _ends(low: float, high: float) -> str:
    """``49 % to 51 %``; with a decimal where whole per cents would not tell the ends apart."""
    if low != high and percent(low) == percent(high):
        return f"{percent(low, 1)} to {percent(high, 1)}"
    return f"{percent(low)} to {percent(high)}"
