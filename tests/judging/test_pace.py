"""While a run writes answers, a store is judged again every few seconds at most."""

from __future__ import annotations

import pytest

from dcq.asking import prepare
from dcq.jobs import lock
from dcq.judging import pace, snapshot
from dcq.models.endpoints import resolve
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.settings import load
from dcq.store import Store, runs, samples
from dcq.store.answers import add_answers
from tests.conftest import small_sample
from tests.support.runs import NOBODY, _answer


class _Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    made = _Clock()
    monkeypatch.setattr(pace, "monotonic", made)
    return made


@pytest.fixture
def run(fresh_store: Store) -> str:
    sample_id = samples.save(fresh_store, small_sample(12))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    return prepare.plan_run(fresh_store, QUIZ, quiz, resolve(NOBODY, load()))


def test_answers_of_a_run_in_progress_count_every_few_seconds(
    fresh_store: Store, run: str, clock: _Clock
) -> None:
    with lock.hold(fresh_store, run):
        runs.note(fresh_store, run, runs.Event.STARTED)
        first = snapshot.state(fresh_store)
        seen = []
        for second in range(12):
            add_answers(fresh_store, run, [_answer(second, "A")])
            clock.now += 1
            # Two sessions of one server.
            seen += [snapshot.state(fresh_store), snapshot.state(fresh_store)]
        assert seen[:10] == [first] * 10
        assert [state[0] - first[0] for state in seen[10:]] == [6] * 12 + [12] * 2


def test_the_end_of_the_run_counts_at_once(fresh_store: Store, run: str, clock: _Clock) -> None:
    with lock.hold(fresh_store, run):
        runs.note(fresh_store, run, runs.Event.STARTED)
        first = snapshot.state(fresh_store)
        add_answers(fresh_store, run, [_answer(0, "A")])
        assert snapshot.state(fresh_store) == first
        runs.note(fresh_store, run, runs.Event.FINISHED)
        assert snapshot.state(fresh_store)[0] == first[0] + 1


@pytest.mark.usefixtures("clock")
def test_what_no_run_in_progress_wrote_counts_at_once(fresh_store: Store, run: str) -> None:
    first = snapshot.state(fresh_store)
    add_answers(fresh_store, run, [_answer(0, "A")])
    assert snapshot.state(fresh_store)[0] == first[0] + 1
    runs.note(fresh_store, run, runs.Event.STARTED)  # its process has died: nobody has the lock
    first = snapshot.state(fresh_store)
    add_answers(fresh_store, run, [_answer(1, "A")])
    assert snapshot.state(fresh_store)[0] == first[0] + 1
