"""Replication as a method of detection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dcq.detection import ChosenText, DetectionMethod, Field
from dcq.errors import InputError
from dcq.evidence.record import Context, Evidence
from dcq.replication import RUNS, wording
from dcq.result_columns import COUNT
from dcq.store import Store, method_runs, samples, studies
from dcq.store.studies import Study
from dcq.words import points_words

if TYPE_CHECKING:  # takes a second to import, which stores without a replication do without
    from dcq.asking.task import Method, Proposal
    from dcq.invented import InventedMeasure
    from dcq.replication.evidence import ReplicationRun


def _gain(evidence: Evidence) -> tuple[object, object, object] | None:
    """Guided minus general with its interval."""
    gain = evidence.figures["gain"]
    return None if gain is None else (gain, _limit("low")(evidence), _limit("high")(evidence))


def _limit(name: str) -> Callable[[Evidence], object]:
    """A function that reads the ``low`` or ``high`` limit of the gain's interval."""

    def limit(evidence: Evidence) -> object:
        resample: Any = evidence.figures["guidance"]
        return getattr(resample(), name)

    return limit


FIELDS = (
    Field("judge", "Judge", lambda evidence: evidence.figures["judge"]),
    Field("", "Wordings", lambda evidence: evidence.figures["version"]),
    Field(
        "exact",
        "Exact",
        lambda evidence: evidence.figures["exact"],
        "{:,}".format,
        "Matches",
        COUNT,
    ),
    Field(
        "near_exact",
        "Near-exact",
        lambda evidence: evidence.figures["near_exact"],
        "{:,}".format,
        "Matches",
        COUNT,
    ),
    Field("gain", "", lambda evidence: evidence.figures["gain"]),
    Field("gain_low", "", _limit("low")),
    Field("gain_high", "", _limit("high")),
    Field("", "Guided adds, points", _gain, lambda gain: points_words(*gain), "Guided adds"),
)


class _ReplicationDetection(DetectionMethod[Sequence["ReplicationRun"]]):
    name = studies.REPLICATION
    title = "Replication"
    words = wording.WORDS
    weight = 1 / 4
    question = "Can it write the rest from memory?"
    fields = FIELDS
    explanation = (
        "The model gets the beginning of each instance and writes the rest, once told the data "
        "set and split (guided) and once not (general)."
    )

    @property
    def invented(self) -> Sequence[Sequence[InventedMeasure]]:
        from dcq.invented import Completions, Gains

        return ((Completions(),), (Gains(),))

    @property
    def kinds(self) -> Sequence[Method]:
        from dcq.replication.method import METHODS

        return tuple(METHODS.values())

    def read(self, store: Store) -> list[ReplicationRun]:
        """The replication runs with replies, the most complete first."""
        runs = method_runs.runs_of(store, RUNS)
        if not runs:
            return []
        from dcq.replication.evidence import read_runs

        samples_by_id = {sample.id: sample for sample in samples.listing(store)}
        return sorted(
            read_runs(store, runs, samples_by_id),
            key=lambda row: (row.finished, row.run.replies),
            reverse=True,
        )

    def runs(self, rows: Sequence[ReplicationRun]) -> Sequence[str]:
        return [row.run.run for row in rows]

    def evidence(
        self, store: Store, rows: Sequence[ReplicationRun], context: Context, within: Study
    ) -> Mapping[str, Evidence]:
        if not rows:
            return {}
        from dcq.replication.run_scores import work_out

        work_out(store, [row.scores for row in rows])
        return {row.run.run: row.evidence(context) for row in rows}

    def opened(self, store: Store, runs: Sequence[str], instance_id: str) -> Sequence[ChosenText]:
        """The second piece as it is, and as models completed it by the guided instruction."""
        from dcq.replication.results import guided_completions

        return guided_completions(store, runs, instance_id)

    def propose(self, store: Store, sample_id: str) -> Proposal:
        """The completions that the paper asks for."""
        from dcq.asking.task import Proposal
        from dcq.replication.estimate import proposed_task
        from dcq.replication.freeze import PAIRED, preview
        from dcq.replication.prompts import Instruction, Version, prompt_for

        sample = samples.load(store, sample_id)
        version, cuts = Version.PAPER, preview(store, sample)
        task = proposed_task(sample.partition, cuts, version, PAIRED, sample.seed)
        if not task.pieces:
            raise InputError(f"No instance of sample {sample.id} can be cut in two.")
        prompt = prompt_for(version, Instruction.GUIDED, task.pieces[0].form)
        return Proposal(prompt, task, sample.id)

    def subject(self, store: Store, sample_id: str) -> str:
        """Freeze the sample as the paper cuts it, without a judge (only exact matches count);
        returns the id of the replication."""
        from dcq.replication.replicate import PUBLISHED, freeze_design

        return freeze_design(store, sample_id, PUBLISHED)


REPLICATION_DETECTION = _ReplicationDetection()
