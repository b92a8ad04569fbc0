"""Details of lighteval: ``details/MODEL/TIME/details_TASK_TIME.parquet`` of ``--save-details``.

A row has the instance in ``doc``, its grades in ``metric``, and the reply (``DetailsLogger.Detail``
of its ``logging/info_loggers.py``). Releases before 0.9 have ``example`` and ``metrics``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dcq.overlap.harness.graded import GradedRow

_NAME = re.compile(r"details_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?")
_DETAILS = "details"


def is_detail(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of lighteval's details."""
    return (isinstance(row.get("doc"), dict) and isinstance(row.get("metric"), dict)) or (
        "example" in row and isinstance(row.get("metrics"), dict)
    )


def rows(samples: Sequence[Mapping[str, Any]], path: Path, model: str) -> list[GradedRow]:
    """The instances as rows of grades. The model is what stands between the folders ``details`` and
    that of the time; ``model`` where there are none."""
    named = _NAME.fullmatch(path.stem)
    task = named[1] if named else None
    folders = path.absolute().parent.parts
    if _DETAILS in folders[:-2]:
        after = len(folders) - folders[::-1].index(_DETAILS)
        model = "/".join(folders[after:-1]) or model
    return [_row(number, sample, task, model) for number, sample in enumerate(samples)]


def _row(number: int, sample: Mapping[str, Any], task: str | None, model: str) -> GradedRow:
    document = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
    grades = sample["metric"] if "metric" in sample else sample["metrics"]
    identity = document.get("id")
    text = document.get("query", sample.get("example"))
    return GradedRow(
        model,
        str(number if identity in (None, "") else identity),
        {name: value for name, value in grades.items() if not isinstance(value, list | dict)},
        document.get("task_name") or task,
        (text,) if isinstance(text, str) and text else (),
    )
