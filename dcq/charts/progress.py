"""The progress of runs, and their outcomes so far."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import (
    ORIGINAL,
    SMALL_SIZE,
    VARIANT,
    faded,
    new_figure,
    plain_label,
)


class _BarPart(NamedTuple):
    words: str
    fill: str
    hatch: str = ""


# Only the original has a colour; the hatching shows how a reply failed.
PARTS = {
    "correct": _BarPart("the original", ORIGINAL),
    "other": _BarPart("another option", VARIANT),
    "none": _BarPart("none of these", faded(VARIANT, 0.55)),
    "refused": _BarPart("refused", faded(VARIANT, 0.25), "/"),
    "invalid": _BarPart("no single letter", faded(VARIANT, 0.25), "x"),
    "error": _BarPart("no reply", faded(VARIANT, 0.25), "."),
    "waiting": _BarPart("still to ask", "rgba(0,0,0,0)"),
}


LINE = 52  # pixels: a label and the bar below it
LABEL_LIMIT = 64  # characters


def progress_bars(runs: pd.DataFrame) -> go.Figure:
    """One stacked bar per run: the outcomes so far and what is still to ask.

    ``runs`` has a column ``label`` and counts in any of ``correct``, ``other``, ``none``,
    ``refused``, ``invalid``, ``error`` and ``waiting``. A part's ``customdata`` is
    ``[label, part, count, total]``.
    """
    table = _counts(runs)
    totals = table.sum(axis="columns")
    figure = new_figure(height=LINE * max(len(table), 1) + 62)
    figure.update_layout(
        barmode="stack", bargap=0, showlegend=True, margin={"t": 44, "b": 12, "r": 110, "l": 8}
    )
    places = list(range(len(table)))
    for part, look in PARTS.items():
        counts = table[part]
        if not counts.any():
            continue
        figure.add_trace(
            go.Bar(
                x=[c / t if t else 0 for c, t in zip(counts, totals, strict=True)],
                y=places,
                orientation="h",
                width=0.4,
                name=look.words,
                marker={
                    "color": look.fill,
                    "line": {"color": VARIANT if look.fill != ORIGINAL else ORIGINAL, "width": 1},
                    "pattern": {
                        "shape": look.hatch,
                        "fgcolor": VARIANT,
                        "size": 6,
                        "fillmode": "overlay",
                    },
                },
                customdata=[
                    [label, part, int(c), int(t)]
                    for label, c, t in zip(table.index, counts, totals, strict=True)
                ],
                hovertemplate=f"{look.words}: <b>%{{customdata[2]:,}}</b>"
                " of %{customdata[3]:,}<extra></extra>",
            )
        )
    annotation = {
        "xref": "paper",
        "xanchor": "left",
        "showarrow": False,
        "font": {"size": SMALL_SIZE},
    }
    words = [
        annotation | {"x": 1, "xshift": 8, "y": place, "text": f"{total - waiting:,} of {total:,}"}
        for place, waiting, total in zip(places, table["waiting"], totals, strict=True)
    ]
    words += [
        annotation
        | {"x": 0, "y": place - 0.22, "yanchor": "bottom", "text": plain_label(label, LABEL_LIMIT)}
        for place, label in zip(places, table.index, strict=True)
    ]
    # All at once: plotly checks every earlier one again at each that is added.
    figure.update_layout(annotations=words)
    figure.update_xaxes(range=[0, 1], showticklabels=False, fixedrange=True)
    figure.update_yaxes(
        range=[len(table) - 0.6, -0.6], showticklabels=False, showgrid=False, fixedrange=True
    )
    return figure


def describe_progress_bars(runs: pd.DataFrame) -> str:
    """How far each run is, in one sentence."""
    table = _counts(runs)
    parts = []
    for label, row in table.iterrows():
        total = int(row.sum())
        seen = ", ".join(
            f"{int(row[part]):,} {look.words}"
            for part, look in PARTS.items()
            if part != "waiting" and row[part]
        )
        parts.append(f"{label}: {total - int(row['waiting']):,} of {total:,} asked ({seen or '–'})")
    return f"Progress of the runs; {'; '.join(parts) or 'none is in progress'}."


def _counts(runs: pd.DataFrame) -> pd.DataFrame:
    """Counts by part, a column for each, 0 where nothing was counted; indexed by label."""
    table = runs.set_index("label").reindex(columns=list(PARTS))
    return table.fillna(0).astype(int)
