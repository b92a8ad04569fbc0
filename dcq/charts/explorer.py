"""All instances of a partition under all results at once, one row for each result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from dcq.charts.template import CONTAMINATED, INK, SMALL_SIZE, TICKS, new_figure, plain
from dcq.words import counted, percent

MOST_COLUMNS = 1_000  # about as many as a screen has room for; more are drawn together
MOST_TARGETS = 400  # what is pointed at; each is an element of the page, which takes its time
LINE = 24  # pixels
_NAME = 34  # characters of a result's name
_NOT = "rgba(140,146,155,0.22)"  # faint on both grounds


@dataclass(frozen=True, eq=False)
class InstanceTable:
    """What ``instance_picture`` draws. ``recalled``: (results, instances), from 0 to 1, NaN without
    an answer, both in the order in which they are drawn. ``names`` are those of the results;
    ``groups`` says where each stretch of instances begins and its name; ``open_at`` is the place of
    the instance that is open. ``verb`` says what 1 means: "picked"."""

    names: Sequence[str]
    recalled: NDArray[np.float64]
    verb: str
    ordered: str = ""
    groups: Sequence[tuple[int, str]] = ()
    open_at: int | None = None


def instance_picture(table: InstanceTable) -> go.Figure:
    """A cell for each instance and result, coloured where the original was picked, faint where it
    was not, empty where there is no answer; of many instances, neighbours share a column, which
    shows their mean. The ``customdata`` of what can be clicked begins with the place of its first
    instance."""
    lines, count = table.recalled.shape
    starts, targets = _starts(count, MOST_COLUMNS), _starts(count, MOST_TARGETS)
    figure = new_figure(height=LINE * lines + 128)
    figure.add_trace(
        go.Heatmap(
            z=_pooled(table.recalled, starts).astype(np.float32),
            zmin=0,
            zmax=1,
            colorscale=[[0, _NOT], [1, CONTAMINATED]],
            showscale=False,
            hoverinfo="skip",
            ygap=2,
            xgap=1 if len(starts) <= MOST_COLUMNS // 5 else 0,
        )
    )
    # What is hovered and clicked: a heatmap tells Streamlit nothing.
    sizes = np.diff([*targets, count])
    columns = len(starts) / max(count, 1)  # to an instance
    figure.add_trace(
        go.Bar(
            x=(targets + sizes / 2) * columns - 0.5,
            y=np.full(len(targets), lines),
            base=-0.5,
            width=sizes * columns,
            marker={"color": "rgba(0,0,0,0)", "line_width": 0},
            customdata=np.column_stack([targets, targets + 1, targets + sizes]),
            hovertemplate="Instance %{customdata[1]:,} of this order<extra></extra>"
            if count == len(targets)
            else "Instances %{customdata[1]:,} to %{customdata[2]:,} of this order<extra></extra>",
            showlegend=False,
            selected={"marker_opacity": 1},
            unselected={"marker_opacity": 1},
        )
    )
    for name, colour in ((table.verb, CONTAMINATED), (f"not {table.verb}", _NOT)):
        figure.add_trace(
            go.Scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=name,
                marker={"symbol": "square", "size": 11, "color": colour},
            )
        )
    _mark_open(figure, table, starts)
    return figure.update_layout(
        bargap=0,
        xaxis={
            "range": [-0.5, max(len(starts), 1) - 0.5],
            "title": {"text": _axis(table), "font": {"size": SMALL_SIZE, "color": INK}},
            "tickfont": TICKS,
            "tickvals": _columns_of([at for at, _ in table.groups], starts),
            "ticktext": [plain(name, 24) for _, name in table.groups],
            "ticks": "outside" if table.groups else "",
            "ticklabelposition": "outside right",
        },
        yaxis={
            "range": [lines - 0.5, -0.5],
            "tickvals": list(range(lines)),
            "ticktext": [plain(name, _NAME) for name in table.names],
            "tickfont": TICKS,
            "showgrid": False,
            "fixedrange": True,
        },
    )


def describe_instance_picture(table: InstanceTable) -> str:
    """The instances, and how many of them each result has."""
    shares = [
        f"{name}: {percent(float(row[~np.isnan(row)].mean()))}"
        for name, row in zip(table.names, table.recalled, strict=True)
        if (~np.isnan(row)).any()
    ]
    count = counted(table.recalled.shape[1], "instance")
    return f"{count}, a line for each result. Of these are {table.verb}, by {'; '.join(shares)}."


def _axis(table: InstanceTable) -> str:
    """In two lines, as one is wider than a phone."""
    count = counted(table.recalled.shape[1], "instance")
    return f"{count}<br>{plain(table.ordered)}" if table.ordered else count


def _starts(count: int, most: int) -> NDArray[np.int64]:
    """Where each of at most so many columns begins."""
    columns = min(count, most)
    return np.arange(columns) * count // max(columns, 1)


def _pooled(values: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean of what is known in each column; NaN where nothing is."""
    if not len(starts):
        return values
    counts = np.add.reduceat(~np.isnan(values), starts, axis=1, dtype=np.int64)
    total = np.add.reduceat(np.nan_to_num(values), starts, axis=1)
    means: NDArray[np.float64] = np.full(counts.shape, np.nan)
    return np.divide(total, counts, out=means, where=counts > 0)


def _columns_of(places: Sequence[int], starts: NDArray[np.int64]) -> list[float]:
    """The left edge of the columns that the instances at these places are in."""
    return [float(at) - 0.5 for at in np.searchsorted(starts, places, side="right") - 1]


def _mark_open(figure: go.Figure, table: InstanceTable, starts: NDArray[np.int64]) -> None:
    """Lines in the colour of the text on both sides of the open instance's column."""
    if table.open_at is None:
        return
    [left] = _columns_of([table.open_at], starts)
    figure.add_shape(
        type="rect",
        x0=left,
        x1=left + 1,
        y0=-0.5,
        y1=len(table.names) - 0.5,
        line={"color": INK, "width": 1.5},
    )
