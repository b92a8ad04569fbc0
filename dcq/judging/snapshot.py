"""A study as the store has it at one moment: the one place of the judge that reads.

What is read is evidence of all methods, with what the methods themselves keep of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dcq.evidence.record import Context, Evidence, ServedModel
from dcq.models import cutoffs
from dcq.models.cutoffs import Cutoff
from dcq.quiz import evidence as quiz
from dcq.quiz import standing_sets
from dcq.quiz.results import Result
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.records import Role
from dcq.store import Store, match_labels, partitions, replications, samples
from dcq.store import results as stored
from dcq.store.studies import EVERYTHING, REPLICATION, Study

if TYPE_CHECKING:  # takes a second to import, which most studies do without
    from dcq.replication.evidence import Counted


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything of a store that a study's verdicts rest on.

    ``evidence`` is by run, of all results that can be compared: of the whole store, because a run
    may be compared with those that it was planned with. ``members`` are those of the study.
    ``results`` and ``replications`` are what the methods keep of the same runs, quizzes without
    originals among them; ``standing`` are the runs that count in the study.
    """

    evidence: Mapping[str, Evidence]
    members: frozenset[str]
    standing: frozenset[str]
    cutoffs: Mapping[str, Cutoff]
    results: Sequence[Result]
    replications: Sequence[Counted]

    @property
    def family(self) -> frozenset[str]:
        """The runs whose p-values are corrected together."""
        return frozenset(
            run
            for run in self.standing
            if run in self.evidence and self.evidence[run].role == Role.TARGET
        )


def read(store: Store, within: Study = EVERYTHING, text_of: TextScores = text_scores) -> Snapshot:
    """The study as it is now. ``text_of`` gives the text-only scores of quizzes, where they are not
    made of their texts."""
    copied = REPLICATION in within.methods and bool(replications.runs_of(store))
    if copied:
        _read_replications(store)  # scores what is new, before the store is held
    with store.hold():
        rows = quiz.read(store)
        completed = _read_replications(store) if copied else []
        runs = [r.run for r in rows.every] + [one.run.run for one in completed]
        context = Context(_served(store, runs), partitions.published(store))
    probable = quiz.probabilities(store, rows)
    # Nobody judges the others, and to rate the texts of many quizzes takes long.
    texts = text_of(
        store, [r.quiz for r in rows.every if quiz.is_rated(r) and quiz.belongs(r, within)]
    )
    evidence = quiz.evidence(rows, context, texts, probable) | {
        one.run.run: one.evidence(context) for one in completed
    }
    standing: dict[Hashable, str] = {}
    for result in standing_sets.standing(rows.every, rows.of_sets):
        if quiz.belongs(result, within):
            standing.setdefault(quiz.place_in_study(result), result.run)
    for one in completed:
        if _belongs(evidence[one.run.run], within):
            standing.setdefault(evidence[one.run.run].family_key, one.run.run)
    known = {one.model: cutoffs.cutoff_of(one.model) for one in evidence.values()}
    return Snapshot(
        evidence=evidence,
        members=frozenset(run for run, one in evidence.items() if _belongs(one, within)),
        standing=frozenset(standing.values()),
        cutoffs={model: found for model, found in known.items() if found is not None},
        results=rows.every,
        replications=completed,
    )


def state(store: Store) -> tuple[int, ...]:
    """Changes whenever something is written that a verdict rests on."""
    return (*match_labels.state(store), *cutoffs.state())


def _belongs(one: Evidence, within: Study) -> bool:
    """Whether evidence is a study's."""
    return one.method in within.methods and within.has(
        one.model, one.partition, is_control=one.role == Role.CONTROL
    )


def _read_replications(store: Store) -> list[Counted]:
    """All replications that have asked something, the most complete first."""
    from dcq.replication import evidence

    every = replications.runs_of(store)
    there = {sample.id: sample for sample in samples.listing(store)}
    found = [
        evidence.count(store, run, every, there[run.sample])
        for run in every
        if run.method == REPLICATION and run.asked and run.sample in there
    ]
    return sorted(found, key=lambda one: (one.finished, one.run.replies), reverse=True)


def _served(store: Store, run_ids: Sequence[str]) -> dict[str, tuple[ServedModel, ...]]:
    """What endpoints said answered each of these runs."""
    found: dict[str, list[ServedModel]] = {}
    for row in stored.served(store, run_ids).to_dict("records"):
        model, fingerprint = (
            None if pd.isna(row[name]) else str(row[name])
            for name in ("served_model", "fingerprint")
        )
        one = ServedModel(
            model, fingerprint, row["first"].to_pydatetime(), row["last"].to_pydatetime()
        )
        found.setdefault(str(row["run"]), []).append(one)
    return {run: tuple(every) for run, every in found.items()}
