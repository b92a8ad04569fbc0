from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.quiz import freeze
from dcq.quiz.consistency import describe, studies, tabulate
from dcq.records import LETTERS, QuizKind
from dcq.store import Store, quizzes, samples
from tests.support.runs import answer, answer_each
from tests.support.same_instances import N, prepare, take

OTHER = "other@http://127.0.0.1:9/v1"


def test_a_sample_with_one_set_has_nothing_to_compare(fresh_store: Store) -> None:
    [first] = prepare(fresh_store)
    with pytest.raises(InputError, match="--new-set"):
        studies(fresh_store, first)


def test_sets_are_compared_instance_by_instance(fresh_store: Store) -> None:
    first, deep, cold = prepare(fresh_store, "deep", "cold")
    for sample, found in ((first, 20), (deep, 24), (cold, 28)):
        take(fresh_store, sample, found)
    [study] = studies(fresh_store, cold[:8])
    assert study.consistency.n == N
    assert study.consistency.scores == (0.5, 0.6, 0.7)
    assert [one.member.name for one in study.of_sets] == ["first", "deep", "cold"]
    assert list(tabulate(study)["kappa"]) == pytest.approx([1 / 3, 7 / 15, 0.6])
    assert study.document()["same"] == 0.8
    assert "κ goes from 0.33 to 0.60" in study.sentence()
    assert "80 % of the instances" in study.sentence()
    assert "more than the answers' own noise explains" in study.sentence()
    assert describe(study).count("\n") == 4


def test_other_models_slots_and_pilots_are_not_compared(fresh_store: Store) -> None:
    first, deep = prepare(fresh_store, "deep")
    take(fresh_store, first, 20)
    take(fresh_store, deep, 20, slot="A")
    quiz = freeze.freeze(fresh_store, deep, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": N}, OTHER)
    answer(fresh_store, quiz, {"D": 4})
    assert studies(fresh_store, first) == []
    assert studies(fresh_store, first, model="nobody") == []


def test_a_rotated_quiz_counts_shares_of_calls(fresh_store: Store) -> None:
    first, deep = prepare(fresh_store, "deep")
    for sample in (first, deep):
        quiz = freeze.freeze(fresh_store, sample, QuizKind.ROTATED).quiz
        items = quizzes.load(fresh_store, quiz).items
        answer_each(fresh_store, quiz, [LETTERS[item.correct or 0] for item in items])
    [study] = studies(fresh_store, first)
    assert study.consistency.scores == (1.0, 1.0)
    assert "cannot be told" in study.sentence()


def test_nothing_in_common_is_said_in_a_sentence(fresh_store: Store) -> None:
    first, deep = prepare(fresh_store, "deep")
    for sample, letters in ((first, "D"), (deep, "refused")):
        quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
        order = [one.id for one in samples.load(fresh_store, sample).instances]
        usable = [
            (order.index(item.instance_id) < 20) == (letters == "D")
            for item in quizzes.load(fresh_store, quiz).items
        ]
        answer_each(fresh_store, quiz, ["D" if ok else "refused" for ok in usable])
    [study] = studies(fresh_store, first)
    assert study.consistency.n == 0
    assert "too few instances" in study.sentence()
    assert study.document()["tau"] is None
