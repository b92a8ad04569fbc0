"""Results of promptfoo: ``results.results`` of its ``--output FILE.json``, or a line in ``.jsonl``.

A result is one prompt for one provider (``EvaluateResult`` of its ``types/index.ts``). ``success``
says whether all assertions held, ``score`` how many, and ``namedScores`` has those with a metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dcq.overlap.harness.graded import GradedRow

SUCCESS = "success"
_PASSED_UNSEEN = "No assertions"  # the reason of a test that passes because it has none
_FAILED = (  # openings of reasons of an assertion that did not run, which promptfoo counts as wrong
    *("Custom function threw error", "Python code execution failed", "Ruby code execution failed"),
    *("Webhook error", "Moderation API error"),
)


def listed(document: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The results in an output of promptfoo; None for any other document."""
    results = document.get("results")
    some = results.get("results") if isinstance(results, dict) else None
    if not isinstance(some, list):
        return None
    return some if all(map(is_result, some)) else None


def is_result(result: Any) -> bool:
    """Whether this is a result of promptfoo."""
    return isinstance(result, dict) and {SUCCESS, "provider", "vars"} <= result.keys()


def rows(results: Sequence[Mapping[str, Any]], model: str) -> list[GradedRow]:
    """The results as rows of grades. An instance is a test, by its variable ``id`` or its number,
    whose prompts and repetitions are averaged; ``model`` is used where no provider is named."""
    return [
        _row(number, result, model) for number, result in enumerate(results) if is_result(result)
    ]


def _row(number: int, result: Mapping[str, Any], model: str) -> GradedRow:
    named, graded = result.get("namedScores"), result.get("gradingResult")
    values = result["vars"] if isinstance(result["vars"], dict) else {}
    reason = str(graded.get("reason")) if isinstance(graded, dict) else ""
    has_verdict = isinstance(graded, dict) and reason != _PASSED_UNSEEN
    failed = reason.startswith(_FAILED) or (result.get("error") and not graded)
    identity = values.get("id", result.get("testIdx"))
    return GradedRow(
        _model(result["provider"]) or model,
        str(number if identity in (None, "") else identity),
        (named if isinstance(named, dict) else {})
        | {key: result.get(key) if has_verdict else None for key in (SUCCESS, "score")},
        texts=tuple(value for value in values.values() if isinstance(value, str)),
        problem="whose sample ended in an error" if failed else "",
    )


def _model(provider: Any) -> str:
    """The label that people gave, or else the provider's id, such as ``openai:chat:gpt-5``."""
    if not isinstance(provider, dict):
        return str(provider or "")
    return str(provider.get("label") or provider.get("id") or "")
