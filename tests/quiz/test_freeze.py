from __future__ import annotations

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store
from tests.support.runs import answer


def test_the_newest_modified_quiz_proposes_the_slot(fresh_store: Store, sample_id: str) -> None:
    assert freeze.propose(fresh_store, sample_id)[0] == 3
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.MODIFIED).quiz
    answer(fresh_store, quiz, {"A": 2, "B": 1, "C": 2, "D": 1})
    answer(fresh_store, quiz, {"A": 3, "C": 2, "D": 1})
    slot, why = freeze.propose(fresh_store, sample_id)
    assert slot == 1
    assert "A 3, B 0, C 2, D 1" in why


def test_runs_that_say_nothing_of_slots_are_passed_over(fresh_store: Store, sample_id: str) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.MODIFIED).quiz
    answer(fresh_store, quiz, {"A": 2, "C": 2, "D": 2})
    # Options scored by themselves stand in no slot; a run of errors has chosen nothing.
    answer(fresh_store, quiz, {"B": 6}, "likelihood:vllm:some-model")
    answer(fresh_store, quiz, {"error": 6})
    assert freeze.propose(fresh_store, sample_id)[0] == 1
