"""Charts as data: turns the rows of a chart into what ``dcq.documents.drawn`` draws in the browser.

``DRAWINGS`` has a function for each ``name`` of a ``Chart``. It takes the chart's rows and
arguments, and returns the kind of the picture with its data. A chart that has no function here is
shown as its table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from dcq.charts.option_distribution import NO_LETTER, WITHOUT_ORIGINAL, count_answers, count_replies
from dcq.documents.ruler_drawings import (
    Data,
    Drawing,
    describe_strategy_bars,
    describe_verdict_ruler,
    estimates,
    kappa_forest,
    kappas,
    plain_rows,
    replications,
    shares,
    strategies,
    verdict_ruler,
)
from dcq.judging.judged import UNDECIDED, Ruling
from dcq.words import counted, percent

SQUARES = 100  # of a waffle
CLEAN = "clean model"  # a line of the chart of effects


def answer_list(rows: pd.DataFrame) -> Drawing:
    """Answers in words: ``rows`` have ``ruling`` and ``sentence``."""
    return "answers", {"answers": rows.to_dict("records")}


def describe_answer_list(rows: pd.DataFrame) -> str:
    """Each answer in words."""
    return " ".join(f"{row['ruling']}: {row['sentence']}" for row in rows.to_dict("records"))


def _options(counts: pd.DataFrame, original: str | None = None, chance: float = 0.25) -> Drawing:
    kinds = sorted(counts["kind"].unique(), key=lambda kind: kind not in WITHOUT_ORIGINAL)
    tallies = {kind: count_answers(counts[counts["kind"] == kind]) for kind in kinds}
    others = [
        outcome for outcome in NO_LETTER if any(tally.get(outcome, 0) for tally in tallies.values())
    ]
    columns = []
    for answer in [*"ABCD", *others]:
        values = []
        for kind, tally in tallies.items():
            share = tally.get(answer, 0) / (count_replies(tally) or 1)
            faded = kind in WITHOUT_ORIGINAL
            values.append({"share": share, "text": percent(share), "faded": faded})
        is_original = answer == original
        columns.append(
            {
                "name": str(answer),
                "note": "the original" if is_original else "",
                "original": is_original,
                "values": values,
            }
        )
    legend = [
        ("without" if kind in WITHOUT_ORIGINAL else "with", f"{kind}, n = {count_replies(tally):,}")
        for kind, tally in tallies.items()
    ]
    rulings = set(counts["ruling"]) if "ruling" in counts else set()
    hollow = rulings == {UNDECIDED}
    if hollow:
        legend.append((UNDECIDED, f"hollow: {UNDECIDED}"))
    words = f"guessing, {percent(chance)}"
    data = {"columns": columns, "chance": chance, "chance_text": words, "legend": legend}
    return "bars", data | {"hollow": hollow}


def _slots(rows: pd.DataFrame, chance: float | None = 0.25) -> Drawing:
    lines = [
        _line(f"{row['model']} · {row['partition']}", row["modified"], row["standard"])
        for row in rows.to_dict("records")
    ]
    return _slope("Slot without the original", "The same slot with it", lines, chance)


def model_slope(rows: pd.DataFrame, left: str, right: str) -> Drawing:
    """Compares two models: a line for each partition, from the share of originals that the first
    found to the share that the second found. ``rows`` have ``name``, ``left``, ``right``,
    ``is_control`` and ``ruling``, the verdict on the second."""
    lines = [
        _line(str(row["name"]), row["left"], row["right"])
        | {"control": bool(row["is_control"]), "ruling": str(row["ruling"] or "")}
        for row in rows.to_dict("records")
    ]
    kind, data = _slope(left, right, lines, 0.25)
    if any(line["control"] for line in lines):
        data["legend"].append(("slot", "grey: a control"))
    if any(line["ruling"] == UNDECIDED for line in lines):
        data["legend"].append((UNDECIDED, f"hollow: {UNDECIDED}"))
    return kind, data


def describe_model_slope(rows: pd.DataFrame, left: str, right: str) -> str:
    """Each line in words."""
    parts = [
        f"{row['name']} {percent(row['left'])} and {percent(row['right'])}"
        for row in rows.to_dict("records")
    ]
    return f"Originals found by {left} and by {right}: {'; '.join(parts)}."


def _line(name: str, left: float, right: float) -> Data:
    texts = {"left_text": percent(left), "right_text": percent(right)}
    return {"name": name, "left": left, "right": right, "ruling": "", **texts}


def _slope(left: str, right: str, lines: list[Data], chance: float | None) -> Drawing:
    most = max([0.5, *(line[side] for line in lines for side in ("left", "right"))])
    scale = shares(chance, high=most)
    legend = [] if chance is None else [("chance", f"guessing, {percent(chance)}")]
    return "slope", {"left": left, "right": right, "lines": lines, "scale": scale, "legend": legend}


_FOUND = {
    "input-and-label": ("full", "input and label found"),
    "input-only": ("half", "only the input found"),
    "clean": ("", "not found"),
}


def waffle(rows: pd.DataFrame) -> Drawing:
    """Shares of what was looked for as squares of a hundred; what was found at all has at least
    one. ``rows`` has ``category`` (clean, input-only, input-and-label), ``count``, ``n`` and
    ``share`` from 0 to 1."""
    by_category = {row["category"]: row for row in rows.to_dict("records")}
    n = sum(int(row["count"]) for row in by_category.values())
    squares = {
        name: max(round(SQUARES * row["count"] / n), 1 if row["count"] else 0)
        for name, row in by_category.items()
    }
    if squares:
        largest = max(squares, key=squares.__getitem__)
        squares[largest] += SQUARES - sum(squares.values())
    parts = [
        {
            "name": words,
            "kind": kind,
            "squares": squares[name],
            "text": f"{by_category[name]['count']:,} · {percent(by_category[name]['share'])}",
        }
        for name, (kind, words) in _FOUND.items()
        if name in by_category
    ]
    return "waffle", {"parts": parts, "of": f"A square is 1 % of {n:,} instances"}


TITLES = {
    "clean": "clean",
    "input-only": "input only",
    "input-and-label": "input and label",
}


def describe_overlap_categories(rows: pd.DataFrame) -> str:
    """The counts in one sentence, as alternative text."""
    if rows.empty:
        return "Instances by category: nothing was looked for yet."
    parts = [
        f"{TITLES[row['category']]} {row['count']:,} ({percent(row['share'])})"
        for row in rows.to_dict("records")
    ]
    return f"Of {rows['n'].iloc[0]:,} instances looked for: {', '.join(parts)}."


def windows(rows: pd.DataFrame) -> Drawing:
    """The share found in each window of time (the report's Figure 2). ``rows`` has ``window``,
    ``n`` and ``share`` with ``low`` and ``high``, from 0 to 1."""
    drawn = plain_rows(rows.rename(columns={"window": "name"}), "share", percent)
    return "rulers", {"rows": drawn, "scale": shares(), "legend": []}


def describe_found_by_window(rows: pd.DataFrame) -> str:
    """All windows in one sentence, as alternative text."""
    parts = [
        f"{row['window']} {percent(row['share'])} of {row['n']:,}"
        for row in rows.to_dict("records")
    ]
    return f"Share found by window of time: {', '.join(parts) or 'no window yet'}."


def accuracies(rows: pd.DataFrame) -> Drawing:
    """For each model its accuracy on clean, input-only and input-and-label instances. ``rows`` has
    ``model``, ``category``, ``n`` and ``accuracy`` with ``low`` and ``high``, from 0 to 1."""
    named = rows.assign(name=[_FOUND[category][1] for category in rows["category"]])
    drawn = plain_rows(named, "accuracy", percent)
    for row, model in zip(drawn, named["model"], strict=True):
        row["group"] = str(model)
    return "rulers", {"rows": drawn, "scale": shares(), "legend": []}


def describe_accuracy_by_category(rows: pd.DataFrame) -> str:
    """All models in a sentence each, as alternative text."""
    if rows.empty:
        return "Accuracy by category: no model yet."
    sentences = []
    for model, model_rows in rows.groupby("model", sort=False):
        parts = [
            f"{TITLES[row['category']]} {percent(row['accuracy'])} of {row['n']:,}"
            for row in model_rows.to_dict("records")
            if not math.isnan(row["accuracy"])
        ]
        sentences.append(f"{model}: {', '.join(parts) or 'no instance'}.")
    return f"Accuracy by category. {' '.join(sentences)}"


def model_matrix(rows: pd.DataFrame, models: Sequence[str]) -> Drawing:
    """A table of partitions by models: ``rows`` have ``partition`` and for each model a mapping
    with ``text``, ``note``, ``ruling`` and ``control``, or None where nothing was asked."""
    lines = [
        {"name": str(row["partition"]), "cells": [row[model] for model in models]}
        for row in rows.to_dict("records")
    ]
    legend = [
        "Percentage points above what is expected on unseen text",
        *(f"{ruling.mark} {ruling.word}" for ruling in Ruling),
    ]
    return "matrix", {"columns": list(models), "rows": lines, "legend": legend}


def describe_model_matrix(rows: pd.DataFrame, models: Sequence[str]) -> str:
    """Each cell in words."""
    parts = [
        f"{model} on {row['partition']}: {cell['text']} {cell['ruling']}".rstrip()
        for row in rows.to_dict("records")
        for model in models
        if (cell := row[model])
    ]
    return f"Each model on each partition, in points above unseen text. {'; '.join(parts)}."


def effects(rows: pd.DataFrame) -> Drawing:
    """Scores on originals and on rewordings, on a scale of their own: the lines of targets, and
    grey and unnamed those of clean models. ``rows`` has ``panel`` (the target), ``model``, ``line``
    (clean model, all instances, recognised, not recognised), ``original`` and ``reworded`` from 0
    to 1."""
    lines = []
    for row in rows.to_dict("records"):
        is_clean = row["line"] == CLEAN
        name = "" if is_clean else f"{row['panel']} · {row['line']}"
        part = row["line"] not in {CLEAN, "all instances"}
        line = _line(name, row["original"], row["reworded"])
        lines.append(line | {"control": is_clean, "part": part})
    clean = rows.loc[rows["line"] == CLEAN, "model"].nunique()
    kind, data = _slope("Score on originals", "Score on rewordings", lines, None)
    ends = [line[side] for line in lines for side in ("left", "right")]
    data["scale"] = shares(low=min(ends), high=max(ends)) if ends else data["scale"]
    data["legend"].append(("slot", f"grey: {counted(clean, 'clean model')}"))
    return kind, data


def describe_effect_slopes(rows: pd.DataFrame) -> str:
    """Each target's lines, and how many clean models stand beside it, as alternative text."""
    sentences = []
    for panel, panel_rows in rows.groupby("panel", sort=False):
        parts = [
            f"{row['line']} {percent(row['original'], 1)} to {percent(row['reworded'], 1)}"
            for row in panel_rows.to_dict("records")
            if row["line"] != "clean model"
        ]
        clean = int((panel_rows["line"] == "clean model").sum())
        sentences.append(f"{panel}: {', '.join(parts)}; {clean} clean models in grey.")
    return f"Scores on originals and on rewordings. {' '.join(sentences) or 'No model yet.'}"


DRAWINGS: Mapping[str, Callable[..., Drawing]] = {
    "accuracy_by_category": accuracies,
    "answer_list": answer_list,
    "effect_slopes": effects,
    "estimate_intervals": estimates,
    "kappa_forest": kappa_forest,
    "kappa_intervals": kappas,
    "model_matrix": model_matrix,
    "model_slope": model_slope,
    "option_distribution": _options,
    "found_by_window": windows,
    "overlap_categories": waffle,
    "paired_slots": _slots,
    "replication_measures": replications,
    "strategy_bars": strategies,
    "verdict_ruler": verdict_ruler,
}
DESCRIPTIONS: Mapping[str, Callable[..., str]] = {
    describe.__name__: describe
    for describe in (
        describe_accuracy_by_category,
        describe_answer_list,
        describe_effect_slopes,
        describe_found_by_window,
        describe_model_matrix,
        describe_model_slope,
        describe_overlap_categories,
        describe_strategy_bars,
        describe_verdict_ruler,
    )
}
