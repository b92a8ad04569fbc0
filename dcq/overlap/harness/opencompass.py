"""Details of OpenCompass and AISBench, in the forms that both have written.

``format_details`` of OpenCompass's ``openicl_eval.py`` writes an object by number. It says whether
an entry is ``correct`` where options were compared by perplexity or the evaluator gave details, and
otherwise only what was predicted and expected. Where the evaluator gave details, current releases
write a list of them, a value for each repetition, mostly without what was asked: that is read from
the predictions beside. An instance without a reply has no grade: a request that failed, or, as both
count it as wrong, a reply without text. ``pred`` does not tell, as it is what was made of a reply.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.overlap.harness import opencompass_run
from dcq.overlap.harness.graded import GradedRow
from dcq.overlap.harness.opencompass_run import Run
from dcq.partitions.uploads import given_name

# Where an entry says whether it is right.
_GRADES = ("correct", "is_correct", "cascade_correct", "model_extract_correct")
_EXPECTED = ("references", "reference", "refr", "answer", "answers", "gold")
_PREDICTED = ("predictions", "prediction", "pred")
_ROUNDING = 0.51  # points of a hundred


def rows(details: Any, document: Mapping[str, Any], path: Path, model: str) -> list[GradedRow]:
    """The instances of ``details``. The subject is the file, which holds one; instances are
    numbered anew in each. ``model`` is used where the file lies alone, outside the folder of its
    run. Raises ``InputError`` where nothing says what is right."""
    entries = enumerate(details) if isinstance(details, list) else details.items()
    named = [(str(key), entry) for key, entry in entries if isinstance(entry, dict)]
    _check_repetitions(named, path)
    if named and not any(set(_GRADES) & entry.keys() for _, entry in named):
        named = list(_compared(named, document, path))
    subject = Path(given_name(path)).stem
    run = opencompass_run.beside(path, len(named)) or Run(model)
    return [_row(key, entry, subject, run) for key, entry in named]


def _row(key: str, entry: Mapping[str, Any], subject: str, run: Run) -> GradedRow:
    predicted = run.predictions.get(key, {})
    reply = entry.get("origin_prediction", predicted.get("prediction"))
    lacks_reply = not reply.strip() if isinstance(reply, str) else run.complete and not predicted
    return GradedRow(
        run.model,
        key,
        {metric: entry[metric] for metric in _GRADES if metric in entry},
        subject,
        _prompts(entry) or _prompts({"prompt": predicted.get("origin_prompt")}),
        "without a reply" if lacks_reply else "",
    )


def _check_repetitions(named: list[tuple[str, dict[str, Any]]], path: Path) -> None:
    """Raise ``InputError`` where the repetitions in an entry expect different answers: AISBench
    3.1 groups them as if those of an instance stood one after another, and they do not."""
    for _, entry in named:
        grades = next((entry[metric] for metric in _GRADES if metric in entry), None)
        expected = next((entry[name] for name in _EXPECTED if name in entry), None)
        if not isinstance(grades, list) or not isinstance(expected, list):
            continue
        if len(grades) == len(expected) and len(set(map(str, expected))) > 1:
            raise InputError(
                f"{path.name} has repetitions of different instances in one entry, as AISBench "
                "3.1 writes them; run it with one repetition, or give a csv of model, "
                "instance_id, correct."
            )


def _compared(
    named: list[tuple[str, dict[str, Any]]], document: Mapping[str, Any], path: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Entries that only say what was predicted and expected: right where both are the same text,
    if that gives the accuracy that the file states."""
    graded = []
    for key, entry in named:
        expected = next((entry[name] for name in _EXPECTED if name in entry), None)
        predicted = next((entry[name] for name in _PREDICTED if name in entry), None)
        if expected is None or predicted is None:
            raise InputError(
                f"{path.name} does not say whether {key} is correct; its entries need 'correct', "
                "'is_correct', or 'predictions' beside 'references'."
            )
        graded.append((key, entry | {"correct": str(expected) == str(predicted)}))
    stated = document.get("accuracy")
    found = 100 * sum(entry["correct"] for _, entry in graded) / len(graded)
    if not isinstance(stated, int | float) or not math.isclose(stated, found, abs_tol=_ROUNDING):
        raise InputError(
            f"{path.name} does not say which entries are correct, and comparing predictions with "
            f"references gives {found:.1f} % where its accuracy is {stated}; evaluate again with "
            "an evaluator that writes 'correct', or give a csv of model, instance_id, correct."
        )
    return iter(graded)


def _prompts(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What was asked: a prompt, its last round, one for each repetition, or one of the prompts of
    the options."""
    prompt = row.get("prompt")
    scored = row.get("origin_prediction")
    if prompt is None and isinstance(scored, dict):
        options = [entry for entry in scored.values() if isinstance(entry, dict)]
        prompt = next((entry["prompt"] for entry in options if "prompt" in entry), None)
    if isinstance(prompt, list) and prompt and isinstance(prompt[0], list):
        prompt = prompt[0]
    if isinstance(prompt, list):
        texts = [entry.get("prompt") for entry in prompt if isinstance(entry, dict)]
        texts += [entry for entry in prompt if isinstance(entry, str)]
        prompt = next(
            (entry for entry in reversed(texts) if isinstance(entry, str) and entry.strip()), None
        )
    return (prompt,) if isinstance(prompt, str) and prompt else ()
