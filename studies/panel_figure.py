"""The panel on contaminated models as a figure with a sentence, and as tables; all from the figures
in its JSON file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.template import (
    CHANCE_LINE,
    CONTAMINATED,
    CONTROL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    dress,
)
from dcq.evidence.power import ALPHA
from dcq.likelihood.measures import MEASURES
from dcq.words import p_number, two_decimals

# Side of a partition → its words, its colour, its mark.
SIDES = {
    "members": ("trained on", CONTAMINATED, "circle"),
    "others": ("held out", VARIANT, "square"),
    "controls": ("controls", CONTROL, "triangle-up"),
}


def draw(figures: dict[str, Any]) -> go.Figure:
    """A measure a panel: mean midrank of what was trained on, of what was held out, and of each
    control, by dose; a line a training."""
    measures = [
        likelihood_measure
        for likelihood_measure in MEASURES
        if _of(figures, likelihood_measure.name)
    ]
    columns = 2 if len(measures) == 4 else 3
    rows = -(-len(measures) // columns)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[likelihood_measure.title for likelihood_measure in measures],
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        vertical_spacing=0.12,
    )
    dress(figure, height=120 + 240 * rows)
    doses = _doses(figures)
    for index, measure in enumerate(measures):
        row, column = divmod(index, columns)
        for side, (words, colour, mark) in SIDES.items():
            for number, (places, ranks) in enumerate(_lines(figures, measure.name, side)):
                figure.add_scatter(
                    x=places,
                    y=ranks,
                    mode="markers" if side == "controls" else "lines+markers",
                    line={"color": colour, "width": 2},
                    marker={"color": colour, "symbol": mark, "size": 8},
                    name=words,
                    legendgroup=side,
                    showlegend=index == number == 0,
                    row=row + 1,
                    col=column + 1,
                )
        figure.add_hline(y=0.5, line=CHANCE_LINE, row=row + 1, col=column + 1)
    figure.update_yaxes(range=[0.2, 1.04], tickfont=TICKS)
    figure.update_xaxes(tickvals=list(range(len(doses))), ticktext=doses, tickfont=TICKS)
    figure.update_xaxes(title="exposures", row=rows)
    figure.update_yaxes(title="mean midrank", col=1)
    figure.update_annotations(font_size=SMALL_SIZE + 1)
    return figure.update_layout(
        margin={"l": 60, "r": 20, "t": 50, "b": 100},
        showlegend=True,
        legend={"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
    )


def describe(figures: dict[str, Any]) -> str:
    """The figure in one sentence, as alternative text."""
    parts = []
    for place, dose in enumerate(_doses(figures)):
        records = [record["measures"][MEASURES[0].name] for record in _at(figures, place)]
        members, others = (
            sum(record[side]["rank"] for record in records) / len(records)
            for side in ("members", "others")
        )
        parts.append(f"{dose}: {two_decimals(members)} and {two_decimals(others)}")
    return (
        "Mean midrank by the mean log-probability of what was trained on and of what was held out, "
        f"by number of exposures, 0.50 being no preference: {'; '.join(parts)}."
    )


def tabulate(figures: dict[str, Any]) -> str:
    """Markdown tables: what each measure calls at which dose, with false alarms, and how well it
    tells halves apart."""
    doses = _doses(figures)
    count = len(figures["trainings"])
    head = [
        "measure",
        *(f"{dose}: trained on called of {count}, p" for dose in doses),
        "held out called",
        "controls called",
    ]
    lines = [_row(*head), "|---" * len(head) + "|"]
    for measure in MEASURES:
        if records := _of(figures, measure.name):
            cells = [
                _called(
                    [
                        record[measure.name]["members"]
                        for record in records
                        if record["place"] == place
                    ]
                )
                for place in range(len(doses))
            ]
            others = [record[measure.name]["others"] for record in records]
            controls = [each for record in records for each in record[measure.name]["controls"]]
            lines.append(_row(measure.title, *cells, _share(others), _share(controls)))
    lines += ["", _row("AUROC, by midrank / by value", *doses), "|---" * (len(doses) + 1) + "|"]
    for measure in MEASURES:
        if records := _of(figures, measure.name):
            cells = [
                " / ".join(
                    _mean(
                        [
                            record[measure.name][kind]
                            for record in records
                            if record["place"] == place
                        ]
                    )
                    for kind in ("auroc", "auroc_of_value")
                )
                for place in range(len(doses))
            ]
            lines.append(_row(measure.title, *cells))
    return "\n".join(lines)


def _of(figures: dict[str, Any], measure: str) -> list[dict[str, Any]]:
    """What a measure says, an entry a training and dose."""
    return [
        {measure: dose["measures"][measure], "place": place, "training": number}
        for number, training in enumerate(figures["trainings"])
        for place, dose in enumerate(training["doses"])
        if measure in dose["measures"]
    ]


def _lines(
    figures: dict[str, Any], measure: str, side: str
) -> list[tuple[list[float], list[float]]]:
    """Places on the axis and midranks, a line a training; trainings stand beside each other."""
    lines, middle = [], (len(figures["trainings"]) - 1) / 2
    for number, _ in enumerate(figures["trainings"]):
        records = [record for record in _of(figures, measure) if record["training"] == number]
        points = [
            (record["place"] + (number - middle) * 0.12, each["rank"])
            for record in records
            for each in (record[measure][side] if side == "controls" else [record[measure][side]])
        ]
        lines.append(([x for x, _ in points], [y for _, y in points]))
    return lines


def _at(figures: dict[str, Any], place: int) -> list[dict[str, Any]]:
    return [training["doses"][place] for training in figures["trainings"]]


def _doses(figures: dict[str, Any]) -> list[str]:
    return [
        str(dose["exposures"]) if dose["exposures"] else "before"
        for dose in figures["trainings"][0]["doses"]
    ]


def _called(records: Sequence[dict[str, Any]]) -> str:
    """How many are called, and every p."""
    p_values = [record["p"] for record in records if record["p"] is not None]
    called = sum(p <= ALPHA for p in p_values)
    return f"{called}: {', '.join(map(p_number, p_values))}" if p_values else "–"


def _share(records: Sequence[dict[str, Any]]) -> str:
    p_values = [record["p"] for record in records if record["p"] is not None]
    return f"{sum(p <= ALPHA for p in p_values)} of {len(p_values)}"


def _mean(records: Sequence[dict[str, Any] | None]) -> str:
    values = [record["value"] for record in records if record]
    return two_decimals(sum(values) / len(values)) if values else "–"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
