"""Which instances models got right, from the files of several harnesses.

    csv, jsonl, parquet       model, instance_id, correct (and subject and text, if they are there)
    lm-evaluation-harness     samples_*.jsonl of --log_samples; the model is the file's folder
    inspect_ai                .eval, or its .json
    OpenCompass               a results file with details; the model is the file's folder
    Every Eval Ever           *_samples.jsonl, one instance a line
    the report's authors      model_predictions/*.json: benchmark → id → gold and pred

Instances that were asked repeatedly get the mean of their answers. Harnesses number instances in
ways of their own, so an answer also has the texts of its instance, by which ``dcq.overlap.pairing``
finds the label.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.incoming.json_parts import MOST_BYTES, JsonParts
from dcq.incoming.memory import Budget, too_large
from dcq.overlap import inspect_log
from dcq.overlap.inspect_log import Scored
from dcq.partitions.files import read_file, read_json_lines
from dcq.partitions.uploads import given_name

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # of inspect_ai's scorers
_METRICS = ("acc", "exact_match", "acc_norm", "pass@1")  # of lm-evaluation-harness
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_SAMPLES = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?")  # task, and when it ran


@dataclass(frozen=True)
class Answer:
    """One instance answered by one model: 1 right, 0 wrong, between them the mean of several.
    ``texts`` are those of the instance as far as the file has them, its parts or its prompt;
    ``benchmark`` is None where the file does not name it."""

    model: str
    instance_id: str
    correct: float
    subject: str | None = None
    texts: tuple[str, ...] = ()
    benchmark: str | None = None


def read_results(path: Path, model: str = "") -> list[Answer]:
    """The answers in ``path``, one for each model and instance. ``model`` is used where the file
    does not name one, instead of its folder.

    Raises ``InputError`` where the file is of no known form, or has no answer.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")
    found = averaged(_read(path, model or _folder_model(path)))
    if not found:
        raise InputError(f"{path.name} has no answer; give a file with scored instances.")
    return found


def averaged(answers: Iterable[Answer]) -> list[Answer]:
    """One answer for each model, benchmark, instance and texts: the mean of those that there
    are."""
    grouped: dict[tuple[object, ...], list[Answer]] = defaultdict(list)
    for answer in answers:
        instance = (answer.benchmark, answer.instance_id, answer.texts)
        grouped[answer.model, *instance].append(answer)
    return [
        replace(some[0], correct=math.fsum(one.correct for one in some) / len(some))
        for some in grouped.values()
    ]


def _folder_model(path: Path) -> str:
    """lm-evaluation-harness writes ``__`` for the slash of a name."""
    return path.absolute().parent.name.replace("__", "/")


def _read(path: Path, model: str) -> Iterable[Answer]:
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return _inspect(*inspect_log.read_eval(path), path)
    if suffix == ".json":
        found = _json(path, model)
        if found is not None:
            return found
    if suffix == ".jsonl":
        rows = read_json_lines(path)
        if rows and "doc_id" in rows[0]:
            return _harness(rows, path, model)
        if rows and "sample_id" in rows[0]:
            return _every(rows, path)
    return _table(read_file(path).rows, path)


def _json(path: Path, model: str) -> Iterable[Answer] | None:
    """None for anything but an object. Samples of a log are read one by one, as a log has far more
    than is wanted of it."""
    budget = Budget(path.name)
    whole: dict[str, Any] = {}
    samples: list[Scored] = []
    try:
        if path.stat().st_size > MOST_BYTES:
            raise too_large(path.name)
        with path.open(encoding="utf-8-sig") as file:
            parts = JsonParts(file, path.name)
            if parts.peek() != "{":
                return None
            for name in parts.names():
                if name == "samples" and parts.peek() == "[":
                    for one in inspect_log.scored(parts.items()):
                        budget.spend_json(json.dumps(one))
                        samples.append(one)
                else:
                    whole[name] = parts.shallow(budget)
            parts.end()
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not valid JSON; write it again.") from error
    if isinstance(whole.get("eval"), dict):
        return _inspect(str(whole["eval"].get("model")), samples, path)
    if isinstance(whole.get("details"), dict | list):
        return _opencompass(whole["details"], path, model)
    return _predictions(whole, path)


def _table(rows: Iterable[Mapping[str, Any]], path: Path) -> Iterator[Answer]:
    for number, row in enumerate(rows, start=1):
        model, identity = row.get("model"), row.get("instance_id")
        if model is None or identity is None or "correct" not in row:
            raise InputError(
                f"{path.name} lacks model, instance_id or correct in row {number}; give these "
                "columns, or a log of lm-evaluation-harness, inspect_ai, OpenCompass or Every Eval "
                "Ever."
            )
        correct = _correct(row["correct"], path, f"row {number}")
        subject, text = row.get("subject"), row.get("text")
        yield Answer(
            str(model),
            str(identity),
            correct,
            None if subject is None else str(subject),
            (str(text),) if text else (),
        )


def _harness(rows: Iterable[dict[str, Any]], path: Path, model: str) -> Iterator[Answer]:
    """lm-evaluation-harness: where a task has several filters, the first counts. The subject is the
    instance's own, or else the task."""
    named = _SAMPLES.fullmatch(path.stem)
    task = named[1] if named else None
    first = None
    for number, row in enumerate(rows, start=1):
        first = row.get("filter") if first is None else first
        if row.get("filter") != first:
            continue
        listed = row.get("metrics")
        metrics = [*listed, *_METRICS] if isinstance(listed, list) else _METRICS
        metric = next((name for name in metrics if isinstance(name, str) and name in row), None)
        if metric is None:
            raise InputError(
                f"{path.name} has no metric in row {number} that tells right from wrong."
            )
        document = row["doc"] if isinstance(row.get("doc"), dict) else {}
        identity = next((document[key] for key in ("id", "ind") if key in document), row["doc_id"])
        subject = document.get("subject", task)
        yield Answer(
            model,
            str(identity),
            _correct(row[metric], path, f"row {number}"),
            None if subject is None else str(subject),
            tuple(value for value in document.values() if isinstance(value, str)),
        )


def _inspect(model: str, samples: Iterable[Scored], path: Path) -> Iterator[Answer]:
    for one in samples:
        yield Answer(
            model,
            one.id,
            _correct(_GRADES.get(str(one.value), one.value), path, f"sample {one.id}"),
            one.subject,
            (one.text,) if one.text else (),
        )


def _opencompass(details: Any, path: Path, model: str) -> Iterator[Answer]:
    """The subject is the file, which holds one; instances are numbered anew in each."""
    listed = enumerate(details) if isinstance(details, list) else details.items()
    for key, row in listed:
        if isinstance(row, dict):
            if "correct" not in row:
                raise InputError(
                    f"{path.name} does not say whether {key} is correct; run OpenCompass's "
                    "evaluation with --dump-eval-details."
                )
            correct = _correct(row["correct"], path, str(key))
            subject = Path(given_name(path)).stem
            yield Answer(model, str(key), correct, subject, _prompts(row))


def _prompts(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What OpenCompass asked: a prompt, its last round, or one of the prompts of its options."""
    prompt = row.get("prompt")
    scored = row.get("origin_prediction")
    if prompt is None and isinstance(scored, dict):
        options = [one for one in scored.values() if isinstance(one, dict)]
        prompt = next((one["prompt"] for one in options if "prompt" in one), None)
    if isinstance(prompt, list):
        said = [one.get("prompt") for one in prompt if isinstance(one, dict)]
        prompt = next((one for one in reversed(said) if isinstance(one, str) and one.strip()), None)
    return (prompt,) if isinstance(prompt, str) and prompt else ()


def _every(rows: Iterable[dict[str, Any]], path: Path) -> Iterator[Answer]:
    for number, row in enumerate(rows, start=1):
        scored = row.get("evaluation")
        if not isinstance(scored, dict) or "is_correct" not in scored:
            raise InputError(f"{path.name} has no evaluation.is_correct in row {number}; add it.")
        asked, subject = row.get("input"), row.get("evaluation_name")
        raw = asked.get("raw") if isinstance(asked, dict) else None
        yield Answer(
            str(row.get("model_id")),
            str(row["sample_id"]),
            _correct(scored["is_correct"], path, f"row {number}"),
            subject and str(subject),
            (raw,) if isinstance(raw, str) and raw else (),
        )


def _predictions(value: dict[str, Any], path: Path) -> Iterator[Answer]:
    """The authors' files: right where prediction and gold are the same text."""
    model = Path(given_name(path)).stem.removesuffix("_autogptq")
    for benchmark, some in value.items():
        for identity, row in (some if isinstance(some, dict) else {}).items():
            if not isinstance(row, dict) or not {"gold", "pred"} <= row.keys():
                raise InputError(
                    f"{path.name} is of no known form; give a csv of model, instance_id, correct."
                )
            right = float(str(row["gold"]) == str(row["pred"]))
            name = str(benchmark)
            yield Answer(model, str(identity), right, name, benchmark=name)


def _correct(value: Any, path: Path, where: str) -> float:
    try:
        found = _WORDS.get(value.strip().lower()) if isinstance(value, str) else None
        number = float(value) if found is None else found
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(
            f"{path.name} has {value!r} for correct at {where}; give 1 for right and 0 for wrong."
        )
    return number
