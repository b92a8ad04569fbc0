from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.records import Kind
from dcq.runs.sent import recall
from dcq.store import Store, results
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
