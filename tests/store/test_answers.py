from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dcq.errors import InputError
from dcq.records import Answer, Kind, Outcome
from dcq.runs.sent import recall
from dcq.store import Store, results, runs
from dcq.store.runs import Event
from tests.support.asked import ask

pytestmark = pytest.mark.usefixtures("provider")


def test_positions_narrow_to_a_letter_or_an_outcome(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, Kind.STANDARD, "guess")
    told = results.answers(fresh_store, run)
    for letter in "ABCD":
        expected = told.loc[told["letter"] == letter, "position"].tolist()
        assert results.positions(fresh_store, run, answer=letter) == expected
    assert results.positions(fresh_store, run) == list(range(6))
    refused = ask(fresh_store, sample_id, Kind.STANDARD, "refuses")
    assert results.positions(fresh_store, refused, answer="refused") == list(range(6))
    assert results.positions(fresh_store, refused, answer="invalid") == []


def test_answers_of_some_positions_are_those_alone(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, Kind.STANDARD, "guess")
    every = results.answers(fresh_store, run)
    some = results.answers(fresh_store, run, positions=[1, 4])
    assert some["text"].tolist() == every.loc[[1, 4], "text"].tolist()
    assert results.answers(fresh_store, run, positions=[]).empty


def test_a_question_not_answered_yet_is_refused_in_a_sentence(
    fresh_store: Store, sample_id: str
) -> None:
    run = ask(fresh_store, sample_id, Kind.STANDARD, "guess")
    with pytest.raises(InputError, match="Question 10 has no answer in this run yet"):
        recall(fresh_store, run, 9)


def test_of_several_attempts_the_last_one_counts(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    first = [answer for answer in _kept(fresh_store, run) if answer.position < 3]
    for attempt, outcome in ((2, Outcome.ERROR), (3, Outcome.ANSWERED)):
        again = [replace(a, attempt=attempt, outcome=outcome, letter="C") for a in first[:attempt]]
        runs.add_answers(fresh_store, run, again)
    told = results.answers(fresh_store, run)
    assert told["attempt"].tolist() == [3, 3, 3, 1, 1, 1]
    assert told["letter"].tolist() == ["C", "C", "C", "A", "A", "A"]


def test_whoever_keeps_answers_hears_of_a_wish_to_cancel(
    fresh_store: Store, sample_id: str
) -> None:
    run = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    answers = _kept(fresh_store, run)
    assert runs.add_answers(fresh_store, run, []) is Event.FINISHED
    runs.note(fresh_store, run, Event.CANCEL_REQUESTED)
    for batch in ([], [replace(answers[0], attempt=2)]):
        assert runs.add_answers(fresh_store, run, batch) is Event.CANCEL_REQUESTED


def _kept(store: Store, run: str) -> list[Answer]:
    now = datetime.now(UTC)
    return [
        Answer(position, 1, Outcome.ANSWERED, "A", "", "A", "", 1, 1, 0.1, 1, {}, None, now)
        for position in results.positions(store, run)
    ]
