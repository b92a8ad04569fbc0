"""Replications as evidence: from the rows of the store to what the judge compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dcq import words
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.record import (
    HERE,
    MATCH_RATE,
    ByInstance,
    Context,
    Evidence,
    MethodEstimate,
)
from dcq.evidence.replication.replicated import Replicated
from dcq.records import Outcome
from dcq.replication import wording
from dcq.replication.cheat import CheatFinding
from dcq.replication.freeze import pieces_of
from dcq.replication.match_labels import People, people_of
from dcq.replication.prompts import Instruction
from dcq.replication.results import InstanceScores, matches, read_instance_scores
from dcq.replication.run_scores import RunScores
from dcq.replication.score_table import Addition, MeaningScore, additions, meaning_of, means
from dcq.store import Store, method_runs, replications
from dcq.store.method_runs import MethodRun, ReadAnswer
from dcq.store.replications import Replication
from dcq.store.samples import ListedSample
from dcq.store.studies import REPLICATION

METHOD = REPLICATION


@dataclass(frozen=True)
class ReplicationRun:
    """A run of a replication as it was read, with the judge's run that belongs to it. A run that is
    not ``finished`` shows little. ``judge_outcomes`` counts the judgements by their outcome;
    ``cheat`` is the result of the newest request for the first instances; ``scores`` are worked out
    when they are first asked for."""

    run: MethodRun
    judging: MethodRun | None
    replication: Replication
    sample: ListedSample
    rows: Sequence[InstanceScores]
    finished: bool
    judge_outcomes: Mapping[str, int]
    cheat: CheatFinding | None
    scores: RunScores

    @cached_property
    def measured(self) -> Replicated:
        """The scores and matches of its instances."""
        has_judge = bool(self.judging or self.replication.judge)
        exact, near = matches(self.rows, has_judge=has_judge)
        general = np.array([row.score(Instruction.GENERAL) for row in self.rows])
        guided = np.array([row.score(Instruction.GUIDED) for row in self.rows])
        every = len(self.replication.instructions)
        asked = np.array([len(row.completions) == every for row in self.rows])
        usable = ~np.isnan(general + guided + exact)
        unusable = 1 - usable[asked].mean() if asked.any() else 0.0
        place = words.place(self.sample.title, self.sample.split_title)
        return Replicated(place, general, guided, exact, near, float(unusable))

    @property
    def judge(self) -> str:
        """The model that judges, or will judge; empty if there is none."""
        return self.judging.model if self.judging else self.replication.judge

    @property
    def instructions(self) -> list[Instruction]:
        """The instructions that it is asked with."""
        return [Instruction(name) for name in self.replication.instructions]

    @property
    def n(self) -> int:
        """The number of instances that are cut in two."""
        return len(self.replication.pieces)

    @property
    def questions(self) -> int:
        """The number of completions that the whole replication asks for."""
        return self.n * len(self.replication.instructions)

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of completions by outcome."""
        return Counter(
            str(completion.reply_kind or Outcome.ERROR)
            for row in self.rows
            for completion in row.completions.values()
        )

    @property
    def left_out(self) -> dict[str, int]:
        """The number of instances that could not be cut, by reason."""
        return Counter(self.replication.left_out.values())

    @property
    def cuts(self) -> dict[str, int]:
        """The number of the others by what decided where they are cut (``dcq.replication.pieces.
        CutBy``); empty where an older release did not keep it."""
        return Counter(piece.cut_by for piece in self.replication.pieces if piece.cut_by)

    @property
    def rouge_l(self) -> Mapping[Instruction, float | None]:
        """The mean of each instruction."""
        return means(self.rows, self.instructions)

    @cached_property
    def additions(self) -> Mapping[Instruction, Addition]:
        """The guided mean minus each other one."""
        return additions(self.rows, self.instructions, self.measured.guidance)

    @cached_property
    def meaning(self) -> MeaningScore | None:
        """The scores of closeness in meaning; None where there is no such score."""
        return meaning_of(self.rows, self.instructions, self.run.language)

    @cached_property
    def people(self) -> People:
        """The labels that people gave, compared."""
        return people_of(self.rows)

    @property
    def setting(self) -> tuple[tuple[str, str], ...]:
        """The settings that a control must share: the wording, where the cuts were drawn, and the
        judge."""
        share = f"{self.replication.earliest:g}:{self.replication.latest:g}"
        return (("wording", self.replication.version), ("cut", share), ("judge", self.judge))

    def evidence(self, context: Context) -> Evidence:
        """The evidence of one run.

        The estimate is the share of exact and near-exact matches among the instances that are known
        to match or not, with Wilson's 95 % interval.
        """
        run, sample, measurement = self.run, self.sample, self.measured
        matches, limits = measurement.matches, measurement.matches.interval
        rate, gains = matches.rate, measurement.gains  # Algorithm 1 resamples them: not needed here
        low, high = (limits.low, limits.high) if limits else (None, None)
        return Evidence(
            method=METHOD,
            run=run.run,
            model=run.model,
            partition=sample.partition,
            place=measurement.name,
            role=sample.role.value,
            estimate=MethodEstimate(rate, low, high, MATCH_RATE, share=rate, n=matches.n),
            measures=measurement.measures,
            usable=max(matches.n, len(gains)),
            planned=len(self.rows),
            unusable=measurement.unusable,
            finished=self.finished,
            sample=sample.id,
            at=run.made_at,
            task=run.task,
            language=run.language,
            setting=self.setting,
            served=context.served_by({HERE: run.run}),
            published=context.published.get(sample.partition),
            family_key=(METHOD, run.model, *self.setting, sample.partition),
            checks=() if self.finished else (_unfinished(self),),
            words=wording.WORDS,
            outcomes=self.outcomes,
            figures={
                "judge": self.judge or None,
                "exact": matches.exact,
                "near_exact": matches.near_exact if self.judge else None,
                "version": self.replication.version,
                "gain": float(gains.mean()) if len(gains) else None,
                "guidance": lambda: (
                    measurement.guidance
                ),  # resampled only where its limits are shown
            },
            each=ByInstance([row.instance for row in self.rows], measurement.match, "completed"),
            row=self,
        )


def replication_row(evidence: Evidence) -> ReplicationRun:
    """The replication that ``evidence`` is of. Raises TypeError if it is of another method."""
    if not isinstance(evidence.row, ReplicationRun):
        raise TypeError(f"{evidence.method} is no replication.")
    return evidence.row


def read_runs(
    store: Store, runs: Sequence[MethodRun], samples_by_id: Mapping[str, ListedSample]
) -> list[ReplicationRun]:
    """The replications among ``runs`` that have an answer, as they are stored; the runs that belong
    to them are out of ``runs`` too."""
    asked = [
        run for run in runs if run.method == METHOD and run.asked and run.sample in samples_by_id
    ]
    judges = {run.run: judge_of(run.run, runs) for run in asked}
    stored_replications = {
        subject: replications.load(store, subject) for subject in {run.subject for run in asked}
    }
    pieces = {  # made once for all models that completed them
        subject: [pieces_of(piece) for piece in replication.pieces]
        for subject, replication in stored_replications.items()
    }
    answers = method_runs.answers_by_run(
        store,
        [*(run.run for run in asked), *(judge.run for judge in judges.values() if judge)],
    )
    people = replications.labels_by_run(store, [run.run for run in asked])
    rows = []
    for run in asked:
        replication, sample = stored_replications[run.subject], samples_by_id[run.sample]
        judging, own = judges[run.run], answers.get(run.run, {})
        judgements = answers.get(judging.run, {}) if judging else {}
        places = replications.to_judge(store, run.run) if judging else []
        scores = RunScores(store, run, replication, own, run.language)
        table = read_instance_scores(
            replication,
            pieces[run.subject],
            run.items,
            own,
            {places[position]: answer for position, answer in judgements.items()},
            people.get(run.run, {}),
            scores,
        )
        total = len(replication.pieces) * len(replication.instructions)
        needed = sum(row.is_exact is False for row in table)
        judged = not needed or not (judging or replication.judge)
        if needed and judging:
            judged = judging.asked >= needed and 2 * judging.replies > needed
        finished = run.asked >= total and 2 * run.replies > total and judged
        rows.append(
            ReplicationRun(
                run,
                judging,
                replication,
                sample,
                table,
                finished,
                _judge_outcomes(judgements),
                _cheat(store, run, runs),
                scores,
            )
        )
    return rows


def _judge_outcomes(judgements: Mapping[int, ReadAnswer]) -> dict[str, int]:
    return Counter(
        answer.value or (answer.reason if answer.outcome != "error" else "error")
        for answer in judgements.values()
    )


def _cheat(store: Store, run: MethodRun, runs: Sequence[MethodRun]) -> CheatFinding | None:
    for other_run in runs:
        if (other_run.method, other_run.sample, other_run.model) == (
            "cheat",
            run.sample,
            run.model,
        ):
            answer = method_runs.answers(store, other_run.run).get(0)
            if answer is not None and answer.value is not None:
                return CheatFinding(answer.value)
    return None


def judge_of(run_id: str, runs: Sequence[MethodRun]) -> MethodRun | None:
    """The judge's run with the most replies, the newest among equals; None before it has any."""
    judge_runs = [
        run for run in runs if run.method == "judge" and run.subject == run_id and run.asked
    ]
    return max(judge_runs, key=lambda run: run.replies, default=None)


def _unfinished(counted: ReplicationRun) -> Check:
    """Why a run that is not finished says little: who did not reply would bias it."""
    total = counted.questions
    if counted.run.asked < total:
        says, count, of = wording.not_all_asked, counted.run.asked, total
    elif 2 * counted.run.replies <= total:
        says, count, of = wording.endpoint_down, counted.run.replies, total
    else:
        says, of = wording.judge_not_done, sum(row.is_exact is False for row in counted.rows)
        count = counted.judging.replies if counted.judging else 0
    return Check(Topic.COMPLETE, Mark.BAD, says, {"count": count, "of": of})
