"""The replications of a study with their verdicts: by default all in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from dcq import words
from dcq.errors import InputError
from dcq.evidence.controls import Calibration
from dcq.evidence.record import GAIN, MATCHES
from dcq.evidence.replication.guidance import Guidance
from dcq.evidence.replication.replicated import FalseAlarms, Matches, Replicated, false_alarms
from dcq.judging import snapshot
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.study import judged
from dcq.replication import RUNS, cheat
from dcq.replication.evidence import Counted, judge_of
from dcq.replication.match_labels import People, people_of
from dcq.replication.prompts import Instruction
from dcq.replication.results import InstanceScores, read_instance_scores
from dcq.replication.score_table import Addition, MeaningScore, additions, meaning_of, means
from dcq.store import Store, method_runs
from dcq.store.method_runs import MethodRun
from dcq.store.studies import EVERYTHING, REPLICATION, Study


@dataclass(frozen=True)
class ReplicationResult:
    """The replication of one sample by one model, judged.

    ``questions`` are the completions that the whole replication asks for and ``asked`` those that
    have an answer; a run that is not ``finished`` shows little. ``left_out`` counts the instances
    that could not be cut by reason, ``cuts`` the others by what decided where they are cut
    (``dcq.replication.pieces.CutBy``; none where an older release did not keep it), ``outcomes``
    the replies and ``judge_outcomes`` the judgements by their outcome. ``rouge_l`` has the mean of
    each instruction and ``additions`` the guided mean minus each other one; ``guidance`` is
    Algorithm 1 on it. ``matches`` is Algorithm 2: exact by equality, the rest by the judge;
    ``judge`` is empty where there is none. ``unusable`` is the share of the instances asked about
    that lack a completion or a judgement. ``cheat`` is the result of the newest request for the
    first instances. ``case`` compares with the controls, and ``alarms_1`` and ``alarms_2`` are what
    the paper's two rules say of these; ``verdict`` is None for a control partition.
    """

    run: str
    judge_run: str | None
    replication: str
    sample: str
    model: str
    judge: str
    partition: str
    title: str
    split_title: str
    role: str
    task: str
    language: str
    placebo: bool
    version: str
    at: datetime
    n: int
    questions: int
    asked: int
    finished: bool
    left_out: Mapping[str, int]
    cuts: Mapping[str, int]
    outcomes: Mapping[str, int]
    judge_outcomes: Mapping[str, int]
    rouge_l: Mapping[Instruction, float | None]
    guidance: Guidance
    additions: Mapping[Instruction, Addition]
    meaning: MeaningScore | None
    matches: Matches
    unusable: float
    people: People
    cheat: cheat.CheatFinding | None
    judged: JudgedResult = field(compare=False)
    alarms_1: FalseAlarms
    alarms_2: FalseAlarms

    @property
    def verdict(self) -> Verdict | None:
        """None on a control."""
        return self.judged.verdict

    @property
    def place(self) -> str:
        """The name of the partition on the screen."""
        return words.place(self.title, self.split_title)

    @property
    def rate(self) -> Calibration | None:
        """The rate of matches against the controls; None without any."""
        return dict(self.judged.calibrations).get(MATCHES)

    @property
    def gain(self) -> Calibration | None:
        """Guided minus general against the controls; None without any."""
        return dict(self.judged.calibrations).get(GAIN)

    @property
    def controls(self) -> tuple[str, ...]:
        """The control runs of this result."""
        return tuple(control.run for control in self.judged.controls)

    @property
    def sentence(self) -> str:
        """The result as it can be read aloud."""
        return self.judged.sentence

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the verdict."""
        return self.verdict.reasons if self.verdict else ()


def results(
    store: Store, within: Study = EVERYTHING, *, every_run: bool = False
) -> list[ReplicationResult]:
    """The most complete run of each model, partition, wording and judge of a study, or every run,
    with their verdicts; by partition and model."""
    if not within.uses(REPLICATION):
        return []
    counted_results = _shown(store, within, snapshot.state(store))
    return [replication for replication, counts in counted_results if counts or every_run]


def of_run(store: Store, run_id: str) -> ReplicationResult:
    """The result of one run. Raises InputError where it has none."""
    replication = next(
        (result for result in results(store, every_run=True) if result.run == run_id), None
    )
    if replication is None:
        raise InputError(f"Run {run_id!r} replicates nothing yet; name a run of `replicate`.")
    return replication


def rows(store: Store, run_id: str) -> list[InstanceScores]:
    """The instances of one run, with completions, scores, judgements and people's labels."""
    judging = judge_of(run_id, method_runs.runs_of(store, RUNS))
    return read_instance_scores(store, run_id, judging.run if judging else None)


@lru_cache(maxsize=4)
def _shown(
    store: Store, within: Study, state: tuple[int, ...]
) -> list[tuple[ReplicationResult, bool]]:
    """All results of a study, and whether each counts in it; ``state`` is what they rest on."""
    judged_study = judged(store, within)
    read, runs = judged_study.snapshot, method_runs.runs_of(store, RUNS)
    counted: Sequence[Counted] = read.rows.get(REPLICATION, ())
    measured = {counted_run.run.run: counted_run.measured for counted_run in counted}
    shown_results = []
    for counted_run in counted:
        if (run := counted_run.run.run) in read.members:
            judged_result = judged_study.results[run]
            controls = [measured[control.run] for control in judged_result.controls]
            result = _result(store, counted_run, runs, judged_result, controls)
            shown_results.append((result, run in read.counting))
    return sorted(shown_results, key=lambda pair: (pair[0].partition, pair[0].model))


def _result(
    store: Store,
    counted_run: Counted,
    runs: Sequence[MethodRun],
    judged_result: JudgedResult,
    controls: Sequence[Replicated],
) -> ReplicationResult:
    run, sample, replication, replicated_run = (
        counted_run.run,
        counted_run.sample,
        counted_run.replication,
        counted_run.measured,
    )
    instructions = [Instruction(name) for name in replication.instructions]
    judged = method_runs.answers(store, counted_run.judging.run) if counted_run.judging else {}
    return ReplicationResult(
        run=run.run,
        judge_run=counted_run.judging.run if counted_run.judging else None,
        replication=replication.id,
        sample=sample.id,
        model=run.model,
        judge=counted_run.judge,
        partition=sample.partition,
        title=sample.title,
        split_title=sample.split_title,
        role=sample.role.value,
        task=sample.task.value,
        language=sample.language,
        placebo=sample.placebo_of is not None,
        version=replication.version,
        at=run.made_at,
        n=len(replication.pieces),
        questions=len(replication.pieces) * len(instructions),
        asked=run.asked,
        finished=counted_run.finished,
        left_out=Counter(replication.left_out.values()),
        cuts=Counter(piece.cut_by for piece in replication.pieces if piece.cut_by),
        outcomes=counted_run.outcomes,
        judge_outcomes=Counter(
            answer.value or (answer.reason if answer.outcome != "error" else "error")
            for answer in judged.values()
        ),
        rouge_l=means(counted_run.rows, instructions),
        guidance=replicated_run.guidance,
        additions=additions(counted_run.rows, instructions, replicated_run.guidance),
        meaning=meaning_of(counted_run.rows, instructions, sample.language),
        matches=replicated_run.matches,
        unusable=counted_run.measured.unusable,
        people=people_of(counted_run.rows),
        cheat=_cheat(store, run, runs),
        judged=judged_result,
        alarms_1=false_alarms(
            [other_replicated_run.guidance.contaminated for other_replicated_run in controls]
        ),
        alarms_2=false_alarms([other.matches.contaminated for other in controls]),
    )


def _cheat(store: Store, run: MethodRun, runs: Sequence[MethodRun]) -> cheat.CheatFinding | None:
    for other_run in runs:
        if (other_run.method, other_run.sample, other_run.model) == (
            "cheat",
            run.sample,
            run.model,
        ):
            answer = method_runs.answers(store, other_run.run).get(0)
            if answer is not None and answer.value is not None:
                return cheat.CheatFinding(answer.value)
    return None
