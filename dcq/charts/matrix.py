"""Models by benchmarks, a cell for each pair, as a picture for a slide or a paper."""

from __future__ import annotations

from enum import StrEnum

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import (
    CONTAMINATED,
    INCONCLUSIVE,
    INK,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    faded,
    new_figure,
    plain,
    room,
)

LINE = 30  # pixels of a model
_LEGEND = 40  # pixels
NUMBERS = 14  # benchmarks whose numbers have room
_WIDTH = 700  # pixels of all benchmarks together, at least
_NAME = 40  # characters of a name


class Shade(StrEnum):
    """What is concluded of a pair; ``CONTROL`` where there is nothing to conclude, ``EMPTY`` where
    nothing was asked."""

    EMPTY = "not asked"
    CONTROL = "control"
    NO_EVIDENCE = "no evidence"
    UNDECIDED = "undecided"
    CONTAMINATED = "contaminated"


_COLOURS = {
    Shade.EMPTY: "rgba(0,0,0,0)",
    Shade.CONTROL: "rgba(0,0,0,0)",
    Shade.NO_EVIDENCE: faded(VARIANT, 0.22),
    Shade.UNDECIDED: faded(INCONCLUSIVE, 0.3),
    Shade.CONTAMINATED: faded(CONTAMINATED, 0.5),
}


def matrix_picture(rows: pd.DataFrame) -> go.Figure:
    """Models below one another, benchmarks beside one another. ``rows`` has ``model``,
    ``benchmark``, ``shade`` (``Shade``) and ``text``, and every pair once; of many benchmarks, only
    the mark of a text has room."""
    models, benchmarks = list(dict.fromkeys(rows["model"])), list(dict.fromkeys(rows["benchmark"]))
    order = list(Shade)
    dense = len(benchmarks) > NUMBERS
    by_pair = {(row["model"], row["benchmark"]): row for row in rows.to_dict("records")}
    cells = [[by_pair[model, benchmark] for benchmark in benchmarks] for model in models]
    longest = room(plain(name, _NAME) for name in benchmarks)
    flat = longest * len(benchmarks) < _WIDTH
    angle, share = (0, 0.0) if flat else (-90, 1.0) if dense else (-35, 0.6)
    top = _LEGEND + max(30, round(share * longest))
    figure = new_figure(height=LINE * len(models) + top + 40)
    if not cells:
        return figure
    figure.add_trace(
        go.Heatmap(
            z=[[order.index(cell["shade"]) for cell in line] for line in cells],
            zmin=0,
            zmax=len(order) - 1,
            colorscale=[
                [(place + side) / len(order), _COLOURS[shade]]
                for place, shade in enumerate(order)
                for side in (0, 1)
            ],
            showscale=False,
            hoverinfo="skip",
            text=[[plain(_text(cell["text"], dense=dense)) for cell in line] for line in cells],
            texttemplate="%{text}",
            textfont={"size": SMALL_SIZE - 2 * dense, "color": INK},
            xgap=2,
            ygap=2,
        )
    )
    for shade in reversed(order[2:]):
        if (rows["shade"] == shade).any():
            figure.add_trace(
                go.Scatter(
                    x=[None],
                    y=[None],
                    mode="markers",
                    name=str(shade),
                    marker={"symbol": "square", "size": 11, "color": _COLOURS[shade]},
                )
            )
    return figure.update_layout(
        margin_t=top,
        xaxis={
            **_axis(benchmarks),
            "side": "top",
            "tickangle": angle,
            "automargin": False,
        },
        yaxis={**_axis(models), "autorange": "reversed"},
    )


def describe_matrix_picture(rows: pd.DataFrame) -> str:
    """Each cell in which something was asked, in words."""
    parts = [
        f"{row['model']} on {row['benchmark']}: {row['text']} {row['shade']}".strip()
        for row in rows.to_dict("records")
        if row["shade"] != Shade.EMPTY
    ]
    return f"Percentage points above unseen text. {'; '.join(parts)}."


def _text(text: str, *, dense: bool) -> str:
    return text.split(" ")[0] if dense else text


def _axis(names: list[str]) -> dict[str, object]:
    return {
        "tickvals": list(range(len(names))),
        "ticktext": [plain(name, _NAME) for name in names],
        "tickfont": TICKS,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
    }
