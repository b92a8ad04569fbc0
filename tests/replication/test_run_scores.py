"""The scores of completions are kept, and closeness in meaning is computed where it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dcq.asking import prepare
from dcq.judging.replication import results
from dcq.models import similarity
from dcq.records import Reply
from dcq.replication import run_scores
from dcq.replication.detection import REPLICATION_DETECTION
from dcq.replication.evidence import ReplicationRun, replication_row
from dcq.replication.method import REPLICATION, ReplicationTask
from dcq.store import Store, derived, method_runs, runs
from dcq.store.answers import add_answers
from tests.support import replications
from tests.support.runs import NOBODY, _answer


@pytest.fixture
def meanings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs of texts the sentence model was asked about, call by call."""
    asked: list[int] = []

    def score(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        asked.append(len(pairs))
        return np.full(len(pairs), 0.5)

    monkeypatch.setattr(similarity, "similarity", score)
    monkeypatch.setattr(similarity, "unavailable", lambda language="en": None)
    return asked


@pytest.fixture(autouse=True)
def _new_process() -> Iterator[None]:
    run_scores._known.cache_clear()
    yield
    run_scores._known.cache_clear()


def completed(store: Store, count: int) -> str:
    """A run that has the first ``count`` of its twelve completions, all exact."""
    sample_id, _ = replications.save(store, 6)
    subject = REPLICATION_DETECTION.subject(store, sample_id)
    run = prepare.plan_run(store, REPLICATION, subject, REPLICATION.endpoint(NOBODY))
    complete(store, run, range(count))
    return run


def complete(store: Store, run: str, positions: Sequence[int]) -> None:
    task = REPLICATION.reopen(store, runs.load(store, run).plan)
    assert isinstance(task, ReplicationTask)
    for position in positions:
        text = task.pieces[task.request(position)[0]].second
        reading = task.read(position, Reply(text))
        kept = _answer(position, "A")
        kept = replace(kept, value=reading.value, reason=reading.reason, reply=text)
        add_answers(store, run, [kept])


def row_of(store: Store) -> ReplicationRun:
    [found] = results(store, every_run=True)
    return replication_row(found.evidence)


def test_judging_needs_no_meaning(fresh_store: Store, meanings: list[int]) -> None:
    completed(fresh_store, 12)
    row = row_of(fresh_store)
    assert row.measured.guidance.guided == pytest.approx(1.0)
    assert meanings == []
    assert row.meaning is not None
    assert sum(meanings) == 12


def test_the_scores_of_a_complete_run_are_kept(
    fresh_store: Store, meanings: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    completed(fresh_store, 12)
    before = row_of(fresh_store)
    assert before.meaning is not None
    asked, texts = sum(meanings), before.scores.rouge_l
    run_scores._known.cache_clear()
    fresh = run_scores.RunScores(
        fresh_store,
        before.run,
        before.replication,
        method_runs.answers(fresh_store, before.run.run),
        before.sample.language,
    )
    monkeypatch.setattr(run_scores, "rouge_l", None)  # nothing is computed again
    assert fresh.rouge_l == texts
    assert list(fresh.meaning.values()) == [0.5] * 12
    assert sum(meanings) == asked


def test_scores_of_a_run_in_progress_are_not_kept(fresh_store: Store, meanings: list[int]) -> None:
    run = completed(fresh_store, 5)
    row = row_of(fresh_store)
    assert len(row.scores.rouge_l) == 5
    assert derived.read(fresh_store, run_scores._ROUGE, [row.scores.subject]) == {}
    complete(fresh_store, run, range(5, 12))
    row = row_of(fresh_store)
    assert len(row.scores.rouge_l) == 12
    assert [*derived.read(fresh_store, run_scores._ROUGE, [row.scores.subject])]


def test_a_store_that_cannot_be_written_is_scored_all_the_same(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    completed(fresh_store, 12)
    monkeypatch.setattr(derived, "keep", lambda *_: None)
    assert len(row_of(fresh_store).scores.rouge_l) == 12


def test_no_completion_of_a_large_study_is_scored_twice(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    completed(fresh_store, 12)
    row = row_of(fresh_store)
    scored: list[int] = []

    def score(references: Sequence[str], _: Sequence[str], __: str) -> NDArray[np.float64]:
        scored.append(len(references))
        return np.full(len(references), 0.5)

    monkeypatch.setattr(run_scores, "rouge_l", score)
    monkeypatch.setattr(derived, "keep", lambda *_: None)
    answers = method_runs.answers(fresh_store, row.run.run)
    for _ in range(2):
        several = [
            run_scores.RunScores(
                fresh_store, replace(row.run, run=f"run-{n}"), row.replication, answers, "de"
            )
            for n in range(1000)
        ]
        run_scores.work_out(fresh_store, several)
    assert scored == [12] * 1000
