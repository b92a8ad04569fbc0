"""Accuracy on clean and on found instances."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dcq.commands.output import AsJson, emit, percent, remark, table
from dcq.overlap.effect import Effect, effects
from dcq.overlap.labels import read_labels
from dcq.overlap.results import read_results
from dcq.words import p_number, points_words

_SHOWN = ("all", "clean", "not-clean", "input-only", "input-and-label")


def effect(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Answers: a csv of model, instance_id, correct; or logs of lm-evaluation-harness, "
            "inspect_ai, OpenCompass or Every Eval Ever."
        ),
    ],
    labels: Annotated[Path, typer.Option(help="A csv of instance_id, category, score.")],
    as_json: AsJson = False,
) -> None:
    """Compare accuracy on instances that were found with accuracy on clean ones."""
    answers = [answer for path in results for answer in read_results(path)]
    found = effects(answers, read_labels(labels))
    unlabeled = sum(one.unlabeled for one in found)
    if unlabeled:
        remark(f"Left out, because their instances have no label: {unlabeled:,} answers.")
    emit([_document(one) for one in found], as_json, _table(found))


def _document(one: Effect) -> dict[str, Any]:
    gap = one.difference
    return {
        "model": one.model,
        "categories": {
            name: {"n": part.n, "accuracy": part.accuracy} for name, part in one.categories.items()
        },
        "difference": {
            "value": gap.difference,
            "low": gap.low,
            "high": gap.high,
            "p_value": gap.p_value,
        },
    }


def _table(found: list[Effect]) -> Any:
    columns = ["model", *(f"{name}#" for name in _SHOWN), "difference", "p#", "adjusted", "p#"]
    return table(columns, [_row(one) for one in found])


def _row(one: Effect) -> list[str | None]:
    parts = [one.categories[name] for name in _SHOWN]
    shown = [f"{percent(p.accuracy)} of {p.n:,}" if p.n else None for p in parts]
    cells = [_gap(gap.difference, gap.low, gap.high) for gap in (one.difference, one.adjusted)]
    values = [gap.p_value for gap in (one.difference, one.adjusted)]
    tests = [None if value is None else p_number(value) for value in values]
    return [one.model, *shown, cells[0], tests[0], cells[1], tests[1]]


def _gap(value: float | None, low: float | None, high: float | None) -> str | None:
    if value is None or low is None or high is None:
        return None
    return points_words(value, low, high)
