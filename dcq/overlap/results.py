"""Which instances models got right, from the files of several harnesses.

    csv, jsonl, parquet       model, instance_id, correct (and subject, if there is one)
    lm-evaluation-harness     samples_*.jsonl of --log_samples; the model is the file's folder
    inspect_ai                .eval, or its .json
    OpenCompass               a results file with details; the model is the file's folder
    Every Eval Ever           *_samples.jsonl, one instance a line
    the report's authors      model_predictions/*.json: benchmark → id → gold and pred

Instances that were asked repeatedly get the mean of their answers.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.partitions.files import read_file, read_json_lines

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # of inspect_ai's scorers
_METRICS = ("acc", "exact_match", "acc_norm", "pass@1")  # of lm-evaluation-harness
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_MOST_LOG = 500_000_000  # bytes of a log once it is unpacked


@dataclass(frozen=True)
class Answer:
    """One instance answered by one model: 1 right, 0 wrong, between them the mean of several."""

    model: str
    instance_id: str
    correct: float
    subject: str | None = None


def read_results(path: Path) -> list[Answer]:
    """The answers in ``path``, one for each model and instance.

    Raises ``InputError`` where the file is of no known form, or has no answer.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")
    found = _merged(_read(path))
    if not found:
        raise InputError(f"{path.name} has no answer; give a file with scored instances.")
    return found


def _read(path: Path) -> Iterable[Answer]:
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return _inspect(_unzipped(path), path)
    if suffix == ".json":
        value = _json(path)
        if isinstance(value, dict) and isinstance(value.get("eval"), dict):
            return _inspect(value, path)
        if isinstance(value, dict) and isinstance(value.get("details"), dict | list):
            return _opencompass(value["details"], path)
        if isinstance(value, dict):
            return _predictions(value, path)
    if suffix == ".jsonl":
        rows = read_json_lines(path)
        if rows and "doc_id" in rows[0]:
            return _harness(rows, path)
        if rows and "sample_id" in rows[0]:
            return _every(rows, path)
    return _table(read_file(path).rows, path)


def _merged(answers: Iterable[Answer]) -> list[Answer]:
    grouped: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        grouped[answer.model, answer.instance_id].append(answer)
    return [
        Answer(model, one, math.fsum(a.correct for a in some) / len(some), some[0].subject)
        for (model, one), some in grouped.items()
    ]


def _table(rows: Iterable[Mapping[str, Any]], path: Path) -> Iterator[Answer]:
    for number, row in enumerate(rows, start=1):
        model, identity = row.get("model"), row.get("instance_id")
        if model is None or identity is None or "correct" not in row:
            raise InputError(
                f"{path.name} lacks model, instance_id or correct in row {number}; give these "
                "columns, or a log of lm-evaluation-harness, inspect_ai, OpenCompass or Every Eval "
                "Ever."
            )
        subject = row.get("subject")
        correct = _correct(row["correct"], path, f"row {number}")
        yield Answer(str(model), str(identity), correct, None if subject is None else str(subject))


def _harness(rows: Iterable[dict[str, Any]], path: Path) -> Iterator[Answer]:
    """lm-evaluation-harness: where a task has several filters, the first counts."""
    model = path.parent.name.replace("__", "/")
    first = None
    for number, row in enumerate(rows, start=1):
        first = row.get("filter") if first is None else first
        if row.get("filter") != first:
            continue
        named = row.get("metrics")
        metrics = [*named, *_METRICS] if isinstance(named, list) else _METRICS
        metric = next((name for name in metrics if name in row), None)
        if metric is None:
            raise InputError(
                f"{path.name} has no metric in row {number} that tells right from wrong."
            )
        document = row["doc"] if isinstance(row.get("doc"), dict) else {}
        identity = next((document[key] for key in ("id", "ind") if key in document), row["doc_id"])
        subject = document.get("subject")
        correct = _correct(row[metric], path, f"row {number}")
        yield Answer(model, str(identity), correct, None if subject is None else str(subject))


def _inspect(log: Any, path: Path) -> Iterator[Answer]:
    model = str(log["eval"].get("model"))
    for sample in log.get("samples") or []:
        scores = sample.get("scores") or {}
        if scores:
            value = next(iter(scores.values())).get("value")
            correct = _correct(_GRADES.get(str(value), value), path, f"sample {sample.get('id')}")
            subject = (sample.get("metadata") or {}).get("subject")
            yield Answer(model, str(sample.get("id")), correct, subject and str(subject))


def _unzipped(path: Path) -> dict[str, Any]:
    """A log of inspect_ai as its .json would be."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > _MOST_LOG:
                raise InputError(f"{path.name} unpacks to {size / 1e6:,.0f} MB, which is too much.")
            header = json.loads(archive.read("header.json"))
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            samples = [json.loads(archive.read(name)) for name in names]
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise InputError(
            f"{path.name} is not a finished log of inspect_ai; write it again."
        ) from error
    return {"eval": header.get("eval", {}), "samples": samples}


def _opencompass(details: Any, path: Path) -> Iterator[Answer]:
    listed = enumerate(details) if isinstance(details, list) else details.items()
    for key, row in listed:
        if isinstance(row, dict):
            if "correct" not in row:
                raise InputError(
                    f"{path.name} does not say whether {key} is correct; run OpenCompass's "
                    "evaluation with --dump-eval-details."
                )
            yield Answer(path.parent.name, str(key), _correct(row["correct"], path, str(key)))


def _every(rows: Iterable[dict[str, Any]], path: Path) -> Iterator[Answer]:
    for number, row in enumerate(rows, start=1):
        scored = row.get("evaluation")
        if not isinstance(scored, dict) or "is_correct" not in scored:
            raise InputError(f"{path.name} has no evaluation.is_correct in row {number}; add it.")
        correct = _correct(scored["is_correct"], path, f"row {number}")
        subject = row.get("evaluation_name")
        yield Answer(
            str(row.get("model_id")), str(row["sample_id"]), correct, subject and str(subject)
        )


def _predictions(value: dict[str, Any], path: Path) -> Iterator[Answer]:
    """The authors' files: right where prediction and gold are the same text."""
    for benchmark, some in value.items():
        for identity, row in (some if isinstance(some, dict) else {}).items():
            if not isinstance(row, dict) or not {"gold", "pred"} <= row.keys():
                raise InputError(
                    f"{path.name} is of no known form; give a csv of model, instance_id, correct."
                )
            right = float(str(row["gold"]) == str(row["pred"]))
            yield Answer(path.stem.removesuffix("_autogptq"), str(identity), right, str(benchmark))


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > _MOST_LOG:
            raise InputError(f"{path.name} has over {_MOST_LOG / 1e6:.0f} MB, which is too much.")
        return json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not valid JSON; write it again.") from error


def _correct(value: Any, path: Path, where: str) -> float:
    try:
        found = _WORDS.get(value.strip().lower()) if isinstance(value, str) else None
        number = float(value) if found is None else found
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(
            f"{path.name} has {value!r} for correct at {where}; give 1 for right and 0 for wrong."
        )
    return number
