"""One slot without and with the original in it (the paper's Figure 3), and the range that protocol
v2 makes of that."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.template import (
    CHANCE_LINE,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    dress,
    faded,
    plain,
)
from dcq.words import percent

LINE = 34  # pixels
COLUMNS = 2
MARK = 13  # pixels
GAP = 76  # pixels between the rows of panels, for an axis and a model's name


def from_figure_3(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Figure 3 (``modified_option_d_pct`` and so on) as ``paired_slots`` takes it."""
    return pd.DataFrame(
        {
            "model": table["model"],
            "partition": table["dataset"] + " " + table["split"],
            "slot": "D",
            "n": table["n"],
            "modified": table["modified_option_d_pct"] / 100,
            "standard": table["standard_option_d_pct"] / 100,
        }
    )


def paired_slots(pairs: pd.DataFrame, chance: float | None = 0.25) -> go.Figure:
    """How the share of one slot changes when it has the original; one panel per model.

    ``pairs`` has columns ``model``, ``partition``, ``slot`` (a letter), ``n`` and the slot's share
    in the ``modified`` quiz (original absent, faded) and in the ``standard`` one (solid), from 0 to
    1. ``chance`` None draws no line. A mark's ``customdata`` is ``[kind, slot, model, partition]``.
    """
    models = list(pairs["model"].unique())
    partitions = list(pairs["partition"].unique())
    columns = min(len(models), COLUMNS) or 1
    rows = math.ceil(len(models) / columns) or 1
    panel = LINE * max(len(partitions), 1)
    height = rows * (panel + GAP) + 80
    figure = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes=True,
        horizontal_spacing=0.05,
        vertical_spacing=GAP / (height - 110) if rows > 1 else 0,
        subplot_titles=[f"<b>{plain(model, 36)}</b>" for model in models],
    )
    dress(figure, height)
    figure.update_layout(margin={"t": 70, "b": 56})
    figure.update_annotations(font_size=SMALL_SIZE + 1)
    for i, model in enumerate(models):
        _add_panel(figure, pairs[pairs["model"] == model], partitions, i, columns)
    ticks = [0, 0.25 if chance is None else chance, 0.5, 0.75, 1]
    words = [percent(tick) for tick in ticks]
    if chance is not None:
        figure.add_vline(x=chance, line=CHANCE_LINE, layer="below")
        words[1] += "<br>guessing"
    figure.update_xaxes(
        range=[-0.14, 1.16],
        tickvals=ticks,
        ticktext=words,
        tickfont=TICKS,
        fixedrange=True,
    )
    figure.update_yaxes(
        range=[len(partitions) - 0.5, -0.5],
        tickvals=list(range(len(partitions))),
        ticktext=[plain(partition, 30) for partition in partitions],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
    return figure


def describe_paired_slots(pairs: pd.DataFrame) -> str:
    """How many pairs rise, and which rises most, in one sentence."""
    if pairs.empty:
        return "Share of one slot without and with the original: no pair yet."
    rises = pairs["standard"] - pairs["modified"]
    top = pairs.to_dict("records")[int(rises.to_numpy().argmax())]
    return (
        f"Share of one slot without and with the original: it rises in {(rises > 0).sum():,} of "
        f"{len(pairs):,} settings, most for {top['model']} on {top['partition']}, slot "
        f"{top['slot']}, from {percent(top['modified'])} to {percent(top['standard'])}."
    )


def _add_panel(
    figure: go.Figure, pairs: pd.DataFrame, partitions: list[str], index: int, columns: int
) -> None:
    """One model's pairs: faded mark, arrow, solid mark, and a share at either end."""
    where = {"row": index // columns + 1, "col": index % columns + 1}
    places = [partitions.index(partition) for partition in pairs["partition"]]
    before, after = list(pairs["modified"]), list(pairs["standard"])
    axes = {"axref": f"x{index + 1}" if index else "x", "ayref": f"y{index + 1}" if index else "y"}
    for place, start, end in zip(places, before, after, strict=True):
        figure.add_annotation(
            x=end,
            y=place,
            ax=start,
            ay=place,
            arrowcolor=ORIGINAL,
            arrowwidth=1.5,
            arrowhead=2,
            startstandoff=MARK / 2,
            standoff=MARK / 2 + 2,
            text="",
            **axes,
            **where,
        )
    for kind, name, shares, others, fill in (
        ("modified", "without the original", before, after, faded(ORIGINAL)),
        ("standard", "the original in that slot", after, before, ORIGINAL),
    ):
        figure.add_trace(
            go.Scatter(
                x=shares,
                y=places,
                mode="markers+text",
                marker={"color": fill, "size": MARK, "line": {"color": ORIGINAL, "width": 1.5}},
                text=[percent(share) for share in shares],
                textposition=[
                    _outward(share, other, kind)
                    for share, other in zip(shares, others, strict=True)
                ],
                textfont_size=SMALL_SIZE,
                cliponaxis=False,
                name=name,
                legendgroup=kind,
                showlegend=index == 0,
                customdata=[
                    [kind, row["slot"], row["model"], row["partition"], row["n"]]
                    for row in pairs.to_dict("records")
                ],
                hovertemplate="slot %{customdata[1]}, " + name + ": <b>%{text}</b>"
                " of %{customdata[4]:,}<extra></extra>",
            ),
            **where,
        )


def _outward(share: float, other: float, kind: str) -> str:
    """The side of a mark that the line to the other one leaves free."""
    if share == other:
        return "middle left" if kind == "modified" else "middle right"
    return "middle left" if share < other else "middle right"


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
    listing = ", ".join(
        f"{row['slot']} {percent(row['without'])} without and {percent(row['having'])} with it"
        for row in slots.to_dict("records")
    )
    return (
        f"Contamination from {_ends(low, high)}; share of each non-preferred slot "
        f"without and with the original: {listing}."
    )


def _ends(low: float, high: float) -> str:
    """``49 % to 51 %``; with a decimal where whole per cents would not tell the ends apart."""
    if low != high and percent(low) == percent(high):
        return f"{percent(low, 1)} to {percent(high, 1)}"
    return f"{percent(low)} to {percent(high)}"
