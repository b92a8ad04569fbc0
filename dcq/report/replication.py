"""Verdicts on the replications of a study: by default all in the store.

As ``dcq.report.study`` does for quizzes: controls and family come from the study, and no filter
changes a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from dcq import words
from dcq.errors import InputError
from dcq.evidence.case import MOST_UNUSABLE, Check, Mark, Topic
from dcq.evidence.replication import verdict as evidence
from dcq.evidence.replication.guidance import Guidance
from dcq.evidence.replication.matches import Matches
from dcq.evidence.verdict import Verdict
from dcq.models import cutoffs
from dcq.records import Role
from dcq.replication import cheat
from dcq.replication.prompts import Instruction
from dcq.replication.results import Row, read_of, read_rows
from dcq.report.dates import Published, dates
from dcq.report.match_labels import People, people_of
from dcq.report.replication_runs import Counted, count, judge_of, unfinished
from dcq.report.replication_scores import Addition, Meaning, additions, meaning_of, means
from dcq.store import Store, match_labels, partitions, replications, samples
from dcq.store.replications import RunOfReplication
from dcq.store.studies import EVERYTHING, REPLICATION, Study


@dataclass(frozen=True)
class ReplicationResult:
    """What one model made of one sample.

    ``questions`` are the completions that the whole replication asks for and ``asked`` those
    that have an answer; a run that is not ``finished`` says little. ``left_out`` counts the
    instances that could not be cut by reason, ``cuts`` the others by what decided where they
    are cut (``dcq.replication.pieces.CutBy``; none where an older release did not keep it),
    ``outcomes`` the replies by what they were read as and ``judge_outcomes`` the judgements.
    ``rouge_l`` has the mean of each instruction and ``additions`` guided minus each other one;
    ``guidance`` is Algorithm 1 on it, ``matches`` Algorithm 2: exact by equality, the rest by
    the judge, of whom there is none where ``judge`` is empty. ``unusable`` is the share of the
    instances asked about that lack a completion or a judgement. ``cheat`` is what the newest
    reply to a request for the first instances shows. ``finding`` compares with ``controls``;
    ``verdict`` is None for a control partition.
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
    meaning: Meaning | None
    matches: Matches
    unusable: float
    people: People
    cheat: cheat.Finding | None
    finding: evidence.Finding
    controls: tuple[str, ...]
    verdict: Verdict | None
    sentence: str

    @property
    def place(self) -> str:
        """The name of the partition on the screen."""
        return words.place(self.title, self.split_title)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What the verdict rests on."""
        return self.verdict.reasons if self.verdict else ()


def results(
    store: Store, within: Study = EVERYTHING, *, every_run: bool = False
) -> list[ReplicationResult]:
    """The most complete run of each model, partition, wording and judge of a study, or every run,
    with their verdicts; by partition and model.

    The family for the correction is the former on targets. Any other result gets its verdict as if
    it replaced the one with the same key in the family.
    """
    if REPLICATION not in within.methods:
        return []
    found = _judged(store, within, (*match_labels.state(store), *cutoffs.state()))
    return [one for one, complete in found if complete or every_run]


def of_run(store: Store, run_id: str) -> ReplicationResult:
    """The result of one run. Raises InputError where it has none."""
    found = next((one for one in results(store, every_run=True) if one.run == run_id), None)
    if found is None:
        raise InputError(f"Run {run_id!r} replicates nothing yet; name a run of `replicate`.")
    return found


def rows(store: Store, run_id: str) -> list[Row]:
    """The instances of one run, with completions, scores, judgements and people's labels."""
    judging = judge_of(run_id, replications.runs_of(store))
    return read_rows(store, run_id, judging.run if judging else None)


@lru_cache(maxsize=4)
def _judged(
    store: Store, within: Study, state: tuple[int, ...]
) -> list[tuple[ReplicationResult, bool]]:
    """All results of a study, and whether each is the most complete of its key; ``state`` is what
    they rest on."""
    every = replications.runs_of(store)
    there = {sample.id: sample for sample in samples.listing(store)}
    read = [
        count(store, run, every, there[run.sample])
        for run in every
        if run.method == "replication" and run.asked and run.sample in there
    ]
    read = [
        one
        for one in read
        if within.has(
            one.run.model, one.sample.partition, is_control=one.sample.role is Role.CONTROL
        )
    ]
    read.sort(key=lambda one: (one.finished, one.run.replies), reverse=True)
    most_complete = {one.key: one for one in reversed(read)}
    shown = most_complete.values()
    pool = [one for one in shown if one.sample.role is Role.CONTROL and one.finished]
    published = partitions.published(store)
    chosen = {one.run.run: _controls_of(one, pool, published) for one in read}
    found = {run: found for run, (found, _) in chosen.items()}
    targets = [one for one in read if one.sample.role is not Role.CONTROL]
    family = [one for one in shown if one.sample.role is Role.TARGET]
    verdicts = {one.run.run: _verdict(one, family, found) for one in targets}
    made = [
        (
            _result(store, one, every, *chosen[one.run.run], verdicts.get(one.run.run)),
            most_complete[one.key] is one,
        )
        for one in read
    ]
    return sorted(made, key=lambda pair: (pair[0].partition, pair[0].model))


def _controls_of(
    one: Counted, pool: Sequence[Counted], published: Published
) -> tuple[evidence.Finding, tuple[Counted, ...]]:
    """The comparison with the controls: same model, wording, judge, task and language, usable."""
    others = [c for c in pool if c.sample.partition != one.sample.partition]
    fitting = [c for c in others if c.setting == one.setting]
    usable = [c for c in fitting if c.measured.unusable <= MOST_UNUSABLE]
    used = tuple(usable or fitting)
    found = evidence.examine(one.measured, [c.measured for c in used])
    checks: list[Check] = []
    if not one.finished:
        checks.append(unfinished(one))
    if not used and any(c.run.model == one.run.model for c in others):
        sentence = (
            "The controls of this model are of another task, language, wording, cut or judge, so "
            "they are no fair comparison."
        )
        checks.append(Check(Topic.CONTROLS, Mark.CAUTION, "none fits", sentence))
    if usable and len(usable) < len(fitting):
        silent = [c.measured.name for c in fitting if c not in usable]
        sentence = (
            f"Left out, because more than {words.percent(MOST_UNUSABLE)} of their instances lack "
            f"a completion or a judgement: {words.listed(silent)}."
        )
        checks.append(Check(Topic.CONTROLS, Mark.CAUTION, f"{len(silent)} left out", sentence))
    named = [(c.sample.partition, c.measured.name) for c in used]
    checks += dates(one.run.model, one.sample.partition, named, published)
    return replace(found, checks=(*checks, *found.checks)), used


def _verdict(
    one: Counted, family: Sequence[Counted], found: Mapping[str, evidence.Finding]
) -> Verdict:
    """Within the family, in place of the result with the same key if it is not one of it."""
    members = [other for other in family if other.key != one.key] + [one]
    return evidence.rule([found[member.run.run] for member in members])[-1]


def _result(
    store: Store,
    one: Counted,
    every: Sequence[RunOfReplication],
    found: evidence.Finding,
    controls: Sequence[Counted],
    verdict: Verdict | None,
) -> ReplicationResult:
    run, sample, replication = one.run, one.sample, one.replication
    instructions = [Instruction(name) for name in replication.instructions]
    given = replications.answers(store, run.run)
    judged = replications.answers(store, one.judging.run) if one.judging else {}
    result = ReplicationResult(
        run=run.run,
        judge_run=one.judging.run if one.judging else None,
        replication=replication.id,
        sample=sample.id,
        model=run.model,
        judge=one.judge,
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
        finished=one.finished,
        left_out=Counter(replication.left_out.values()),
        cuts=Counter(piece.cut_by for piece in replication.pieces if piece.cut_by),
        outcomes=Counter(read_of(answer) or answer.outcome for answer in given.values()),
        judge_outcomes=Counter(
            answer.value or (answer.reason if answer.outcome != "error" else "error")
            for answer in judged.values()
        ),
        rouge_l=means(one.rows, instructions),
        guidance=found.guidance,
        additions=additions(one.rows, instructions, found.guidance),
        meaning=meaning_of(one.rows, instructions, sample.language),
        matches=found.matches,
        unusable=one.measured.unusable,
        people=people_of(one.rows),
        cheat=_cheat(store, run, every),
        finding=found,
        controls=tuple(control.run.run for control in controls),
        verdict=verdict,
        sentence="",
    )
    return replace(result, sentence=_sentence(result))


def _cheat(
    store: Store, run: RunOfReplication, every: Sequence[RunOfReplication]
) -> cheat.Finding | None:
    for other in every:
        if (other.method, other.sample, other.model) == ("cheat", run.sample, run.model):
            answer = replications.answers(store, other.run).get(0)
            if answer is not None and answer.value is not None:
                return cheat.Finding(answer.value)
    return None


def _sentence(result: ReplicationResult) -> str:
    """One result as it can be read aloud."""
    sentence = f"{result.model} on {result.place}: {evidence.sentence(result.finding)}"
    if not result.judge:
        sentence += " No judge was asked, so only exact matches count."
    return sentence
