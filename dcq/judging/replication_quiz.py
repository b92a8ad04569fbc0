"""A replication compared with the quiz: does the same model find the originals that it can
complete?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dcq.evidence.replication.cross_check import CrossCheck, cross_check
from dcq.judging.replication import of_run
from dcq.quiz import results, tables
from dcq.quiz.results import Result
from dcq.records import Mode, QuizKind
from dcq.replication.evidence import replication_row
from dcq.store import Store, runs

_KINDS = (
    QuizKind.STANDARD,
    QuizKind.BCQ,
)  # right or wrong, once an instance; the first is preferred


@dataclass(frozen=True)
class BesideQuiz:
    """The comparison of a replication with a quiz. ``cross_check`` counts instances by quiz and
    replication, ``quiz`` is the quiz result; ``why`` says why there is no count where
    ``cross_check`` is None."""

    cross_check: CrossCheck | None
    quiz: Result | None
    why: str = ""


def cross_check_of(store: Store, run_id: str) -> BesideQuiz:
    """Compare a run of a replication with the most complete quiz that its model took of the same
    sample. An instance is replicated if its guided completion is an exact or near-exact match."""
    plan = runs.load(store, run_id).plan
    quiz = quiz_of(store, plan.model, plan.sample_id)
    if quiz is None:
        return BesideQuiz(
            None,
            None,
            f"{plan.model} took no quiz of this sample with the original at one slot; ask it one.",
        )
    picks = picks_of(store, quiz.run)
    replicated = replication_row(of_run(store, run_id).evidence)
    right = picks.reindex([row.instance for row in replicated.rows]).to_numpy(np.float64)
    counted = cross_check(right, replicated.measured.match[:, 0])
    if not counted.n:
        return BesideQuiz(None, quiz, "No instance has an answer in the quiz and a completion.")
    return BesideQuiz(counted, quiz)


def quiz_of(store: Store, model: str, sample_id: str) -> Result | None:
    """The most complete quiz that a model took of a sample with the original at one slot."""
    # Those that say most come first, as in the study.
    taken_results = [
        result
        for result in results.table(store, model=model, every_run=True)
        if result.sample == sample_id
        and result.kind in _KINDS
        and result.mode is Mode.LETTER
        and result.n
    ]
    return min(
        taken_results,
        key=lambda result: (not result.finished, _KINDS.index(result.kind)),
        default=None,
    )


def picks_of(store: Store, run_id: str) -> pd.Series:
    """Whether the original was picked, by instance: 1, 0, or NaN without a usable answer; for a run
    of a quiz with the original at one slot."""
    return tables.right(tables.of_runs(store, [run_id])[run_id]).iloc[:, 0]
