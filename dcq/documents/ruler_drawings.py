"""Charts as rulers: a line for each finding, with a dot, its interval, and a band where there is
one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from dcq.charts.forest import arrange
from dcq.judging.judged import UNDECIDED
from dcq.records import PartitionRole
from dcq.words import percent, points, two_decimals

Data = dict[str, Any]
Drawing = tuple[str, Data]
CONTROLS = "control"
EXPECTED = "expected on unseen text"


def number(value: object) -> float | None:
    """A cell as JSON can hold it."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def shares(line: float | None = None, low: float = 0.0, high: float = 1.0) -> Data:
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
    """The findings of ``dcq.documents.chart_rows.ruler_rows``, from 0 to 100 %: of each a dot with
    its interval, and a band where unseen text is expected. A single finding without a name is drawn
    with its words at the marks."""
    drawn = [_ruler(row) for row in rows.to_dict("records")]
    rulings = [row["ruling"] for row in drawn]
    alone = len(drawn) == 1 and not drawn[0]["name"]  # then the band has its words at it
    legend = []
    if not alone and any(row["expected_low"] is not None for row in drawn):
        legend.append(("expected", EXPECTED))
    if any(row["dots"] for row in drawn):
        legend.append((CONTROLS, "a control"))
    if UNDECIDED in rulings and len(drawn) > 1:
        legend.append((UNDECIDED, f"hollow: {UNDECIDED}"))
    if chance is not None:
        legend.append(("chance", f"guessing, {percent(chance)}"))
    return "rulers", {"rows": drawn, "scale": shares(chance), "legend": legend}


def _ruler(row: Mapping[Any, Any]) -> Data:
    share, low, high = (number(row[name]) for name in ("found", "expected_low", "expected_high"))
    expected = "" if low is None or high is None else f"{percent(low)} to {percent(high)}"
    interval = (number(row["low"]), number(row["high"]))
    limits = "" if None in interval else f" [{percent(row['low'])} to {percent(row['high'])}]"
    return {
        "id": str(row.get("run") or ""),
        "name": str(row["name"]),
        "group": str(row["group"]),
        "found": share,
        "low": interval[0],
        "high": interval[1],
        "expected_low": low,
        "expected_high": high,
        "dots": [dot for dot in map(number, row["dots"]) if dot is not None],
        "ruling": str(row["ruling"] or ""),
        "value": "no value" if share is None else f"{percent(share)} {_of(row)}",
        "found_text": "" if share is None else f"found: {percent(share)}{limits}",
        "expected_text": f"{EXPECTED}: {expected}" if expected else "",
    }


def _of(row: Mapping[Any, Any]) -> str:
    """Of how many; how far an unfinished run got."""
    return f"· {row['progress']}" if row.get("progress") else f"of {row['n']:,}"


def describe_verdict_ruler(rows: pd.DataFrame, chance: float | None = 0.25) -> str:
    """All findings in a sentence each."""
    sentences = []
    for row in verdict_ruler(rows, chance)[1]["rows"]:
        about = ", ".join(filter(None, (row["name"], row["group"])))
        words = "; ".join(filter(None, (row["found_text"], row["expected_text"], row["ruling"])))
        sentences.append(f"{about}: {words}." if about else f"{words}.")
    return "What was found, from 0 to 100 %. " + " ".join(sentences or ["No result yet."])


def plain_rows(rows: pd.DataFrame, value: str, say: Callable[[float], str]) -> list[Data]:
    """Marks with intervals, and no more."""
    drawn = []
    for row in rows.to_dict("records"):
        estimate = number(row[value])
        drawn.append(
            {
                "name": str(row["name"]),
                "found": estimate,
                "low": number(row["low"]),
                "high": number(row["high"]),
                "ruling": "",
                "value": f"{'no value' if estimate is None else say(estimate)} · n = {row['n']:,}",
            }
        )
    return drawn


def kappas(rows: pd.DataFrame, line: float | None = 0.0) -> Drawing:
    """The rows of ``dcq.charts.kappa_intervals``."""
    scale = {
        "low": -0.4,
        "high": 1.0,
        "ticks": [[0, "0"], [0.5, "0.50"], [1, "1"]],
        "line": line,
    }
    drawn = plain_rows(rows, "kappa", two_decimals)
    return "rulers", {"rows": drawn, "scale": scale, "legend": []}


def kappa_forest(rows: pd.DataFrame, zone: tuple[float, float] | None = None) -> Drawing:
    """The rows of the chart of that name, with room for names at any width: controls are dots on a
    band, which is their ``zone``, as long as there is something to compare with them."""
    forest_rows = [row for _, members in arrange(rows) for row in members]
    controls = [row for row in forest_rows if row.role is PartitionRole.CONTROL]
    visible_rows = [row for row in forest_rows if row not in controls] or forest_rows
    apart = len(visible_rows) < len(forest_rows)
    drawn = []
    for row in visible_rows:
        dots = (
            [control.kappa for control in controls if control.model == row.model] if apart else []
        )
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
    kind, data = kappas(rows.iloc[:0])
    legend = (
        [("expected", "range of the controls")] if zone or any(r["dots"] for r in drawn) else []
    )
    return kind, data | {"rows": drawn, "legend": legend}


def estimates(rows: pd.DataFrame, unit: str) -> Drawing:
    """Any method's estimates, on a scale of their ``unit``: rows as of ``kappas``."""
    if unit == "kappa":
        return kappas(rows)
    limits = [
        limit
        for limit in map(number, rows[["low", "high"]].to_numpy().ravel())
        if limit is not None
    ]
    if limits and max(map(abs, limits)) > 1:  # no share
        least, most = min(0.0, *limits), max(limits)
        ticks = [[least, f"{least:.3g}"], [most, f"{most:.3g}"]]
        scale = {"low": least, "high": most or 1.0, "ticks": ticks, "line": None}
        drawn = plain_rows(rows, "kappa", lambda value: f"{value:.3g}")
        return "rulers", {"rows": drawn, "scale": scale, "legend": []}
    scale = shares(low=min([0.0, *limits]))
    return "rulers", {"rows": plain_rows(rows, "kappa", percent), "scale": scale, "legend": []}


def strategies(rows: pd.DataFrame, chance: float = 0.25) -> Drawing:
    """A model's score beside that of strategies without memory, which it has to exceed to mean
    anything and which are grey. ``rows`` have ``name``, ``score``, ``low``, ``high`` (from 0 to 1),
    ``n`` and ``is_model``."""
    drawn = plain_rows(rows, "score", percent)
    for row, is_model in zip(drawn, rows["is_model"], strict=True):
        row["look"] = "" if is_model else "is-aside"
    return "rulers", {"rows": drawn, "scale": shares(chance), "legend": []}


def describe_strategy_bars(scores: pd.DataFrame, chance: float = 0.25) -> str:
    """All bars in one sentence, as alternative text."""
    parts = [
        f"{name} {percent(score)}"
        for name, score in zip(scores["name"], scores["score"], strict=True)
    ]
    return f"Share of originals found, where guessing gives {percent(chance)}: {', '.join(parts)}."


_MEASURES: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "rate": ("Exact or near-exact completions", percent),
    "gain": ("What naming the dataset adds to the overlap, in points", points),
}


def replications(
    rows: pd.DataFrame, expected: Mapping[str, tuple[float, float]] | None = None
) -> Drawing:
    """The rows of ``dcq.charts.replication_measures``, with the ranges ``expected`` on unseen
    text."""
    drawn: list[Data] = []
    for measure, (group, say) in _MEASURES.items():
        band = (expected or {}).get(measure, (None, None))
        for row in rows.to_dict("records"):
            estimate = number(row[measure])
            text = "no value" if estimate is None else say(estimate)
            drawn.append(
                {
                    "name": str(row["name"]),
                    "group": group,
                    "found": estimate,
                    "low": number(row[f"{measure}_low"]),
                    "high": number(row[f"{measure}_high"]),
                    "expected_low": None if row["is_control"] else band[0],
                    "expected_high": None if row["is_control"] else band[1],
                    "ruling": str(row.get("ruling") or ""),
                    "look": "is-control" if row["is_control"] else "",
                    "value": f"{text} · n = {row['n']:,}",
                }
            )
    values = [row[name] for row in drawn for name in ("found", "low") if row[name] is not None]
    scale = shares(low=min([0.0, *values]))
    legend = [("expected", EXPECTED)] if expected else []
    return "rulers", {"rows": drawn, "scale": scale, "legend": legend}
