"""Which instances models got right, from the files of several harnesses.

    csv, jsonl, parquet       model, instance_id, correct (and subject and text, if they are there)
    lm-evaluation-harness     samples_*.jsonl of --log_samples; the model is the file's folder
    inspect_ai                .eval, or its .json
    OpenCompass               a results file with details; the model is the file's folder
    Every Eval Ever           *_samples.jsonl, one instance a line
    the report's authors      model_predictions/*.json: benchmark → id → gold and pred

Instances that were asked repeatedly get the mean of their answers. Harnesses number instances in
ways of their own, so an answer also has the texts of its instance, by which
``dcq.overlap.effect_report`` finds the label.

Answers from logs of inspect_ai: ``.eval``, a zip archive of JSON, or the ``.json`` of the same.

Members of the archive are packed with Zstandard, method 93 of zip, which Python reads from version
3.14 on; here they are unpacked by the library zstandard."""

from __future__ import annotations

import io
import json
import math
import re
import struct
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from dcq.errors import InputError
from dcq.incoming import reader_process
from dcq.incoming.json_parts import MOST_BYTES, JsonParts
from dcq.incoming.memory import Budget, too_large
from dcq.partitions.files import read_file, read_json_lines
from dcq.partitions.uploads import given_name

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # of inspect_ai's scorers
_METRICS = ("acc", "exact_match", "acc_norm", "pass@1")  # of lm-evaluation-harness
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_SAMPLES = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?")  # task, and when it ran


@dataclass(frozen=True)
class HarnessAnswer:
    """One instance answered by one model: 1 right, 0 wrong, between them the mean of several
    answers. ``texts`` are those of the instance that the file has, its parts or its prompt;
    ``benchmark`` is None where the file does not name it."""

    model: str
    instance_id: str
    correct: float
    subject: str | None = None
    texts: tuple[str, ...] = ()
    benchmark: str | None = None


def read_results(path: Path, model: str = "") -> list[HarnessAnswer]:
    """The answers in ``path``, one for each model and instance. ``model`` is used where the file
    does not name one, instead of its folder.

    Raises ``InputError`` where the file is of no known form, or has no answer.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")
    answers = averaged(_read(path, model or _folder_model(path)))
    if not answers:
        raise InputError(f"{path.name} has no answer; give a file with scored instances.")
    return answers


def averaged(answers: Iterable[HarnessAnswer]) -> list[HarnessAnswer]:
    """Answers averaged by model, benchmark, instance and text."""
    grouped: dict[tuple[object, ...], list[HarnessAnswer]] = defaultdict(list)
    for answer in answers:
        instance = (answer.benchmark, answer.instance_id, answer.texts)
        grouped[answer.model, *instance].append(answer)
    return [
        replace(
            some[0],
            correct=math.fsum(harness_answer.correct for harness_answer in some) / len(some),
        )
        for some in grouped.values()
    ]


def _folder_model(path: Path) -> str:
    """lm-evaluation-harness writes ``__`` for the slash of a name."""
    return path.absolute().parent.name.replace("__", "/")


def _read(path: Path, model: str) -> Iterable[HarnessAnswer]:
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return _inspect(*read_eval(path), path)
    if suffix == ".json":
        answers = _json(path, model)
        if answers is not None:
            return answers
    if suffix == ".jsonl":
        rows = read_json_lines(path)
        if rows and "doc_id" in rows[0]:
            return _harness(rows, path, model)
        if rows and "sample_id" in rows[0]:
            return _every(rows, path)
    return _table(read_file(path).rows, path)


def _json(path: Path, model: str) -> Iterable[HarnessAnswer] | None:
    """None for anything but an object. Samples of a log are read one by one, as a log has far more
    than is wanted of it."""
    budget = Budget(path.name)
    document: dict[str, Any] = {}
    samples: list[ScoredSample] = []
    try:
        if path.stat().st_size > MOST_BYTES:
            raise too_large(path.name)
        with path.open(encoding="utf-8-sig") as file:
            parts = JsonParts(file, path.name)
            if parts.peek() != "{":
                return None
            for name in parts.names():
                if name == "samples" and parts.peek() == "[":
                    for scored_sample in scored(parts.items()):
                        budget.spend_json(json.dumps(scored_sample))
                        samples.append(scored_sample)
                else:
                    document[name] = parts.shallow(budget)
            parts.end()
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not valid JSON; write it again.") from error
    if isinstance(document.get("eval"), dict):
        return _inspect(str(document["eval"].get("model")), samples, path)
    if isinstance(document.get("details"), dict | list):
        return _opencompass(document["details"], path, model)
    return _predictions(document, path)


def _table(rows: Iterable[Mapping[str, Any]], path: Path) -> Iterator[HarnessAnswer]:
    for number, row in enumerate(rows, start=1):
        model, identity = row.get("model"), row.get("instance_id")
        if model is None or identity is None or "correct" not in row:
            raise InputError(
                f"{path.name} lacks model, instance_id or correct in row {number}; give these "
                "columns, or a log of lm-evaluation-harness, inspect_ai, OpenCompass or Every Eval "
                "Ever."
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


def _harness(rows: Iterable[dict[str, Any]], path: Path, model: str) -> Iterator[HarnessAnswer]:
    """lm-evaluation-harness: where a task has several filters, the first counts. The subject is the
    instance's own, or else the task."""
    named = _SAMPLES.fullmatch(path.stem)
    task = named[1] if named else None
    first = None
    for number, row in enumerate(rows, start=1):
        first = row.get("filter") if first is None else first
        if row.get("filter") != first:
            continue
        metric_names = row.get("metrics")
        metrics = [*metric_names, *_METRICS] if isinstance(metric_names, list) else _METRICS
        metric = next((name for name in metrics if isinstance(name, str) and name in row), None)
        if metric is None:
            raise InputError(
                f"{path.name} has no metric in row {number} that tells right from wrong."
            )
        document = row["doc"] if isinstance(row.get("doc"), dict) else {}
        identity = next((document[key] for key in ("id", "ind") if key in document), row["doc_id"])
        subject = document.get("subject", task)
        yield HarnessAnswer(
            model,
            str(identity),
            correctness(row[metric], path, f"row {number}"),
            None if subject is None else str(subject),
            tuple(value for value in document.values() if isinstance(value, str)),
        )


def _inspect(model: str, samples: Iterable[ScoredSample], path: Path) -> Iterator[HarnessAnswer]:
    for scored_sample in samples:
        yield HarnessAnswer(
            model,
            scored_sample.id,
            correctness(
                _GRADES.get(str(scored_sample.value), scored_sample.value),
                path,
                f"sample {scored_sample.id}",
            ),
            scored_sample.subject,
            (scored_sample.text,) if scored_sample.text else (),
        )


def _opencompass(details: Any, path: Path, model: str) -> Iterator[HarnessAnswer]:
    """The subject is the file, which holds one; instances are numbered anew in each."""
    entries = enumerate(details) if isinstance(details, list) else details.items()
    for key, row in entries:
        if isinstance(row, dict):
            if "correct" not in row:
                raise InputError(
                    f"{path.name} does not say whether {key} is correct; run OpenCompass's "
                    "evaluation with --dump-eval-details."
                )
            correct = correctness(row["correct"], path, str(key))
            subject = Path(given_name(path)).stem
            yield HarnessAnswer(model, str(key), correct, subject, _prompts(row))


def _prompts(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What OpenCompass asked: a prompt, its last round, or one of the prompts of its options."""
    prompt = row.get("prompt")
    scored = row.get("origin_prediction")
    if prompt is None and isinstance(scored, dict):
        options = [entry for entry in scored.values() if isinstance(entry, dict)]
        prompt = next((entry["prompt"] for entry in options if "prompt" in entry), None)
    if isinstance(prompt, list):
        texts = [entry.get("prompt") for entry in prompt if isinstance(entry, dict)]
        prompt = next(
            (entry for entry in reversed(texts) if isinstance(entry, str) and entry.strip()), None
        )
    return (prompt,) if isinstance(prompt, str) and prompt else ()


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
        score = _WORDS.get(value.strip().lower()) if isinstance(value, str) else None
        number = float(value) if score is None else score
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(
            f"{path.name} has {value!r} for correct at {where}; give 1 for right and 0 for wrong."
        )
    return number


MOST_LOG = 500_000_000  # bytes of a log once it is unpacked

_ZSTANDARD = 93
_LOCAL_HEADER = 30  # bytes before the name and the extra field of a member


class ScoredSample(NamedTuple):
    """A sample that has a score, with the value of its first one; ``subject`` may be None."""

    id: str
    value: Any
    text: str
    subject: str | None


def read_eval(path: Path) -> tuple[str, list[ScoredSample]]:
    """The model of a log ``.eval``, and its samples that have a score; read in a process of its
    own. Raises ``InputError`` where the file is no finished log, or takes too much memory."""
    model, *rows = reader_process.values(unpacked, path, _unfinished(path))
    return model, [ScoredSample(*row) for row in rows]


def unpacked(path: Path) -> Iterator[Any]:
    """The model and then the samples of ``read_eval``, one after the other."""
    from zstandard import ZstdError

    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > MOST_LOG:
                raise InputError(
                    f"{path.name} unpacks to {size / 1e6:,.0f} MB; log fewer samples in one file."
                )
            by_name = {member.filename: member for member in members}
            header = json.loads(_unpacked(archive, file, by_name["header.json"]))
            yield str(header["eval"].get("model"))
            for name, member in by_name.items():
                if name.startswith("samples/"):
                    yield from scored([json.loads(_unpacked(archive, file, member))])
    except (
        zipfile.BadZipFile, ZstdError, NotImplementedError, RuntimeError, EOFError, OSError,
        KeyError, ValueError, RecursionError, struct.error, TypeError, AttributeError,
    ) as error:  # fmt: skip
        raise _unfinished(path) from error


def _unfinished(path: Path) -> InputError:
    return InputError(f"{path.name} is not a finished log of inspect_ai; write it again.")


def _unpacked(archive: zipfile.ZipFile, file: Any, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    from zstandard import ZstdDecompressor

    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    name, extra = struct.unpack("<HH", header[26:30])
    file.seek(member.header_offset + _LOCAL_HEADER + name + extra)
    packed = io.BytesIO(file.read(member.compress_size))
    # A long member is several frames. No more is read than the archive has announced.
    with ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
        content: bytes = stream.read(member.file_size)
    return content


def scored(samples: Iterable[Any]) -> Iterator[ScoredSample]:
    """The samples of a log that have a score."""
    for sample in samples:
        scores = sample.get("scores") if isinstance(sample, dict) else None
        first = next(iter(scores.values()), None) if isinstance(scores, dict) else None
        if isinstance(first, dict):
            metadata = sample.get("metadata")
            subject = metadata.get("subject") if isinstance(metadata, dict) else None
            yield ScoredSample(
                str(sample.get("id")), first.get("value"), input_of(sample),
                str(subject) if subject else None,
            )  # fmt: skip


def input_of(sample: Mapping[str, Any]) -> str:
    """The input of a sample: a text, or the last message of a user."""
    prompt = sample.get("input")
    if not isinstance(prompt, list):
        return prompt if isinstance(prompt, str) else ""
    user_messages = [
        m["content"] for m in prompt if isinstance(m, dict) and m.get("role") == "user"
    ]
    last = user_messages[-1] if user_messages else ""
    if isinstance(last, list):  # text between pictures
        last = "\n".join(part["text"] for part in last if isinstance(part, dict) and "text" in part)
    return last if isinstance(last, str) else ""
