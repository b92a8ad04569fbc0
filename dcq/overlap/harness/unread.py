"""Files of harnesses that are told by their form and cannot be read, with what to give instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dcq.errors import InputError


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
    others = [value for value in document.values() if not isinstance(value, int | float)]
    if len(others) < len(document) and all(value == "GEN" for value in others):
        raise InputError(
            f"{name} has only numbers of a whole set; if it is of OpenCompass or AISBench, run it "
            "with --dump-eval-details."
        )
    if "adapter_spec" in document:
        raise _file_of_helm(name)


def check_row(row: Mapping[str, Any], name: str) -> None:
    """Raise ``InputError`` for a record of HELM, or for one of AISBench's predictions."""
    if "data_abbr" in row and (_is_prediction(row) or "error_info" in row):
        raise _predictions_of_opencompass(name)
    asked, statistic = row.get("input"), row.get("name")
    if (
        {"instance_id", "train_trial_index"} <= row.keys()
        or ({"references", "id"} <= row.keys() and isinstance(asked, dict) and "text" in asked)
        or ({"count", "sum"} <= row.keys() and isinstance(statistic, dict))
    ):
        raise _file_of_helm(name)


def _is_prediction(entry: Any) -> bool:
    return isinstance(entry, dict) and (
        {"origin_prompt", "prediction"} <= entry.keys() or "in-context examples" in entry
    )


def _predictions_of_opencompass(name: str) -> InputError:
    return InputError(
        f"{name} has predictions of OpenCompass or AISBench without grades; give the .json of this "
        "dataset in its folder results."
    )


def _file_of_helm(name: str) -> InputError:
    return InputError(
        f"{name} is of a run of HELM, but not its file with the grades; give the "
        "per_instance_stats.json beside it."
    )
