"""Forest plot of κ_fixed: one line per model and partition, grouped by partition."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.template import (
    CHANCE_LINE,
    CHARACTER,
    CONTAMINATED,
    CONTROL,
    INCONCLUSIVE,
    INK,
    SMALL_SIZE,
    THIN_SPACE,
    TICKS,
    VARIANT,
    faded,
    new_figure,
    plain,
    plain_label,
    room,
)
from dcq.records import PartitionRole

# Names stand in a gutter to the left, where no line and no interval runs through them. A small
# screen has no room for one: there ``dcq.ui.rulers`` draws the same rows.
LINE = 20  # pixels, the unit of the next two
HEAD = 1.3  # a partition's line
ROW = 1.5  # a name and its mark
REACH = (-0.6, 0.6)  # from a mark up and down, where lines at κ do not run through a partition
BESIDE = 12  # pixels between the plot and the words beside it
TICK_PLACES = (-0.25, 0, 0.25, 0.5, 0.75, 1)
GRID = {"color": faded(VARIANT, 0.2), "width": 1}
LABEL_LIMIT = 40  # characters, cut in their middle
CONTROLS = "controls"
INTERVAL = f"κ [95{THIN_SPACE}% interval]"
SIGNS = {PartitionRole.TARGET: "●", PartitionRole.POSITIVE: "▲", PartitionRole.CONTROL: "■"}


def kappa_forest(
    results: pd.DataFrame, control_zone: tuple[float, float] | None = None
) -> go.Figure:
    """κ_fixed of every model on every partition, with its interval and n beside it.

    ``results`` has columns ``model``, ``partition``, ``role`` (of the partition), ``n``, ``kappa``,
    ``low`` and ``high`` (NaN where undefined); it may have ``published`` (True for a figure taken
    from a paper: a hollow diamond), ``verdict`` and ``progress`` (of an unfinished run: shown
    in place of n). ``control_zone`` is the range of κ on control partitions; without one it is
    that of the controls among ``results``, which share a line. Targets come first, then positives
    and controls; models by falling κ. What is undecided is hollow. A mark's
    ``customdata`` is ``[model, partition, published]``.
    """
    groups, controls = _controls_apart(arrange(results))
    control_zone = control_zone or _range(controls)
    numbers, gutter = _width(groups, controls), _gutter(groups, controls)
    legend = control_zone is not None or any(row.published for _, rows in groups for row in rows)
    marks = defaultdict(list)
    words = []
    line = 0.0
    for partition, members in groups:
        words.append(_word(line, _head(partition, members[0].role), 0, -gutter))
        line += HEAD
        for row in members:
            marks[row.mark_style].append((line, row))
            name = plain_label(row.model, LABEL_LIMIT)
            words.append(_word(line, name, 0, -BESIDE, anchor="right"))
            words.append(_word(line, row.numbers, 1, BESIDE))
            words.append(_word(line, row.count, 1, numbers.n_end, anchor="right"))
            if row.verdict:
                words.append(_word(line, plain(row.verdict, 14), 1, numbers.verdict))
            line += ROW
    if controls:
        line += HEAD - ROW / 2
        marks[controls[0].mark_style] += [(line, row) for row in controls]
        words.append(_word(line, f"<b>{CONTROLS}</b>", 0, -BESIDE, anchor="right"))
        words.append(_word(line, f"{len(controls):,}", 1, numbers.n_end, anchor="right"))
        line += ROW
    figure = new_figure(height=round(LINE * max(line, 1)) + (128 if legend else 94))
    figure.update_layout(
        showlegend=legend,
        margin={"l": gutter, "r": numbers.width, "t": 64 if legend else 30, "b": 64},
    )
    if control_zone is not None:
        _add_control_zone(figure, control_zone)
    places = [place for placed in marks.values() for place, _ in placed]
    _add_lines(figure, [tick for tick in TICK_PLACES if tick], places, GRID)
    _add_lines(figure, [0], places, CHANCE_LINE | {"dash": "solid"})  # too short for dashes
    words.append(_head_word("x", 0, "guessing", "center", 0))
    words.append(_foot_word("κ: 0 guessing, 1 always the original"))
    if groups:
        words.append(_head_word("paper", 1, INTERVAL, "left", BESIDE))
        words.append(_head_word("paper", 1, "n", "right", numbers.n_end))
    for look, placed in marks.items():
        figure.add_trace(_marks(look, placed))
    # All at once: plotly checks every earlier one again at each that is added.
    figure.update_layout(annotations=words)
    figure.update_xaxes(
        range=[-0.4, 1.05],
        tickvals=TICK_PLACES,
        ticktext=["−0.25", "0", "0.25", "0.50", "0.75", "1"],
        tickangle=0,
        tickfont=TICKS,
        fixedrange=True,
    )
    figure.update_yaxes(
        range=[max(line, 1) - 0.4, -0.6], showticklabels=False, showgrid=False, fixedrange=True
    )
    return figure


def describe_kappa_forest(results: pd.DataFrame) -> str:
    """The forest plot in one sentence: how many rows, and the highest."""
    forest_rows = [row for row in read_rows(results) if not math.isnan(row.kappa)]
    if not forest_rows:
        return "Kappa of each model on each partition: no result yet."
    top = max(forest_rows, key=lambda row: row.kappa)
    return (
        f"Kappa for {len(results):,} pairs of model and partition, 0 being guessing and 1 always "
        f"the original; the highest is {top.model} on {top.partition}: {top.numbers}, "
        f"n = {top.n:,}."
    )


_Groups = Sequence[tuple[str, Sequence["ForestRow"]]]


def _controls_apart(groups: _Groups) -> tuple[_Groups, list[ForestRow]]:
    """The groups that have a line for each row, and the controls, which share one as long as there
    is something to compare with them."""
    tested_groups = [group for group in groups if group[1][0].role is not PartitionRole.CONTROL]
    if not tested_groups:
        return groups, []
    return tested_groups, [
        row
        for _, rows in groups
        for row in rows
        if row.role is PartitionRole.CONTROL and not math.isnan(row.kappa)
    ]


def _range(controls: Sequence[ForestRow]) -> tuple[float, float] | None:
    kappas = [row.kappa for row in controls]
    return (min(kappas), max(kappas)) if kappas else None


class _Columns(NamedTuple):
    """Pixels from the right edge of the plot to the end of the column of n, to the verdicts, and in
    all, so that none runs into another."""

    n_end: int
    verdict: int
    width: int


def _width(groups: _Groups, controls: Sequence[ForestRow]) -> _Columns:
    rows = [row for _, members in groups for row in members]
    kappa = max([len(row.numbers) for row in rows] + [len(INTERVAL)])
    count = max([len(row.count) for row in (*rows, *controls)], default=1)
    end = round(BESIDE + CHARACTER * (kappa + 2 + count))
    verdict = max((len(row.verdict[:14]) for row in rows), default=0)
    verdict_start = end + BESIDE
    return _Columns(
        end, verdict_start, verdict_start + round(CHARACTER * verdict) if verdict else end
    )


def _gutter(groups: _Groups, controls: Sequence[ForestRow]) -> int:
    """Pixels for the longest name to the left of the plot."""
    names = [plain_label(row.model, LABEL_LIMIT) for _, rows in groups for row in rows]
    return room([*names, *([CONTROLS] if controls else [])], 2 * BESIDE)


def _marks(look: MarkStyle, placed: list[tuple[float, ForestRow]]) -> go.Scatter:
    """The marks and intervals of the rows that look alike, each at its line."""
    rows = [row for _, row in placed]
    return go.Scatter(
        x=[row.kappa for row in rows],
        y=[line for line, _ in placed],
        mode="markers",
        name="published in the paper",  # the other looks are told by words beside them
        showlegend=look.symbol == PUBLISHED,
        marker={
            "symbol": look.symbol,
            "color": look.colour,
            "size": 11,
            "line": {"color": look.colour, "width": 2},
        },
        error_x={
            "array": [row.high - row.kappa for row in rows],
            "arrayminus": [row.kappa - row.low for row in rows],
            "color": look.colour,
            "thickness": 2,
            "width": 0,
        },
        customdata=[[row.model, row.partition, row.published] for row in rows],
        text=[
            f"<b>{plain(row.model)}</b><br>{plain(row.partition)}<br>"
            f"κ {row.numbers}, n{THIN_SPACE}={THIN_SPACE}{row.n:,}"
            + (f"<br>unfinished: {row.progress}" if row.progress else "")
            for row in rows
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _head(partition: str, role: PartitionRole) -> str:
    """The line above a partition's rows."""
    name = plain(partition, LABEL_LIMIT)
    return f"<b>{name}</b>   {SIGNS[role]}{THIN_SPACE}{role}"


def _word(line: float, text: str, x: int, shift: int, *, anchor: str = "left") -> dict[str, Any]:
    """Words on a line, ``shift`` pixels from the left (x = 0) or right edge (x = 1) of the plot."""
    place = {"x": x, "xref": "paper", "y": line, "yref": "y", "yanchor": "middle"}
    return place | _text(text, anchor, shift)


def _head_word(xref: str, x: float, text: str, anchor: str, shift: int) -> dict[str, Any]:
    """A word above the plot, at ``x`` on the axis or the paper."""
    place = {"x": x, "xref": xref, "y": 1, "yref": "paper", "yanchor": "bottom"}
    return place | _text(text, anchor, shift)


def _foot_word(text: str) -> dict[str, Any]:
    """Words below the axis. Not its title: that has its middle below the plot's, and would be cut
    off where the plot is narrow."""
    place = {"x": 0, "xref": "paper", "y": 0, "yref": "paper", "yanchor": "top", "yshift": -32}
    return place | _text(text, "left", 0)


def _add_lines(
    figure: go.Figure, values: Sequence[float], places: Sequence[float], line: dict[str, Any]
) -> None:
    """Upright lines at ``values`` of κ, beside the marks alone. One path for all: each shape more
    takes its time."""
    above, below = REACH
    path = "".join(
        f"M{value},{place + above:.2f}V{place + below:.2f}" for value in values for place in places
    )
    if path:
        figure.add_shape(type="path", path=path, line=line, layer="below")


def _text(text: str, anchor: str, shift: int) -> dict[str, Any]:
    return {
        "text": text,
        "xanchor": anchor,
        "xshift": shift,
        "showarrow": False,
        "font": {"size": SMALL_SIZE},
    }


def _add_control_zone(figure: go.Figure, zone: tuple[float, float]) -> None:
    """The range of the controls, shaded between drawn edges and named in the legend."""
    figure.add_vrect(
        x0=zone[0],
        x1=zone[1],
        name="range of the controls",
        showlegend=True,
        fillcolor=faded(VARIANT, 0.2),
        line={"color": faded(VARIANT, 0.5), "width": 1},
        layer="below",
    )


SYMBOLS = {
    PartitionRole.TARGET: "circle",
    PartitionRole.POSITIVE: "triangle-up",
    PartitionRole.CONTROL: "square",
}
PUBLISHED = "diamond-open"
INVALID = "undecided"  # counts for nothing, so its mark is hollow
VERDICTS = {"contaminated": CONTAMINATED, INVALID: INCONCLUSIVE, "no evidence": INK}


class MarkStyle(NamedTuple):
    """Symbol and colour of a mark."""

    symbol: str
    colour: str


@dataclass(frozen=True)
class ForestRow:
    """One model on one partition; κ and its limits are NaN where undefined, and ``progress``
    (``9 of 40``) is empty for a run that is finished."""

    model: str
    partition: str
    role: PartitionRole
    n: int
    progress: str
    kappa: float
    low: float
    high: float
    published: bool
    verdict: str

    @property
    def mark_style(self) -> MarkStyle:
        """How the row is marked: by source, then role, then verdict."""
        if self.published:
            return MarkStyle(PUBLISHED, VARIANT)
        if self.role is PartitionRole.CONTROL:
            return MarkStyle(SYMBOLS[self.role], CONTROL)
        hollow = "-open" if self.verdict == INVALID else ""
        return MarkStyle(SYMBOLS[self.role] + hollow, VERDICTS.get(self.verdict, INK))

    @property
    def count(self) -> str:
        """n; for an unfinished run, how far it got."""
        return self.progress or f"{self.n:,}"

    @property
    def numbers(self) -> str:
        """κ with its interval, or words if there is none."""
        if math.isnan(self.kappa):
            return "no valid answer"
        if math.isnan(self.low) or math.isnan(self.high):
            return _signed(self.kappa)
        return f"{_signed(self.kappa)} [{_signed(self.low)}, {_signed(self.high)}]"


def read_rows(results: pd.DataFrame) -> list[ForestRow]:
    """The table's rows with their optional columns filled."""
    return [
        ForestRow(
            model=str(record["model"]),
            partition=str(record["partition"]),
            role=PartitionRole(record["role"]),
            n=int(record["n"]),
            progress=_mark_word(record.get("progress")),
            kappa=float(record["kappa"]),
            low=float(record["low"]),
            high=float(record["high"]),
            published=_flag(record.get("published")),
            verdict=_mark_word(record.get("verdict")),
        )
        for record in results.to_dict("records")
    ]


def _flag(value: object) -> bool:
    """A cell as yes or no; an empty cell is no, though NaN counts as true in Python."""
    return bool(value) and not (isinstance(value, float) and math.isnan(value))


def _mark_word(value: object) -> str:
    """A cell as a string; an empty cell, None or NaN, as the empty one."""
    return value if isinstance(value, str) else ""


def arrange(results: pd.DataFrame) -> list[tuple[str, list[ForestRow]]]:
    """Rows by partition in the order shown."""

    def fall(row: ForestRow) -> tuple[bool, float, str]:
        return math.isnan(row.kappa), -row.kappa, row.model

    by_partition = groupby(
        sorted(read_rows(results), key=lambda row: row.partition), key=lambda row: row.partition
    )
    groups = [(partition, sorted(members, key=fall)) for partition, members in by_partition]
    roles = list(SYMBOLS)
    return sorted(groups, key=lambda group: (roles.index(group[1][0].role), fall(group[1][0])))


def _signed(value: float) -> str:
    """Two decimals with a true minus sign; a zero has none."""
    return f"{value:z.2f}".replace("-", "−")
