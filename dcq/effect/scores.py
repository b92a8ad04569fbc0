"""Answers to originals and to rewordings, from tables and from logs of harnesses.

A table has ``model, role, instance_id, version, correct``. A log does not name the version: it is
read from the ids of an exported benchmark (``dcq.effect.task``), or the caller names the file
``original=LOG`` or ``reworded=LOG``. Ids that do not fit are counted and named rather than dropped
in silence.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dcq.errors import InputError
from dcq.evidence.inflation import Values
from dcq.overlap.harness.graded import HarnessFile
from dcq.overlap.results import correctness, read_results
from dcq.partitions.files import read_file

_TABLES = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
_Choice = TypeVar("_Choice", bound=StrEnum)
SHOWN = 3  # ids that a complaint names


class ItemVersion(StrEnum):
    """Which wording of an instance was answered."""

    ORIGINAL = "original"
    REWORDED = "reworded"


class ModelRole(StrEnum):
    """Whether a model is a target or a reference, which is clean by its date."""

    TARGET = "target"
    REFERENCE = "reference"


@dataclass(frozen=True)
class VersionedAnswer:
    """One wording of one instance, answered by one model: 1 right, 0 wrong. ``role`` is None where
    the file does not say; ``wording`` says which rewording it was, empty where that is unknown."""

    model: str
    instance_id: str
    version: ItemVersion
    correct: float
    role: ModelRole | None = None
    wording: str = ""


@dataclass(frozen=True)
class ModelScores:
    """One model's answers by instance, for those with both versions. ``unpaired`` instances have
    one version only, ``doubled`` several answers to one, which count as their mean. ``wordings``
    say which rewording was answered, of instances where that is known. ``alone`` are the answers to
    originals without their rewording, which say something over time and nothing of a drop."""

    model: str
    role: ModelRole
    original: Mapping[str, float]
    reworded: Mapping[str, float]
    unpaired: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    wordings: Mapping[str, str] = field(default_factory=dict)
    alone: Mapping[str, float] = field(default_factory=dict)

    @property
    def originals(self) -> dict[str, float]:
        """The answers to all originals, with their rewordings or without."""
        return {**self.original, **self.alone}

    def common(self, *others: ModelScores) -> list[str]:
        """The instances that the others answered too, and in the same rewording as far as is
        known."""
        return [
            instance
            for instance in self.original
            if all(self._is_common(instance, other) for other in others)
        ]

    def _is_common(self, instance: str, other: ModelScores) -> bool:
        if instance not in other.original:
            return False
        own, theirs = self.wordings.get(instance), other.wordings.get(instance)
        return not own or not theirs or own == theirs

    def on(self, instances: Sequence[str]) -> tuple[Values, Values]:
        """Answers to originals and to rewordings of these instances, each of shape (n,)."""
        return (
            np.array([self.original[instance] for instance in instances], dtype=np.float64),
            np.array([self.reworded[instance] for instance in instances], dtype=np.float64),
        )


@dataclass(frozen=True)
class Scores:
    """``models`` in the order of the files. ``missing`` and ``foreign`` are by model: instances
    that at least half of the models answered and this one did not, and instances that no other
    model answered, or that the benchmark does not have where its ids are known. ``logs`` are the
    harnesses' files by name, as they were read."""

    models: tuple[ModelScores, ...]
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    foreign: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    logs: Mapping[str, HarnessFile] = field(default_factory=dict)


def read_scores(
    paths: Iterable[str],
    references: Sequence[str] = (),
    ids: Iterable[str] | None = None,
    metric: str = "",
    *,
    paired: bool = True,
) -> Scores:
    """All answers in files, each a path or ``original=PATH``, ``reworded=PATH``. ``references``
    names the reference models where the files do not; ``ids`` are those of the benchmark, where
    known; ``metric`` says what is right where a log has several. Unless they must be ``paired``,
    originals alone will do. Raises ``InputError`` where a file cannot be read, no model has both
    versions, or a model that is named has no answer."""
    logs: dict[str, HarnessFile] = {}
    answers = [answer for path in paths for answer in _read(path, metric, logs)]
    named = {answer.model for answer in answers}
    if unknown := [reference for reference in references if reference not in named]:
        raise InputError(
            f"No file has answers of {unknown[0]!r}; name a reference as the files do, such as "
            f"{min(named, default='')!r}."
        )
    return replace(gather(answers, references, ids, paired=paired), logs=logs)


def gather(
    answers: Sequence[VersionedAnswer],
    references: Sequence[str] = (),
    ids: Iterable[str] | None = None,
    *,
    paired: bool = True,
) -> Scores:
    """The scores of answers by model and instance, with the ids that do not fit together;
    ``paired`` as in ``read_scores``."""
    grouped: dict[str, dict[ItemVersion, dict[str, list[float]]]] = defaultdict(
        lambda: {version: defaultdict(list) for version in ItemVersion}
    )
    for answer in answers:
        grouped[answer.model][answer.version][answer.instance_id].append(answer.correct)
    roles = _roles(answers, references)
    wordings: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for answer in answers:
        if answer.version is ItemVersion.REWORDED:
            wordings[answer.model][answer.instance_id].add(answer.wording)
    models = [
        _model(name, roles[name], versions, wordings[name]) for name, versions in grouped.items()
    ]
    if not any(
        model_scores.original or (model_scores.alone and not paired) for model_scores in models
    ):
        raise InputError(
            "No model has an answer to both an original and its rewording; give the versions in a "
            "column version, or name files original=FILE and reworded=FILE, with the same ids."
        )
    return together(models, ids)


def together(models: Sequence[ModelScores], ids: Iterable[str] | None = None) -> Scores:
    """Scores of several models, with the ids that do not fit together; ``ids`` as in
    ``read_scores``."""
    benchmark_ids = set(ids) if ids is not None else _usual(models)
    missing = {
        model_scores.model: tuple(
            i for i in sorted(benchmark_ids) if i not in model_scores.original
        )
        for model_scores in models
    }
    foreign = {
        model_scores.model: tuple(i for i in model_scores.original if i not in benchmark_ids)
        for model_scores in models
    }
    return Scores(
        tuple(models),
        {model: some for model, some in missing.items() if some and ids is None},
        {model: some for model, some in foreign.items() if some},
    )


def read_seen(path: Path) -> dict[str, dict[str, bool]]:
    """Which instances each model recognised, from a table of ``model, instance_id, seen``."""
    seen: dict[str, dict[str, bool]] = defaultdict(dict)
    for number, row in enumerate(read_file(path).rows, start=1):
        model, identity = row.get("model"), row.get("instance_id")
        if model is None or identity is None or "seen" not in row:
            raise InputError(
                f"{path.name} lacks model, instance_id or seen in row {number}; give these columns."
            )
        value = correctness(row["seen"], path, f"row {number}")
        if str(identity) in seen[str(model)]:
            raise InputError(f"{path.name} has {identity!r} of {model} twice; keep one row.")
        seen[str(model)][str(identity)] = value >= 0.5
    return seen


def _read(argument: str, metric: str, logs: dict[str, HarnessFile]) -> Iterator[VersionedAnswer]:
    name, _, file = argument.partition("=")
    version = ItemVersion(name) if file and name in set(ItemVersion) else None
    path = Path(file if version else argument)
    if version is None and path.suffix.lower() in _TABLES and path.is_file():
        try:
            table = read_file(path)
        except InputError:
            table = None  # a log, which the reader of harnesses knows
        if table is not None and "version" in table.columns:
            yield from _table(table.rows, path)
            return
    read = logs[path.name] = read_results(path, metric=metric)
    for answer in read.answers:
        identity, item_version, wording = answer.instance_id, version, ""
        if item_version is None:
            wording = wording_of(identity)
            identity, item_version = split_id(identity, path)
        yield VersionedAnswer(answer.model, identity, item_version, answer.correct, wording=wording)


def versioned_id(instance_id: str, version: ItemVersion, wording: str = "") -> str:
    """The id of one wording: ``ab12@original``, ``ab12@reworded-B2``."""
    return f"{instance_id}@{version}{'-' + wording if wording else ''}"


def split_id(identity: str, path: Path) -> tuple[str, ItemVersion]:
    """The instance and the version of ``versioned_id``."""
    instance, _, suffix = identity.rpartition("@")
    name = suffix.partition("-")[0]
    if not instance or name not in set(ItemVersion):
        raise InputError(
            f"{path.name} does not say whether {identity!r} is an original or a rewording; name "
            f"the file original={path.name} or reworded={path.name}, or give a column version."
        )
    return instance, ItemVersion(name)


def wording_of(identity: str) -> str:
    """Which rewording a ``versioned_id`` names, ``B2``; empty for an original."""
    return identity.rpartition("@")[2].partition("-")[2]


def _table(rows: Iterable[Mapping[str, Any]], path: Path) -> Iterator[VersionedAnswer]:
    for number, row in enumerate(rows, start=1):
        model, identity = row.get("model"), row.get("instance_id")
        if model is None or identity is None or row.get("correct") is None:
            raise InputError(
                f"{path.name} lacks model, instance_id or correct in row {number}; give these "
                "columns."
            )
        version = _choice(ItemVersion, row.get("version"), "version", path, number)
        role = row.get("role")
        yield VersionedAnswer(
            str(model),
            str(identity),
            version,
            correctness(row["correct"], path, f"row {number}"),
            _choice(ModelRole, role, "role", path, number) if role else None,
        )


def _choice(kind: type[_Choice], value: Any, name: str, path: Path, number: int) -> _Choice:
    word = str(value).strip().lower()
    if word not in set(kind):
        raise InputError(
            f"{path.name} has {value!r:.40} as {name} in row {number}; write {' or '.join(kind)}."
        )
    return kind(word)


def _roles(answers: Iterable[VersionedAnswer], references: Sequence[str]) -> dict[str, ModelRole]:
    roles = dict.fromkeys(references, ModelRole.REFERENCE)
    for answer in answers:
        if answer.role is None or answer.model in references:
            roles.setdefault(answer.model, ModelRole.TARGET)
        elif roles.setdefault(answer.model, answer.role) is not answer.role:
            raise InputError(
                f"{answer.model} is a target in one row and a reference in another; give it one "
                "role."
            )
    return roles


def _model(
    name: str,
    role: ModelRole,
    versions: Mapping[ItemVersion, Mapping[str, Sequence[float]]],
    wordings: Mapping[str, set[str]],
) -> ModelScores:
    original, reworded = versions[ItemVersion.ORIGINAL], versions[ItemVersion.REWORDED]
    paired_instances = [instance for instance in original if instance in reworded]
    unpaired = [
        instance
        for instance in (*original, *reworded)
        if (instance in original) != (instance in reworded)
    ]
    doubled = [
        instance
        for instance in paired_instances
        if max(len(original[instance]), len(reworded[instance])) > 1
    ]

    def means(
        of: Mapping[str, Sequence[float]], instances: Iterable[str] = paired_instances
    ) -> dict[str, float]:
        return {instance: math.fsum(of[instance]) / len(of[instance]) for instance in instances}

    return ModelScores(
        name,
        role,
        means(original),
        means(reworded),
        tuple(unpaired),
        tuple(doubled),
        {i: "+".join(sorted(wordings[i])) for i in paired_instances if all(wordings[i])},
        means(original, [instance for instance in original if instance not in reworded]),
    )


def _usual(models: Sequence[ModelScores]) -> set[str]:
    """The instances that at least half of the models answered in both versions."""
    counts: dict[str, int] = defaultdict(int)
    for model_scores in models:
        for instance in model_scores.original:
            counts[instance] += 1
    return {instance for instance, count in counts.items() if 2 * count >= len(models)}
