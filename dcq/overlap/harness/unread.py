"""Files of harnesses that are told by their form and cannot be read, with what to give instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dcq.errors import InputError

_TABLE = "give a csv of model, instance_id, correct and text"


def check_document(document: Mapping[str, Any], name: str) -> None:
    """Raise ``InputError`` for a JSON object that a harness wrote and that has no single instances,
    or has them in a form that is not read."""
    results = document.get("results")
    if isinstance(results, dict) and "configs" in document:
        raise InputError(
            f"{name} is a summary of lm-evaluation-harness and has no single instances; run it "
            "with --log_samples and give the samples_*.jsonl beside it."
        )
    if isinstance(results, dict) and "config_general" in document:
        raise InputError(
            f"{name} is a summary of lighteval and has no single instances; run it with "
            "--save-details and give the details_*.parquet in its folder details."
        )
    if {"dataset_name", "model_name", "metrics"} <= document.keys():
        raise InputError(
            f"{name} is a report of EvalScope and has no single instances; give the .jsonl of this "
            "benchmark in its folder reviews."
        )
    if document and all(_is_prediction(entry) for entry in document.values()):
        raise _predictions_of_opencompass(name)
    numbers = [value for value in document.values() if isinstance(value, int | float)]
    if numbers and all(value == "GEN" for value in document.values() if value not in numbers):
        raise InputError(
            f"{name} has only numbers of a whole set; if it is of OpenCompass or AISBench, run it "
            "with --dump-eval-details."
        )


def check_row(row: Mapping[str, Any], name: str) -> None:
    """Raise ``InputError`` for a record of HELM, or one of AISBench's predictions."""
    if "data_abbr" in row and (_is_prediction(row) or "error_info" in row):
        raise _predictions_of_opencompass(name)
    if {"instance_id", "stats"} <= row.keys() and isinstance(row["stats"], list):
        raise InputError(
            f"{name} has the statistics of HELM by instance, which are not read; {_TABLE}."
        )
    if {"instance_id", "predicted_text"} <= row.keys():
        raise InputError(f"{name} has the predictions of HELM, which are not read; {_TABLE}.")


def _is_prediction(entry: Any) -> bool:
    return isinstance(entry, dict) and (
        {"origin_prompt", "prediction"} <= entry.keys() or "in-context examples" in entry
    )


def _predictions_of_opencompass(name: str) -> InputError:
    return InputError(
        f"{name} has predictions of OpenCompass or AISBench without grades; give the .json of this "
        "dataset in its folder results."
    )
