"""The interface of a method of detection: all that the layers above know of one.

A method is a folder that fills a ``DetectionMethod``, and a line in ``dcq/methods.py``. Its runs
are asked by the engine (``dcq.asking.task.Method`` is one kind of run). Their answers become
``Evidence``, which is judged, shown, reported and exported like that of all other methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from dcq.evidence.controls import Calibration
from dcq.evidence.record import HERE, Context, Evidence, MethodEstimate, MethodWords
from dcq.records import Mode, PartitionRole
from dcq.result_columns import Column
from dcq.sections import Exhibit
from dcq.store import Store, frozen, method_runs, runs, samples
from dcq.store.method_runs import MethodRun, ReadAnswer
from dcq.store.samples import ListedSample
from dcq.store.studies import Study
from dcq.words import place

if TYPE_CHECKING:  # what asks models takes long to import, and whoever judges asks none
    from dcq.asking.task import Method, Proposal
    from dcq.evidence.controls import Calibration
    from dcq.invented import InventedMeasure
    from dcq.models.endpoints import Endpoint

Rows = TypeVar("Rows")
_HELD = 0.2  # seconds for which writers wait


class Field(Column[Evidence]):
    """A figure that only this method has, of one result."""


class ControlField(Column[Calibration]):
    """A figure that only this method has, of one result compared with its controls."""


@dataclass(frozen=True)
class ChosenText:
    """A text of an instance that replies point to: the original, a rewording or a completion.
    ``by`` counts, by run, the replies that chose or gave it."""

    text: str
    is_original: bool
    by: Mapping[str, int]


class DetectionMethod(ABC, Generic[Rows]):
    """One way to tell whether a model has seen a partition. ``Rows`` is what it reads of a store at
    one moment; only the method itself knows its shape."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in studies and results, such as ``replication``."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The name on screens, such as ``Replication``."""

    @property
    @abstractmethod
    def question(self) -> str:
        """What it asks of a model, as the heading of a section."""

    @property
    @abstractmethod
    def explanation(self) -> str:
        """What the method does, in a sentence for a newcomer."""

    @property
    @abstractmethod
    def kinds(self) -> Sequence[Method]:
        """The kinds of its runs; results are those of the first kind."""

    @property
    def reads(self) -> Sequence[str]:
        """The names of the methods for which its runs are evidence."""
        return (self.name,)

    @property
    def mark(self) -> str:
        """A letter for the cells of the matrix."""
        return self.title[0].upper()

    @property
    def fields(self) -> Sequence[Field]:
        """Its own figures, besides those that all results have."""
        return ()

    @property
    def control_fields(self) -> Sequence[ControlField]:
        """Its own figures of a comparison with controls, besides those that all comparisons
        have."""
        return ()

    @property
    def judged(self) -> bool:
        """Whether its results get a verdict, because they have a model and controls to compare
        with. Otherwise they are shown beside verdicts and change none."""
        return True

    @property
    def words(self) -> MethodWords:
        """The words for its results."""
        return MethodWords()

    @property
    def weight(self) -> float:
        """Its share of the error of an answer for which no weights were kept before asking. The
        shares of all methods sum to at most 1, so that a further method takes nothing from the
        others."""
        return 1 / 16 if self.judged else 0.0

    @property
    def investigated(self) -> bool:
        """Whether an investigation can use it: it asks a model, and needs nothing but a sample."""
        return self.judged

    def surely_asks(self, endpoint: Endpoint) -> bool:
        """Whether it is certain that it can ask this model, so that an investigation may use the
        method although nobody named it."""
        return True

    @property
    def invented(self) -> Sequence[Sequence[InventedMeasure]]:
        """What it measures of invented models, from which its power follows before it is asked:
        for each of its evidence's ``measures``, in their order, the models of which one answers.
        Until a method says otherwise, as many originals count for memory as in a quiz."""
        from dcq.invented import picks

        return (picks(lettered=False, one_slot=True),)

    @property
    def shows_rewordings(self) -> bool:
        """Whether a model sees rewordings, so that it matters who wrote them and whether they give
        the original away."""
        return False

    @property
    def needs_texts(self) -> bool:
        """Whether results are computed from texts of the data, so that they cannot be computed
        again from a bundle without texts."""
        return True

    def exhibits(
        self, results: Sequence[Evidence], calibrations: Mapping[str, Mapping[str, Calibration]]
    ) -> Sequence[Exhibit]:
        """What its section shows besides the table and the chart of all its ``results``, the
        strongest first. ``calibrations`` are comparisons that are shown and never decide
        (``Evidence.side_measures``), by run and name."""
        return ()

    @abstractmethod
    def read(self, store: Store) -> Rows:
        """Read all that the results rest on. The store is held meanwhile."""

    def known_to(self, within: Study, rows: Rows, taken_in: Mapping[str, datetime]) -> Rows:
        """The rows that a study takes into account (``Study.known``), where the evidence of a run
        depends on other runs. ``taken_in`` is when others' runs were taken in."""
        return rows

    @abstractmethod
    def runs(self, rows: Rows) -> Sequence[str]:
        """The runs whose replies count."""

    @abstractmethod
    def evidence(
        self, store: Store, rows: Rows, context: Context, within: Study
    ) -> Mapping[str, Evidence]:
        """The evidence of each run of the store, by run. Among runs with one ``family_key`` the
        most informative comes first. Only the evidence that the study's verdicts need has to be
        complete."""

    def counting_runs(
        self, rows: Rows, evidence: Mapping[str, Evidence], within: Study
    ) -> Iterator[tuple[Hashable, str]]:
        """The runs that count in a study, by key. Runs with the same key exclude each other; the
        most informative comes first."""
        for run, run_evidence in evidence.items():
            if belongs(run_evidence, within):
                yield run_evidence.family_key, run

    def opened(self, store: Store, runs: Sequence[str], instance_id: str) -> Sequence[ChosenText]:
        """The texts that replies of these runs chose or gave for an instance, the original first.
        Empty where texts are withheld, or the method has none."""
        return ()

    def beside(self, store: Store, within: Study) -> Sequence[Evidence]:
        """The findings of a method that gets no verdict (``judged`` is false), newest first."""
        return ()

    def propose(self, store: Store, sample_id: str) -> Proposal:
        """What a new run about a sample would ask; nothing is kept. Raises InputError where the
        sample cannot be asked about."""
        return self.kinds[0].propose(store, sample_id, Mode.LETTER)

    def subject(self, store: Store, sample_id: str) -> str:
        """The id of the subject of a new run about a sample; the subject is frozen first where that
        is needed."""
        return sample_id


@dataclass(frozen=True, eq=False)
class AskedRun:
    """A run of a method about a ``sample``, with its ``answers`` by position. ``requests`` is how
    many requests there are, even if the run was limited to the first."""

    run: MethodRun
    sample: ListedSample
    answers: Mapping[int, ReadAnswer]
    requests: int

    @property
    def finished(self) -> bool:
        """Whether all was asked and most requests got a reply: one failed call does not change
        that, an endpoint that was down does."""
        return self.run.asked >= self.requests and 2 * self.run.replies > self.requests

    def evidence(self, method: str, context: Context, estimate: MethodEstimate) -> Evidence:
        """The part of the evidence of a run that is the same for all methods;
        ``dataclasses.replace`` adds the rest."""
        run, sample = self.run, self.sample
        setting = (("prompt", run.prompt),)
        outcomes: dict[str, int] = {}
        for answer in self.answers.values():
            outcomes[answer.outcome] = outcomes.get(answer.outcome, 0) + 1
        return Evidence(
            method=method,
            run=run.run,
            model=run.model,
            partition=sample.partition,
            place=place(sample.title, sample.split_title),
            role=sample.role.value,
            estimate=estimate,
            usable=estimate.n,
            planned=self.requests,
            unusable=1 - estimate.n / run.asked if run.asked else 0.0,
            finished=self.finished,
            sample=sample.id,
            at=run.made_at,
            task=run.task,
            language=run.language,
            setting=setting,
            served=context.served_by({HERE: run.run}),
            published=context.published.get(sample.partition),
            family_key=(method, run.model, *setting, sample.partition),
            outcomes=outcomes,
        )


class SampleMethod(DetectionMethod[Sequence[AskedRun]]):
    """Base class of methods that ask one request about each instance of a sample. A subclass says
    what one run shows; the rest is done here."""

    @abstractmethod
    def run_evidence(self, store: Store, asked: AskedRun, context: Context) -> Evidence:
        """The evidence of one run."""

    @property
    def needs_replies(self) -> bool:
        """Whether ``run_evidence`` reads replies as they came. Otherwise answers are read without
        them, since replies may be long and the values are kept."""
        return True

    def read(self, store: Store) -> list[AskedRun]:
        """The runs of the method that have an answer."""
        stored_runs = method_runs.runs_of(store, [self.name])
        if not stored_runs:
            return []
        samples_by_id = {sample.id: sample for sample in samples.listing(store)}
        asked = [run for run in stored_runs if run.asked and run.sample in samples_by_id]
        sizes = frozen.sizes(store, [run.subject for run in asked])
        answers = method_runs.answers_by_run(
            store, [run.run for run in asked], replies=self.needs_replies
        )
        return [
            AskedRun(
                run,
                samples_by_id[run.sample],
                answers.get(run.run, {}),
                sizes.get(run.subject) or self._size(store, run),
            )
            for run in asked
        ]

    def _size(self, store: Store, run: MethodRun) -> int:
        """How many requests there are in all, where they were not frozen."""
        return self.kinds[0].reopen(store, runs.load(store, run.run).plan).size

    def runs(self, rows: Sequence[AskedRun]) -> list[str]:
        """The ids of all runs that have an answer."""
        return [run.run.run for run in rows]

    def evidence(
        self, store: Store, rows: Sequence[AskedRun], context: Context, within: Study
    ) -> dict[str, Evidence]:
        """The evidence of each run: finished runs first, then by number of replies, the newest
        first among equals."""
        ranked = sorted(rows, key=lambda run: (run.finished, run.run.replies), reverse=True)
        evidence: dict[str, Evidence] = {}
        while len(evidence) < len(ranked):
            until = monotonic() + _HELD
            with store.hold():  # opened once for several runs; writers need not wait for all
                for asked_run in ranked[len(evidence) :]:
                    evidence[asked_run.run.run] = self.run_evidence(store, asked_run, context)
                    if monotonic() > until:
                        break
        return evidence


def belongs(evidence: Evidence, within: Study) -> bool:
    """Whether evidence is part of a study."""
    return within.uses(evidence.method, evidence.read_by) and within.has(
        evidence.names, evidence.partition, is_control=evidence.role == PartitionRole.CONTROL
    )
