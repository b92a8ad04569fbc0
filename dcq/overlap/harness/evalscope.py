"""Reviews of EvalScope: ``reviews/MODEL/BENCHMARK_SUBSET.jsonl``, a line for each sample.

``ReviewResult`` of its ``api/evaluator/cache.py`` writes them, with the grades in ``sample_score``.
Its ``predictions`` of the same name have no grades, and its reports no single samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.overlap.harness.graded import GradedRow
from dcq.partitions.uploads import given_name


def is_review(sample: Mapping[str, Any]) -> bool:
    """Whether a line is of EvalScope's reviews."""
    return isinstance(sample.get("sample_score"), dict) and "index" in sample


def check_not_predictions(sample: Mapping[str, Any], name: str) -> None:
    """Raise ``InputError`` for a line of EvalScope's predictions, which have no grades."""
    if {"index", "model", "model_output"} <= sample.keys():
        raise InputError(
            f"{name} has EvalScope's predictions without grades; give the file of this name in its "
            "folder reviews."
        )


def rows(samples: Sequence[Mapping[str, Any]], path: Path, model: str) -> list[GradedRow]:
    """The samples as rows of grades; the subject is the file. ``model`` is used where no reply
    names its model."""
    subject = Path(given_name(path)).stem
    return [_row(sample, subject, model) for sample in samples if is_review(sample)]


def _row(sample: Mapping[str, Any], subject: str, model: str) -> GradedRow:
    scored = sample["sample_score"]
    score = scored.get("score")
    value = score.get("value") if isinstance(score, dict) else None
    grades: dict[str, Any] = value if isinstance(value, dict) else {}
    metadata = scored.get("sample_metadata")
    own_id = metadata.get("id") if isinstance(metadata, dict) else None
    messages = [part for part in sample.get("messages") or () if isinstance(part, dict)]
    replies = (part.get("model") for part in messages if part.get("role") == "assistant")
    asked = [_text(part.get("content")) for part in messages if part.get("role") == "user"]
    return GradedRow(
        next((name for name in replies if isinstance(name, str) and name), model),
        str(sample["index"] if own_id is None else own_id),
        grades,
        subject,
        tuple(text for text in asked[-1:] if text),
        "" if grades else "whose sample could not be scored",
    )


def _text(content: Any) -> str:
    """A message's text, or those between its pictures."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
