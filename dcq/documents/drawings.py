"""Charts as data: turns the rows of a chart into what ``dcq.documents.drawn`` draws in the browser.

``DRAWINGS`` has a function for each ``name`` of a ``Chart``. It takes the chart's rows and
arguments, and returns the kind of the picture with its data. A chart that has no function here is
shown as its table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from dcq.charts.forest import arrange
from dcq.charts.option_distribution import NO_LETTER, WITHOUT_ORIGINAL, count_answers, count_replies
from dcq.records import PartitionRole
from dcq.words import percent, two_decimals

Data = dict[str, Any]
Drawing = tuple[str, Data]
SQUARES = 100  # of a waffle
TARGETS, CONTROLS = "found", "control"


def number(value: object) -> float | None:
    """A number as JSON can hold it; None for any other cell."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _shares(line: float | None = None, low: float = 0.0, high: float = 1.0) -> Data:
    """A scale in per cent; ``line`` is where guessing is."""
    step = 0.25 if high - low > 0.6 else 0.1
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [round(place * step, 2) for place in range(first, last + 1)]
    return {
        "low": ticks[0],
        "high": ticks[-1],
        "ticks": [[tick, percent(tick)] for tick in ticks],
        "line": line,
    }


def verdict_ruler(rows: pd.DataFrame, chance: float | None = 0.25) -> Drawing:
    """A ruler from 0 to 100 % with the findings of ``dcq.documents.chart_rows.ruler_rows``: a dot
    with its interval for each, and a band where unseen text is expected. A single finding without a
    name has its words at the marks."""
    drawn = [_ruler(row) for row in rows.to_dict("records")]
    rulings = [row["ruling"] for row in drawn]
    legend = [("expected", "expected on unseen text")]
    if any(row["dots"] for row in drawn):
        legend.append((CONTROLS, "a control"))
    if "inconclusive" in rulings and len(drawn) > 1:
        legend.append(("inconclusive", "hollow: inconclusive"))
    if chance is not None:
        legend.append(("chance", f"guessing, {percent(chance)}"))
    return "rulers", {"rows": drawn, "scale": _shares(chance), "legend": legend}


def _ruler(row: Mapping[Any, Any]) -> Data:
    found, low, high = (number(row[name]) for name in ("found", "expected_low", "expected_high"))
    expected = "" if low is None or high is None else f"{percent(low)} to {percent(high)}"
    interval = (number(row["low"]), number(row["high"]))
    limits = "" if None in interval else f" [{percent(row['low'])} to {percent(row['high'])}]"
    return {
        "id": str(row.get("run") or ""),
        "name": str(row["name"]),
        "group": str(row["group"]),
        "found": found,
        "low": interval[0],
        "high": interval[1],
        "expected_low": low,
        "expected_high": high,
        "dots": [dot for dot in map(number, row["dots"]) if dot is not None],
        "ruling": str(row["ruling"] or ""),
        "value": "no value" if found is None else f"{percent(found)} {_of(row)}",
        "found_text": "" if found is None else f"found: {percent(found)}{limits}",
        "expected_text": f"expected on unseen text: {expected}" if expected else "",
    }


def _of(row: Mapping[Any, Any]) -> str:
    """Of how many; how far an unfinished run got."""
    return f"· {row['progress']}" if row.get("progress") else f"of {row['n']:,}"


def describe_verdict_ruler(rows: pd.DataFrame, chance: float | None = 0.25) -> str:
    """All findings in a sentence each."""
    said = []
    for row in verdict_ruler(rows, chance)[1]["rows"]:
        about = ", ".join(filter(None, (row["name"], row["group"])))
        words = "; ".join(filter(None, (row["found_text"], row["expected_text"], row["ruling"])))
        said.append(f"{about}: {words}." if about else f"{words}.")
    return "Originals found, from 0 to 100 %. " + " ".join(said or ["No result yet."])


def _plain_rows(
    rows: pd.DataFrame, value: str, say: Callable[[float], str], *, names: str = "name"
) -> list[Data]:
    """Marks with intervals, and no more."""
    made = []
    for row in rows.to_dict("records"):
        found = number(row[value])
        made.append(
            {
                "name": str(row[names]),
                "found": found,
                "low": number(row["low"]),
                "high": number(row["high"]),
                "ruling": "",
                "value": f"{'no value' if found is None else say(found)} · n = {row['n']:,}",
            }
        )
    return made


def _kappas(rows: pd.DataFrame, line: float | None = 0.0) -> Drawing:
    scale = {
        "low": -0.4,
        "high": 1.0,
        "ticks": [[0, "0"], [0.5, "0.50"], [1, "1"]],
        "line": line,
    }
    drawn = _plain_rows(rows, "kappa", two_decimals)
    return "rulers", {"rows": drawn, "scale": scale, "legend": []}


def kappa_forest(rows: pd.DataFrame, zone: tuple[float, float] | None = None) -> Drawing:
    """The rows of the chart of that name, with room for names at any width. Controls are dots on a
    band, their ``zone``, where there are findings to compare with them."""
    every = [row for _, members in arrange(rows) for row in members]
    controls = [row for row in every if row.role is PartitionRole.CONTROL]
    shown = [row for row in every if row not in controls] or every
    apart = len(shown) < len(every)
    drawn = []
    for row in shown:
        dots = [one.kappa for one in controls if one.model == row.model] if apart else []
        band = zone or ((min(dots), max(dots)) if dots else (None, None))
        drawn.append(
            {
                "name": row.model,
                "group": f"{row.partition} · {row.role}",
                "found": number(row.kappa),
                "low": number(row.low),
                "high": number(row.high),
                "expected_low": band[0] and number(band[0]),
                "expected_high": band[1] and number(band[1]),
                "dots": [dot for dot in map(number, dots) if dot is not None],
                "ruling": "published" if row.published else row.verdict,
                "value": f"{row.numbers} · n = {row.count}",
            }
        )
    kind, data = _kappas(rows.iloc[:0])
    legend = (
        [("expected", "range of the controls")] if zone or any(r["dots"] for r in drawn) else []
    )
    return kind, data | {"rows": drawn, "legend": legend}


def _estimates(rows: pd.DataFrame, unit: str) -> Drawing:
    if unit == "kappa":
        return _kappas(rows)
    limits = [
        one for one in map(number, rows[["low", "high"]].to_numpy().ravel()) if one is not None
    ]
    if limits and max(map(abs, limits)) > 1:  # no share
        least, most = min(0.0, *limits), max(limits)
        ticks = [[least, f"{least:.3g}"], [most, f"{most:.3g}"]]
        scale = {"low": least, "high": most or 1.0, "ticks": ticks, "line": None}
        drawn = _plain_rows(rows, "kappa", lambda value: f"{value:.3g}")
        return "rulers", {"rows": drawn, "scale": scale, "legend": []}
    scale = _shares(low=min([0.0, *limits]))
    return "rulers", {"rows": _plain_rows(rows, "kappa", percent), "scale": scale, "legend": []}


def _strategies(rows: pd.DataFrame, chance: float = 0.25) -> Drawing:
    drawn = _plain_rows(rows, "score", percent)
    return "rulers", {"rows": drawn, "scale": _shares(chance), "legend": []}


_MEASURES = {"rate": "Exact or near-exact completions", "gain": "Guided minus general, in points"}


def _replications(
    rows: pd.DataFrame, expected: Mapping[str, tuple[float, float]] | None = None
) -> Drawing:
    drawn: list[Data] = []
    for measure, group in _MEASURES.items():
        band = (expected or {}).get(measure, (None, None))
        for row in rows.to_dict("records"):
            found = number(row[measure])
            drawn.append(
                {
                    "name": str(row["name"]),
                    "group": group,
                    "found": found,
                    "low": number(row[f"{measure}_low"]),
                    "high": number(row[f"{measure}_high"]),
                    "expected_low": None if row["is_control"] else band[0],
                    "expected_high": None if row["is_control"] else band[1],
                    "ruling": "",
                    "value": f"{'no value' if found is None else percent(found)} of {row['n']:,}",
                }
            )
    every = [row[name] for row in drawn for name in ("found", "low") if row[name] is not None]
    scale = _shares(low=min([0.0, *every]))
    return "rulers", {
        "rows": drawn,
        "scale": scale,
        "legend": [("expected", "expected on unseen text")],
    }


def _options(counts: pd.DataFrame, original: str | None = None, chance: float = 0.25) -> Drawing:
    kinds = sorted(counts["kind"].unique(), key=lambda kind: kind not in WITHOUT_ORIGINAL)
    tallies = {kind: count_answers(counts[counts["kind"] == kind]) for kind in kinds}
    others = [one for one in NO_LETTER if any(tally.get(one, 0) for tally in tallies.values())]
    columns = []
    for answer in [*"ABCD", *others]:
        values = []
        for kind, tally in tallies.items():
            share = tally.get(answer, 0) / (count_replies(tally) or 1)
            faded = kind in WITHOUT_ORIGINAL
            values.append({"share": share, "text": percent(share), "faded": faded})
        mine = answer == original
        columns.append(
            {
                "name": str(answer),
                "note": "the original" if mine else "",
                "original": mine,
                "values": values,
            }
        )
    legend = [
        ("without" if kind in WITHOUT_ORIGINAL else "with", f"{kind}, n = {count_replies(tally):,}")
        for kind, tally in tallies.items()
    ]
    words = f"guessing, {percent(chance)}"
    return "bars", {"columns": columns, "chance": chance, "chance_text": words, "legend": legend}


def _slots(rows: pd.DataFrame, chance: float | None = 0.25) -> Drawing:
    lines = [
        {
            "name": f"{row['model']} · {row['partition']}",
            "left": row["modified"],
            "right": row["standard"],
            "ruling": "",
        }
        for row in rows.to_dict("records")
    ]
    return _slope("Slot without the original", "The same slot with it", lines, chance)


def model_slope(rows: pd.DataFrame, left: str, right: str) -> Drawing:
    """Compares two models: a line for each partition, from the share of originals that the first
    found to the share that the second found. ``rows`` have ``name``, ``left``, ``right``,
    ``is_control`` and ``ruling``, the verdict on the second."""
    lines = [
        {
            "name": str(row["name"]),
            "left": row["left"],
            "right": row["right"],
            "control": bool(row["is_control"]),
            "ruling": str(row["ruling"] or ""),
        }
        for row in rows.to_dict("records")
    ]
    kind, data = _slope(left, right, lines, 0.25)
    if any(line["control"] for line in lines):
        data["legend"].append(("slot", "grey: a control"))
    if any(line["ruling"] == "inconclusive" for line in lines):
        data["legend"].append(("inconclusive", "hollow: inconclusive"))
    return kind, data


def describe_model_slope(rows: pd.DataFrame, left: str, right: str) -> str:
    """Each line in words."""
    said = [
        f"{row['name']} {percent(row['left'])} and {percent(row['right'])}"
        for row in rows.to_dict("records")
    ]
    return f"Originals found by {left} and by {right}: {'; '.join(said)}."


def _slope(left: str, right: str, lines: list[Data], chance: float | None) -> Drawing:
    for line in lines:
        line["left_text"], line["right_text"] = percent(line["left"]), percent(line["right"])
    most = max([0.5, *(line[side] for line in lines for side in ("left", "right"))])
    scale = _shares(chance, high=most)
    legend = [] if chance is None else [("chance", f"guessing, {percent(chance)}")]
    return "slope", {"left": left, "right": right, "lines": lines, "scale": scale, "legend": legend}


_FOUND = {
    "input-and-label": ("full", "input and label found"),
    "input-only": ("half", "only the input found"),
    "clean": ("", "not found"),
}


def _waffle(rows: pd.DataFrame) -> Drawing:
    """Shares as squares of a hundred; what was found at all has at least one."""
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


def _accuracies(rows: pd.DataFrame) -> Drawing:
    named = rows.assign(name=[str(one).replace("-", " ") for one in rows["category"]])
    drawn = _plain_rows(named, "accuracy", percent)
    for row, model in zip(drawn, named["model"], strict=True):
        row["group"] = str(model)
    return "rulers", {"rows": drawn, "scale": _shares(), "legend": []}


def model_matrix(rows: pd.DataFrame, models: Sequence[str]) -> Drawing:
    """A table of partitions by models: ``rows`` have ``partition`` and for each model a mapping
    with ``text``, ``note``, ``ruling`` and ``control``, or None where nothing was asked."""
    lines = [
        {"name": str(row["partition"]), "cells": [row[model] for model in models]}
        for row in rows.to_dict("records")
    ]
    legend = [
        "κ above controls: 0 is the score on unseen text",
        "⚑ contaminated",
        "○ no evidence",
        "? inconclusive",
    ]
    return "matrix", {"columns": list(models), "rows": lines, "legend": legend}


def describe_model_matrix(rows: pd.DataFrame, models: Sequence[str]) -> str:
    """Each cell in words."""
    said = [
        f"{model} on {row['partition']}: {cell['text']} {cell['ruling']}".rstrip()
        for row in rows.to_dict("records")
        for model in models
        if (cell := row[model])
    ]
    return f"κ above controls of each model on each partition. {'; '.join(said)}."


def _effects(rows: pd.DataFrame) -> Drawing:
    """Scores on originals and on rewordings: the target's lines, and grey those of clean models."""
    lines = [
        {
            "name": str(row["model"])
            if row["line"] == "clean model"
            else f"{row['panel']} · {row['line']}",
            "left": row["original"],
            "right": row["reworded"],
            "control": row["line"] == "clean model",
            "ruling": "",
        }
        for row in rows.to_dict("records")
    ]
    kind, data = _slope("Score on originals", "Score on rewordings", lines, None)
    data["legend"].append(("slot", "grey: a clean model"))
    return kind, data


DRAWINGS: Mapping[str, Callable[..., Drawing]] = {
    "accuracy_by_category": _accuracies,
    "effect_slopes": _effects,
    "estimate_intervals": _estimates,
    "kappa_forest": kappa_forest,
    "kappa_intervals": _kappas,
    "model_matrix": model_matrix,
    "model_slope": model_slope,
    "option_distribution": _options,
    "overlap_categories": _waffle,
    "paired_slots": _slots,
    "replication_measures": _replications,
    "strategy_bars": _strategies,
    "verdict_ruler": verdict_ruler,
}
DESCRIPTIONS: Mapping[str, Callable[..., str]] = {
    describe.__name__: describe
    for describe in (describe_model_matrix, describe_model_slope, describe_verdict_ruler)
}
