"""Charts of a benchmark published by lot: what it can find, and the evidence as items come in."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import (
    CHANCE_LINE,
    CONTAMINATED,
    CONTROL,
    INK,
    ORIGINAL,
    TICKS,
    VARIANT,
    new_figure,
    plain,
)
from dcq.words import percent

_COLOURS = (ORIGINAL, CONTAMINATED, CONTROL, INK, VARIANT)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def power_curve(
    rows: pd.DataFrame, required_power: float, smallest_share: float | None
) -> go.Figure:
    """The power at each share picked (columns ``share`` and ``power``, 0 to 1), a line at
    ``required_power``, and a mark at ``smallest_share``, the smallest share that is found with
    it."""
    figure = new_figure(300)
    figure.add_scatter(
        x=rows["share"],
        y=rows["power"],
        mode="lines",
        line={"color": ORIGINAL, "width": 2.5},
        hovertemplate="picked %{x:.0%}: found with %{y:.0%}<extra></extra>",
        showlegend=False,
    )
    figure.add_hline(y=required_power, line=CHANCE_LINE)
    if smallest_share is not None:
        figure.add_scatter(
            x=[smallest_share],
            y=[required_power],
            mode="markers+text",
            marker={"color": ORIGINAL, "size": 11},
            text=[f"{percent(smallest_share)} picked"],
            textposition="bottom right",
            textfont={"color": INK},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.update_xaxes(
        title={"text": "Published wordings picked", "font": TICKS},
        tickformat=".0%",
        tickfont=TICKS,
        range=[0, 1],
    )
    return figure.update_yaxes(
        title={"text": "Found with", "font": TICKS},
        tickformat=".0%",
        tickfont=TICKS,
        range=[0, 1.03],
    ).update_layout(margin={"t": 12, "r": 30})  # room for "100 %"


def describe_power_curve(
    rows: pd.DataFrame, required_power: float, smallest_share: float | None
) -> str:
    """The alternative text of ``power_curve``."""
    if smallest_share is None:
        return "No share picked is found with so few items."
    return (
        f"Power by the share of published wordings picked; {percent(required_power)} from "
        f"{percent(smallest_share)} on."
    )


def evidence_curves(rows: pd.DataFrame, stop: float) -> go.Figure:
    """The evidence E after each item (columns ``model``, ``items``, ``e_value``), a line a model,
    on a logarithmic scale, and a line at the evidence that is enough."""
    figure = new_figure(340)
    for place, (model, model_rows) in enumerate(rows.groupby("model", sort=False)):
        figure.add_scatter(
            x=model_rows["items"],
            y=model_rows["e_value"],
            name=plain(str(model), 40),
            mode="lines",
            line={
                "color": _COLOURS[place % len(_COLOURS)],
                "dash": _DASHES[place // len(_COLOURS) % len(_DASHES)],
                "width": 2.5,
            },
            hovertemplate="item %{x}: E = %{y:.3g}<extra></extra>",
        )
    figure.add_hline(y=stop, line=CHANCE_LINE)
    figure.update_xaxes(title={"text": "Items asked about", "font": TICKS}, tickfont=TICKS)
    return figure.update_yaxes(
        title={"text": "Evidence E", "font": TICKS},
        type="log",
        tickfont=TICKS,
        exponentformat="power",
    )


def describe_evidence_curves(rows: pd.DataFrame, stop: float) -> str:
    """The alternative text of ``evidence_curves``."""
    last = rows.groupby("model", sort=False)["e_value"].last()
    listing = "; ".join(f"{model}: {value:.3g}" for model, value in last.items())
    return f"Evidence by items asked about, {stop:g} is enough. At the end, {listing}."
