"""What a study is to know, as its file or a command says it, before anything is looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dcq.records import DatasetTask, PartitionRole, QuizKind


class ControlSource(StrEnum):
    """Where the controls come from: bundled splits, the target's instances written anew, samples
    that are named, or the benchmark's own rows after the models' cut-offs."""

    BUNDLED = "bundled"
    PLACEBO = "placebo"
    OWN = "own"
    LATER = "later"


@dataclass(frozen=True)
class TargetSpec:
    """A partition and how a sample of it is drawn, as in ``python -m dcq sample``. ``dataset`` is a
    key of the catalog, a name on the Hub, or with ``file`` any name; ``text`` and ``label`` are
    columns, None where they are to be found. With ``sample``, the id of one that is in the store,
    nothing is drawn and the rest is not read."""

    dataset: str
    split: str = "test"
    file: Path | None = None
    text: str | None = None
    label: str | None = None
    template: str | None = None
    task: DatasetTask | None = None
    n: int = 100
    seed: int = 0
    revision: str | None = None
    language: str | None = None
    role: PartitionRole | None = None
    sample: str = ""


@dataclass(frozen=True)
class RewordingSpec:
    """Who writes the rewordings: a ``model``, or the offline generator where it is empty. Where it
    is empty, rewordings that are there stay, whoever wrote them. ``accepted``: people must accept
    them before anything is asked."""

    model: str = ""
    accepted: bool = False


@dataclass(frozen=True)
class ControlSpec:
    """``count`` controls of ``n`` instances each, by default as Investigate proposes them.
    ``samples`` are ids, with ``OWN`` only."""

    source: ControlSource = ControlSource.BUNDLED
    count: int = 10
    n: int = 12
    samples: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelSpec:
    """A model, named as for ``python -m dcq run``; ``settings`` are sent with each request,
    ``cutoff`` is a month (``2025-06``), ``budget`` in USD."""

    name: str
    settings: dict[str, float | int | str | bool] = field(default_factory=dict)
    cutoff: str | None = None
    budget: float | None = None


@dataclass(frozen=True)
class StudySpec:
    """A study: ``weights`` say how much of the significance threshold each method gets (empty: the
    usual ones of every method that a model allows), ``kind`` that of the quiz with originals,
    ``budget`` in USD for all. ``exports`` are files to write when it ends, by format."""

    name: str
    targets: tuple[TargetSpec, ...]
    models: tuple[ModelSpec, ...]
    rewordings: RewordingSpec = RewordingSpec()
    controls: ControlSpec = ControlSpec()
    weights: dict[str, float] = field(default_factory=dict)
    kind: QuizKind = QuizKind.STANDARD
    budget: float | None = None
    exports: dict[str, Path] = field(default_factory=dict)
