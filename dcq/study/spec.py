"""What a study is to know, as its file or a command says it, before anything is looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dcq.asking.options import NO_LIMITS
from dcq.investigation.control_sizes import SMALL, SMALL_CONTROLS
from dcq.models.pacing.limits import Limits
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
    ``samples`` are ids, with ``OWN`` only. ``date_column`` has the dates of rows, with ``LATER``
    only, where one control has as many instances as ``count`` of ``n``."""

    source: ControlSource = ControlSource.BUNDLED
    count: int = SMALL_CONTROLS
    n: int = SMALL
    samples: tuple[str, ...] = ()
    date_column: str = ""


@dataclass(frozen=True)
class ModelSpec:
    """A model, named as for ``python -m dcq run``, which is also where its pace is known from:
    ``concurrency`` calls in flight, ``limits`` a minute. ``cutoff`` is a month (``2025-06``), the
    last of its training data; ``budget`` in USD."""

    name: str
    concurrency: int | None = None
    limits: Limits = NO_LIMITS
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

    @property
    def cutoffs(self) -> dict[str, str]:
        """The months that the study says for its models, by their names as typed."""
        return {model.name: model.cutoff for model in self.models if model.cutoff is not None}
