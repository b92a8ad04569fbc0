"""Which instances models got right, from the files of several harnesses.

    csv, jsonl, parquet       model, instance_id, correct (and subject and text, if they are there)
    lm-evaluation-harness     samples_*.jsonl of --log_samples; the model is the file's folder
    inspect_ai                .eval, or its .json
    OpenCompass, AISBench     RUN/results/MODEL/*.json with details
    EvalScope                 reviews/MODEL/*.jsonl
    lighteval                 details_*.parquet of --save-details; the model is in the path
    DeepEval                  test_run_*.json; the model is the file's folder
    HELM                      per_instance_stats.json of a run
    promptfoo                 --output as .json or .jsonl
    Every Eval Ever           *_samples.jsonl, one instance a line
    the report's authors      model_predictions/*.json: benchmark → id → gold and pred

Instances that were asked repeatedly get the mean of their answers. Harnesses number instances in
ways of their own, so an answer also has the texts of its instance, by which
``dcq.overlap.effect_report`` finds the label.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.incoming.json_parts import MOST_BYTES, JsonParts
from dcq.incoming.memory import Budget, too_large
from dcq.incoming.numbers import read_number
from dcq.incoming.plain_file import check_plain, open_text
from dcq.overlap.harness import (
    deepeval,
    evalscope,
    graded,
    helm,
    inspect_log,
    lighteval,
    lm_eval,
    opencompass,
    promptfoo,
    unread,
)
from dcq.overlap.harness.graded import HarnessAnswer, HarnessFile
from dcq.overlap.harness.inspect_log import ScoredSample
from dcq.partitions.files import read_file, read_json_rows
from dcq.partitions.uploads import given_name


def read_results(path: Path, model: str = "", metric: str = "") -> HarnessFile:
    """The answers in ``path``, one for each model and instance. ``model`` is used where the file
    does not name one, instead of its folder; ``metric`` tells right from wrong where the file has
    several, by default the one that is right or wrong for each instance.

    Raises ``InputError`` where the file is of no known form, or has no answer or no such metric.
    """
    check_plain(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")
    read = _read(path, model or _folder_model(path), metric)
    if not read.answers:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in read.left_out.items())
        raise InputError(
            f"{path.name} has no answer{f' ({reasons})' if reasons else ''}; give a file with "
            "scored instances."
        )
    return read


def _folder_model(path: Path) -> str:
    """lm-evaluation-harness writes ``__`` for the slash of a name."""
    return path.absolute().parent.name.replace("__", "/")


def _read(path: Path, model: str, metric: str) -> HarnessFile:
    suffix = path.suffix.lower()
    if suffix == ".eval":
        rows = inspect_log.rows(*inspect_log.read_eval(path))
        return graded.read_grades(rows, path.name, metric)
    if suffix == ".json":
        read = _json(path, model, metric)
        if read is not None:
            return read
    if suffix in {".jsonl", ".json"}:
        samples = read_json_rows(path)
        if samples and "doc_id" in samples[0]:
            rows, metric = lm_eval.rows(samples, path, model, metric)
            return graded.read_grades(rows, path.name, metric)
        if samples and "sample_id" in samples[0]:
            return _plain(_every(samples, path), path, metric)
        if samples and evalscope.is_review(samples[0]):
            return graded.read_grades(evalscope.rows(samples, path, model), path.name, metric)
        if samples and promptfoo.is_result(samples[0]):
            return graded.read_grades(promptfoo.rows(samples, model), path.name, metric)
        if samples and helm.is_statistics(samples[0]):
            return graded.read_grades(helm.rows(samples, path, model), path.name, metric)
        if samples:
            evalscope.check_not_predictions(samples[0], path.name)
            unread.check_row(samples[0], path.name)
    table = read_file(path).rows
    if suffix == ".parquet" and lighteval.is_detail(table[0]):
        return graded.read_grades(lighteval.rows(table, path, model), path.name, metric)
    return _plain(_table(table, path), path, metric)


def _plain(answers: Iterable[HarnessAnswer], path: Path, metric: str) -> HarnessFile:
    """A file of a form that has one grade for each instance."""
    if metric and metric != "correct":
        raise InputError(f"{path.name} has no metric {metric!r}, only correct; leave out --metric.")
    return HarnessFile(graded.averaged(answers))


def _json(path: Path, model: str, metric: str) -> HarnessFile | None:
    """None for anything but an object. Samples of a log are read one by one, as a log has far more
    than is wanted of it."""
    budget = Budget(path.name)
    document: dict[str, Any] = {}
    samples: list[ScoredSample] = []
    try:
        if path.stat().st_size > MOST_BYTES:
            raise too_large(path.name)
        with open_text(path, "utf-8-sig") as file:
            parts = JsonParts(file, path.name)
            if parts.peek() != "{":
                return None
            for name in parts.names():
                if name == "samples" and parts.peek() == "[":
                    for scored_sample in inspect_log.scored(parts.items()):
                        budget.spend_json(json.dumps(scored_sample))
                        samples.append(scored_sample)
                else:
                    document[name] = parts.shallow(budget)
            parts.end()
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not valid JSON; write it again.") from error
    if isinstance(document.get("eval"), dict):
        rows = inspect_log.rows(str(document["eval"].get("model")), samples)
        return graded.read_grades(rows, path.name, metric)
    if isinstance(document.get("details"), dict | list):
        rows = opencompass.rows(document["details"], document, path, model)
        return graded.read_grades(rows, path.name, metric)
    if isinstance(document.get("testCases"), list):
        return graded.read_grades(deepeval.rows(document, model), path.name, metric)
    results = promptfoo.listed(document)
    if results is not None:
        return graded.read_grades(promptfoo.rows(results, model), path.name, metric)
    unread.check_document(document, path.name)
    return _plain(_predictions(document, path), path, metric)


def _table(rows: Iterable[Mapping[str, Any]], path: Path) -> Iterator[HarnessAnswer]:
    for number, row in enumerate(rows, start=1):
        model, identity = row.get("model"), row.get("instance_id")
        if model is None or identity is None or "correct" not in row:
            raise InputError(
                f"{path.name} lacks model, instance_id or correct in row {number}; give these "
                "columns, or a log of lm-evaluation-harness, inspect_ai, OpenCompass, EvalScope, "
                "lighteval, DeepEval, HELM, promptfoo or Every Eval Ever."
            )
        correct = correctness(row["correct"], path, f"row {number}")
        subject, text = row.get("subject"), row.get("text")
        yield HarnessAnswer(
            str(model),
            str(identity),
            correct,
            None if subject is None else str(subject),
            (str(text),) if text else (),
        )


def _every(rows: Iterable[dict[str, Any]], path: Path) -> Iterator[HarnessAnswer]:
    for number, row in enumerate(rows, start=1):
        scored = row.get("evaluation")
        if not isinstance(scored, dict) or "is_correct" not in scored:
            raise InputError(f"{path.name} has no evaluation.is_correct in row {number}; add it.")
        asked, subject = row.get("input"), row.get("evaluation_name")
        raw = asked.get("raw") if isinstance(asked, dict) else None
        yield HarnessAnswer(
            str(row.get("model_id")),
            str(row["sample_id"]),
            correctness(scored["is_correct"], path, f"row {number}"),
            subject and str(subject),
            (raw,) if isinstance(raw, str) and raw else (),
        )


def _predictions(value: dict[str, Any], path: Path) -> Iterator[HarnessAnswer]:
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
            yield HarnessAnswer(model, str(identity), right, name, benchmark=name)


def correctness(value: Any, path: Path, where: str) -> float:
    """The value of a column ``correct``, from 0 to 1. Raises ``InputError`` for anything else."""
    try:
        if isinstance(value, str):
            found = graded.TRUTH.get(value.strip().lower(), read_number(value))
        else:
            found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or not 0 <= found <= 1:
        raise InputError(
            f"{path.name} has {value!r} for correct at {where}; give 1 for right and 0 for wrong."
        )
    return found
