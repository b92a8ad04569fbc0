import pytest

from dcq.errors import InputError
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, quizzes


def test_one_question_is_what_the_whole_quiz_holds(fresh_store: Store, sample_id: str) -> None:
    quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    quiz = quizzes.load(fresh_store, quiz_id)
    for position, item in enumerate(quiz.items):
        assert quizzes.item_at(fresh_store, quiz_id, position) == item


def test_a_question_that_is_not_there_is_said(fresh_store: Store, sample_id: str) -> None:
    quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    with pytest.raises(InputError, match="no question 7"):
        quizzes.item_at(fresh_store, quiz_id, 6)
