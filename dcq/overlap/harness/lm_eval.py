"""Samples of lm-evaluation-harness: ``samples_*.jsonl`` of ``--log_samples``, or one list of them.

Where a task has several filters, each instance has a row for each; the first counts unless a metric
is named with its filter, ``exact_match,flexible-extract``, as the harness's own results name it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.incoming.json_parts import JsonParts
from dcq.incoming.memory import Budget
from dcq.incoming.plain_file import open_text
from dcq.overlap.harness.graded import GradedRow
from dcq.words import choices

_SAMPLES = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.-]+))?")  # task, and when it ran
# What a row has beside its metrics; older releases do not list these.
_NOT_METRICS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "schema_version", "task_name", "idx", "latency"),
}


def rows(
    samples: Sequence[Mapping[str, Any]], path: Path, model: str, wanted: str
) -> tuple[list[GradedRow], str]:
    """The instances, and the metric ``wanted`` without its filter. ``model`` is used where no
    results lie beside the file."""
    named = _SAMPLES.fullmatch(path.stem)
    task, moment = (named[1], named[2]) if named else (None, None)
    metric, _, chosen = wanted.partition(",")
    filters = list(dict.fromkeys(str(row.get("filter")) for row in samples))
    if chosen and chosen not in filters:
        raise InputError(f"{path.name} has no filter {chosen!r}; choose from {choices(filters)}.")
    first = chosen or filters[0]
    model = (moment and _model_beside(path, moment)) or model
    graded = [_row(row, task, model) for row in samples if str(row.get("filter")) == first]
    if not any(row.grades for row in graded):
        raise InputError(
            f"{path.name} has no metric that tells right from wrong; run the task with one, such "
            "as acc or exact_match."
        )
    return graded, metric


def _row(row: Mapping[str, Any], task: str | None, model: str) -> GradedRow:
    """The subject is the instance's own, or else the task."""
    document = row["doc"] if isinstance(row.get("doc"), dict) else {}
    identity = next((document[key] for key in ("id", "ind") if key in document), row.get("doc_id"))
    subject = document.get("subject", task)
    listed = row.get("metrics")
    names = (
        [name for name in listed if isinstance(name, str) and name in row]
        if isinstance(listed, list)
        else [name for name in row if name not in _NOT_METRICS]
    )
    return GradedRow(
        model,
        str(identity),
        # A metric of the whole set, such as BLEU, has what it compares here, not a grade.
        {name: row[name] for name in names if not isinstance(row[name], list | dict)},
        None if subject is None else str(subject),
        tuple(value for value in document.values() if isinstance(value, str)),
    )


def _model_beside(path: Path, moment: str) -> str | None:
    """The model as the results of the same run name it: the folder has signs replaced."""
    results = path.with_name(f"results_{moment}.json")
    try:
        with open_text(results) as file:
            parts = JsonParts(file, results.name)
            for name in parts.names():
                value = parts.shallow(Budget(results.name))
                if name == "model_name" and isinstance(value, str) and value:
                    return value
    except (OSError, ValueError, InputError):
        return None
    return None
