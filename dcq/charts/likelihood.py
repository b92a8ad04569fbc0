"""The panel of likelihoods on one ruler: how often originals are likelier than their rewordings, by
each measure, beside what is expected on unseen text."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.intervals import whiskers
from dcq.charts.template import (
    CHANCE,
    CHANCE_LINE,
    CONTROL,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    faded,
    new_figure,
    plain,
    room,
)
from dcq.words import percent

LINE = 46  # pixels, a measure
MARK, DECIDING, SMALL = 11, 15, 7  # pixels: a measure's mark, that of the deciding one, a control's
BAND, BELOW = 0.3, 0.36  # lines from a mark to the edge of its band, and down to its controls
EXPECTED = 0.3  # opacity of the range that is expected on unseen text


def measure_ruler(
    rows: pd.DataFrame, controls: pd.DataFrame | None = None, *, is_control: bool = False
) -> go.Figure:
    """A mark with its interval for each measure, from 0 to 100 %; the dashed line is an order by
    chance.

    ``rows`` has a line for each measure, in their order: ``measure``, ``decides``, ``n``, the mean
    midrank as ``value`` with ``low`` and ``high``, and as a grey band what is ``expected`` on
    unseen text, from ``expected_low`` to ``expected_high``; NaN where there is none. ``controls``
    have ``measure``, ``name``, ``value`` and ``n`` each. ``is_control``: the rows are of one.
    """
    figure = new_figure(LINE * max(len(rows), 1) + 64)
    places = {str(name): place for place, name in enumerate(rows["measure"])}
    for row in rows.to_dict("records"):
        if pd.notna(row["expected_low"]) and pd.notna(row["expected_high"]):
            _band(figure, places[str(row["measure"])], row)
    figure.add_vline(x=0.5, line=CHANCE_LINE, layer="below")
    if controls is not None and not controls.empty:
        _controls(figure, controls[controls["measure"].isin(places)], places)
    figure.add_trace(
        go.Scatter(
            x=rows["value"],
            y=list(range(len(rows))),
            mode="markers",
            marker={
                "size": [DECIDING if decides else MARK for decides in rows["decides"]],
                "color": CONTROL if is_control else ORIGINAL,
                "symbol": "diamond" if is_control else "circle",
                "opacity": 1,
            },
            error_x=whiskers(rows["value"], rows["low"], rows["high"]),
            customdata=[
                [plain(str(row["measure"])), row["n"], _limits(row["low"], row["high"])]
                for row in rows.to_dict("records")
            ],
            hovertemplate="%{customdata[0]}: %{x:.1%} (%{customdata[2]}), n = %{customdata[1]:,}"
            "<extra></extra>",
            showlegend=False,
        )
    )
    numbers = [_number(row) for row in rows.to_dict("records")]
    for place, text in enumerate(numbers):
        figure.add_annotation(
            x=1,
            xref="paper",
            y=place,
            text=text,
            showarrow=False,
            xanchor="left",
            xshift=12,
            font_size=SMALL_SIZE,
        )
    figure.update_xaxes(
        range=[-0.01, 1.01],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        ticktext=[percent(tick) for tick in (0, 0.25, 0.5, 0.75, 1)],
        tickfont=TICKS,
        tickangle=0,
        fixedrange=True,
    )
    figure.update_yaxes(
        range=[max(len(rows), 1) - 0.45, -0.6],
        tickvals=list(range(len(rows))),
        ticktext=[_name(row) for row in rows.to_dict("records")],
        tickfont=TICKS,
        showgrid=False,
        fixedrange=True,
    )
    return figure.update_layout(margin={"t": 12, "r": room(numbers, 16)})


def _band(figure: go.Figure, place: int, row: dict[Any, Any]) -> None:
    figure.add_shape(
        type="rect",
        x0=row["expected_low"],
        x1=row["expected_high"],
        y0=place - BAND,
        y1=place + BAND,
        fillcolor=faded(CHANCE, EXPECTED),
        line_width=0,
        layer="below",
    )
    figure.add_shape(
        type="line",
        x0=row["expected"],
        x1=row["expected"],
        y0=place - BAND,
        y1=place + BAND,
        line={"color": CHANCE, "width": 2},
        layer="below",
    )


def _controls(figure: go.Figure, controls: pd.DataFrame, places: dict[str, int]) -> None:
    figure.add_trace(
        go.Scatter(
            x=controls["value"],
            y=[places[str(name)] + BELOW for name in controls["measure"]],
            mode="markers",
            marker={"size": SMALL, "color": CONTROL, "symbol": "diamond"},
            customdata=[
                [plain(str(name)), n]
                for name, n in zip(controls["name"], controls["n"], strict=True)
            ],
            hovertemplate="control %{customdata[0]}: %{x:.1%}, n = %{customdata[1]:,}"
            "<extra></extra>",
            showlegend=False,
        )
    )


def _name(row: dict[Any, Any]) -> str:
    name = plain(str(row["measure"]), 40)
    return f"<b>{name}</b><br><b>decides</b>" if row["decides"] else name


def _number(row: dict[Any, Any]) -> str:
    if pd.isna(row["value"]):
        return "no value"
    text = percent(float(row["value"]))
    return f"<b>{text}</b>" if row["decides"] else text


def _limits(low: float, high: float) -> str:
    return f"{percent(low)} to {percent(high)}" if pd.notna(low) and pd.notna(high) else "no limits"


def describe_measure_ruler(
    rows: pd.DataFrame, controls: pd.DataFrame | None = None, *, is_control: bool = False
) -> str:
    """All rows in a few sentences, as alternative text."""
    if rows.empty:
        return "Originals among their rewordings by each measure: nothing to show yet."
    sentences = []
    for row in rows.to_dict("records"):
        words = f"{row['measure']}{' (decides)' if row['decides'] else ''}: "
        if pd.isna(row["value"]):
            sentences.append(f"{words}no value.")
            continue
        words += f"{percent(row['value'])} ({_limits(row['low'], row['high'])})"
        if pd.notna(row["expected_low"]) and pd.notna(row["expected_high"]):
            words += f", on unseen text {_limits(row['expected_low'], row['expected_high'])}"
        control_values = (
            [] if controls is None else controls[controls["measure"] == row["measure"]]["value"]
        )
        if len(control_values):
            words += f", controls {', '.join(percent(value) for value in control_values)}"
        sentences.append(f"{words}.")
    whose = "of a control" if is_control else "of the partition"
    return (
        f"Share of the rewordings that an original {whose} is likelier than, with its 95 % "
        f"interval. {' '.join(sentences)}"
    )
