"""What a study reads of a store."""

from __future__ import annotations

import pytest

from dcq.judging import snapshot
from dcq.quiz.evidence import text_scores
from dcq.quiz.leakage import TextOnly
from dcq.records import Role
from dcq.store import Store
from dcq.store.studies import EVERYTHING, Study
from tests.report.test_study import SEEN, UNSEEN, put

pytestmark = pytest.mark.slow


def test_texts_are_rated_of_the_studys_own_targets_only(fresh_store: Store) -> None:
    rivers = put(fresh_store, "rivers", SEEN)
    lakes = put(fresh_store, "lakes", SEEN)
    unseen = put(fresh_store, "unseen", UNSEEN, Role.CONTROL)
    rated: list[str] = []

    def rate(store: Store, quiz: str) -> tuple[TextOnly, ...]:
        rated.append(quiz)
        return text_scores(store, quiz)

    quizzes = {one.run: one.quiz for one in snapshot.read(fresh_store, EVERYTHING, rate).results}
    assert sorted(rated) == sorted([quizzes[rivers], quizzes[lakes]])
    rated.clear()
    narrow = snapshot.read(fresh_store, Study("Rivers", partitions=("rivers/test",)), rate)
    assert rated == [quizzes[rivers]]
    assert narrow.evidence[rivers].text_only
    assert not narrow.evidence[lakes].text_only
    assert {lakes, unseen} <= set(narrow.evidence)  # still there, as comparisons may look at them
