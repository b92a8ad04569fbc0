"""The runs of replications as they are counted, before they are compared with one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dcq import words
from dcq.evidence.case import Check, Mark, Topic
from dcq.evidence.replication.verdict import Replicated
from dcq.replication.prompts import Instruction
from dcq.replication.results import Row, matches, read_rows
from dcq.store import Store, replications
from dcq.store.replications import Replication, RunOfReplication
from dcq.store.samples import ListedSample


@dataclass(frozen=True)
class Counted:
    """A run with what is counted of it, before it is compared with others."""

    run: RunOfReplication
    judging: RunOfReplication | None
    replication: Replication
    sample: ListedSample
    rows: Sequence[Row]
    finished: bool
    measured: Replicated

    @property
    def judge(self) -> str:
        """The model that judges, or is to; empty for none."""
        return self.judging.model if self.judging else self.replication.judge

    @property
    def setting(self) -> tuple[str, ...]:
        """What a result and its controls have in common."""
        return (*self.alike, self.sample.task, self.sample.language)

    @property
    def alike(self) -> tuple[str, ...]:
        """Who was asked, in which words, where the cuts were drawn, and who judges."""
        share = f"{self.replication.earliest:g}:{self.replication.latest:g}"
        return self.run.model, self.replication.version, share, self.judge

    @property
    def key(self) -> tuple[str, ...]:
        """Only one of the results with the same key is in the family."""
        return *self.alike, self.sample.partition


def count(
    store: Store, run: RunOfReplication, every: Sequence[RunOfReplication], sample: ListedSample
) -> Counted:
    """What a run came to, and the judge's run that belongs to it, of ``every`` run."""
    replication = replications.load(store, run.subject)
    judging = judge_of(run.run, every)
    table = read_rows(store, run.run, judging.run if judging else None)
    exact, near = matches(table, judged=bool(judging or replication.judge))
    general = np.array([row.score(Instruction.GENERAL) for row in table])
    guided = np.array([row.score(Instruction.GUIDED) for row in table])
    asked = np.array([len(row.completions) == len(replication.instructions) for row in table])
    usable = ~np.isnan(general + guided + exact)
    unusable = 1 - usable[asked].mean() if asked.any() else 0.0
    whole = len(replication.pieces) * len(replication.instructions)
    needed = sum(row.equal is False for row in table)
    judged = not needed or not (judging or replication.judge)
    if needed and judging:
        judged = judging.asked >= needed and 2 * judging.replies > needed
    place = words.place(sample.title, sample.split_title)
    return Counted(
        run,
        judging,
        replication,
        sample,
        table,
        run.asked >= whole and 2 * run.replies > whole and judged,
        Replicated(place, general, guided, exact, near, float(unusable)),
    )


def judge_of(run_id: str, every: Sequence[RunOfReplication]) -> RunOfReplication | None:
    """The judge's run with the most replies, the newest among equals; None before it has any."""
    found = [run for run in every if run.method == "judge" and run.subject == run_id and run.asked]
    return max(found, key=lambda run: run.replies, default=None)


def unfinished(one: Counted) -> Check:
    """Why a run that is not finished says little: who did not reply would bias it."""
    whole = len(one.replication.pieces) * len(one.replication.instructions)
    if one.run.asked < whole:
        number = f"{one.run.asked:,} of {whole:,}"
        sentence = f"The run is unfinished: {number} completions were asked for so far."
    elif 2 * one.run.replies <= whole:
        number = f"{one.run.replies:,} of {whole:,}"
        sentence = f"The endpoint was down: {number} requests got a reply."
    else:
        needed = sum(row.equal is False for row in one.rows)
        number = f"{one.judging.replies if one.judging else 0:,} of {needed:,}"
        sentence = f"The judge is not done: {number} completions were judged so far."
    return Check(Topic.COMPLETE, Mark.BAD, number, sentence)
