"""The study as a figure with a sentence, and as a table; all from the figures in its JSON file."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.template import (
    CHANCE_LINE,
    CONTAMINATED,
    CONTROL,
    INCONCLUSIVE,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    dress,
)
from dcq.words import kappa_words, p_words, percent, two_decimals

# Set of instances → its words, its colour, its mark.
SETS = {
    "members": ("trained on (truth 100 %)", CONTAMINATED, "circle"),
    "both halves": ("both halves (truth 50 %)", INCONCLUSIVE, "diamond"),
    "non-members": ("held-out half (truth 0 %)", VARIANT, "square"),
    "controls": ("other partition (truth 0 %)", CONTROL, "triangle-up"),
}
# Score → its words, its colour, its line. Two more of the Okabe–Ito set, which mean nothing yet.
LETTERS, REPLICATION = "#56B4E9", "#CC79A7"
SCORES = {
    "quiz, likelihood: margin": ("quiz by likelihood, margin", ORIGINAL, "solid"),
    "quiz, letter: probability": ("quiz by letter, its probability", LETTERS, "solid"),
    "replication: guided ROUGE-L": ("replication, guided ROUGE-L", REPLICATION, "solid"),
    "opening of the training text: ROUGE-L": ("training text continued", REPLICATION, "dot"),
    "likelihood of the text": ("likelihood of the text alone", VARIANT, "dash"),
}
MODES = {"likelihood": "Quiz by likelihood: κ", "letter": "Quiz by letter: κ"}


def draw(figures: dict[str, Any]) -> go.Figure:
    """κ of the quiz by dose in both modes, and AUROC of members against non-members by score."""
    doses = [_dose(record) for record in figures["doses"]]
    titles = [*MODES.values(), "Trained on or held out: AUROC"]
    figure = make_subplots(rows=1, cols=3, subplot_titles=titles, horizontal_spacing=0.08)
    dress(figure, height=560)
    for column, mode in enumerate(MODES, start=1):
        for place, (name, (words, colour, mark)) in enumerate(SETS.items()):
            estimates = [record["sets"][name][mode] for record in figures["doses"]]
            _line(
                figure,
                column,
                [index + (place - 1.5) * 0.11 for index in range(len(doses))],
                [
                    (record["kappa_fixed"], record["kappa_low"], record["kappa_high"])
                    for record in estimates
                ],
                {"color": colour, "width": 2},
                {"symbol": mark, "size": 9},
                name=words,
                legend="legend",
                showlegend=column == 1,
            )
        figure.add_hline(y=0, line=CHANCE_LINE, row=1, col=column)
        figure.update_yaxes(range=[-0.4, 1.05], row=1, col=column)
    for place, (name, (words, colour, dash)) in enumerate(SCORES.items()):
        estimates = [record["auroc"][name] for record in figures["doses"]]
        _line(
            figure,
            3,
            [index + (place - 2) * 0.09 for index in range(len(doses))],
            [(record["value"], record["low"], record["high"]) for record in estimates],
            {"color": colour, "width": 2, "dash": dash},
            {"symbol": ["circle", "diamond", "square", "x", "cross"][place], "size": 8},
            name=words,
            legend="legend2",
        )
    figure.add_hline(y=0.5, line=CHANCE_LINE, row=1, col=3)
    figure.update_yaxes(range=[0.15, 1.03], row=1, col=3)
    figure.update_xaxes(
        tickvals=list(range(len(doses))), ticktext=doses, tickfont=TICKS, title="exposures"
    )
    figure.update_annotations(font_size=SMALL_SIZE + 1)
    below = {"orientation": "v", "y": 0.24, "yanchor": "top", "yref": "container"}
    return figure.update_layout(
        margin={"l": 50, "r": 20, "t": 50, "b": 190},
        showlegend=True,
        legend=below | {"x": 0},
        legend2=below | {"x": 0.69, "xanchor": "left", "font": {"size": SMALL_SIZE}},
    )


def describe(figures: dict[str, Any]) -> str:
    """The figure in one sentence, as alternative text."""
    parts = []
    for dose in figures["doses"]:
        members = dose["sets"]["members"]["likelihood"]["score"]
        others = dose["sets"]["non-members"]["likelihood"]["score"]
        parts.append(
            f"{_dose(dose)}: {percent(members)} of the originals trained on and {percent(others)} "
            f"of those held out, AUROC {dose['auroc']['quiz, likelihood: margin']['value']:.2f}"
        )
    return (
        "The quiz by likelihood finds, by number of exposures, chance being 25 %; "
        f"{'; '.join(parts)}."
    )


def tabulate(figures: dict[str, Any]) -> str:
    """Two Markdown tables, a column a dose: estimates by set, and AUROC by score."""
    doses = [_dose(record) for record in figures["doses"]]
    lines = [_row("κ [95 %], by true share", *doses), "|---" * (len(doses) + 1) + "|"]
    for mode in MODES:
        for name, (words, _, _) in SETS.items():
            estimates = [record["sets"][name][mode] for record in figures["doses"]]
            cells = [_kappa(record) for record in estimates]
            lines.append(_row(f"quiz by {mode}, {words}", *cells))
    for name in ("members", "both halves", "non-members"):
        estimates = [record["sets"][name]["likelihood"] for record in figures["doses"]]
        cells = [_against_control(record) for record in estimates]
        lines.append(_row(f"by likelihood against the other partition, {SETS[name][0]}", *cells))
    for name in ("members", "non-members", "controls"):
        estimates = [record["sets"][name]["replication"] for record in figures["doses"]]
        cells = [
            f"{record['general']:.2f} / {record['guided']:.2f}, {record['exact']} exact"
            for record in estimates
        ]
        lines.append(_row(f"ROUGE-L general / guided, {SETS[name][0]}", *cells))
    for name in ("members", "non-members"):
        estimates = [record["sets"][name]["replication"] for record in figures["doses"]]
        cells = [
            f"{record['opening']:.2f}, {record['opening_exact']} exact" for record in estimates
        ]
        lines.append(_row(f"training text continued, {SETS[name][0]}", *cells))
    for mode in MODES:
        crossed = [record["cross_check"][mode] for record in figures["doses"]]
        cells = [_crossed(record) for record in crossed]
        lines.append(_row(f"right in the quiz by {mode}, of replicas and of the rest", *cells))
    lines += ["", _row("AUROC [95 %]", *doses), "|---" * (len(doses) + 1) + "|"]
    for name in figures["doses"][0]["auroc"]:
        areas = [record["auroc"][name] for record in figures["doses"]]
        lines.append(
            _row(name, *(f"{a['value']:.2f} [{a['low']:.2f}, {a['high']:.2f}]" for a in areas))
        )
    return "\n".join(lines)


def _line(
    figure: go.Figure,
    column: int,
    x: list[float],
    limits: list[tuple[float, float, float]],
    line: dict[str, Any],
    marker: dict[str, Any],
    **more: Any,
) -> None:
    """Values joined by a line, each with its interval."""
    figure.add_scatter(
        x=x,
        y=[value for value, _, _ in limits],
        error_y={
            "array": [high - value for value, _, high in limits],
            "arrayminus": [value - low for value, low, _ in limits],
            "thickness": 1,
            "width": 2,
        },
        mode="lines+markers",
        line=line,
        marker=marker,
        row=1,
        col=column,
        **more,
    )


def _dose(dose: dict[str, Any]) -> str:
    return str(dose["exposures"]) if dose["exposures"] else "before"


def _kappa(estimate: dict[str, Any]) -> str:
    return kappa_words(estimate["kappa_fixed"], estimate["kappa_low"], estimate["kappa_high"])


def _against_control(estimate: dict[str, Any]) -> str:
    """κ_control and its p-value."""
    if estimate["kappa_control"] is None:
        return "no value"
    return f"κ_control {two_decimals(estimate['kappa_control'])}, {p_words(estimate['p_control'])}"


def _crossed(counts: dict[str, Any]) -> str:
    """Right answers among the exact replicas, and among the other instances of both halves."""
    replicas = counts["match_right"] + counts["match_wrong"]
    others = counts["other_right"] + counts["other_wrong"]
    return f"{counts['match_right']} of {replicas}, {counts['other_right']} of {others}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
