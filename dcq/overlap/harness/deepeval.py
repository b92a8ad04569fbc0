"""Test runs of DeepEval: ``test_run_TIME.json`` of its folder of results.

A test case has its metrics in ``metricsData``, each with a ``score`` and whether it was high enough
(``LLMApiTestCase`` of its ``test_run/api.py``). The model that was asked is not named, unless
people gave it as a hyperparameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dcq.overlap.harness.graded import GradedRow

SUCCESS = "success"  # whether all metrics of a case were high enough


def rows(document: Mapping[str, Any], model: str) -> list[GradedRow]:
    """The test cases as rows of grades; ``model`` is used where the run does not name one."""
    settings = document.get("hyperparameters")
    named = settings.get("model") if isinstance(settings, dict) else None
    return list(_rows(document["testCases"], str(named) if named else model))


def _rows(cases: Any, model: str) -> Iterator[GradedRow]:
    for number, case in enumerate(cases):
        if not isinstance(case, dict):
            continue
        metrics = [part for part in case.get("metricsData") or () if isinstance(part, dict)]
        asked = case.get("input")
        failed = any(part.get("error") for part in metrics)
        yield GradedRow(
            model,
            str(case.get("name") or number),
            {SUCCESS: None if failed else case.get(SUCCESS)}
            | {str(part.get("name")): part.get("score") for part in metrics},
            texts=(asked,) if isinstance(asked, str) and asked else (),
            problem="whose metric ended in an error" if failed else "",
        )
