"""What a study reads of a store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dcq.judging import snapshot
from dcq.judging.study import quizzes_in
from dcq.quiz import freeze
from dcq.quiz.detection import rating_by
from dcq.quiz.text_scores import text_scores
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, choices, samples
from dcq.store.answers import add_answers
from dcq.store.studies import EVERYTHING, Study
from dcq.variants.leakage import TextOnly
from tests.conftest import small_sample
from tests.support.judged import SEEN, UNSEEN, put
from tests.support.runs import _answer, answer_each

pytestmark = pytest.mark.slow


def test_texts_are_rated_of_the_study_only(fresh_store: Store) -> None:
    rivers = put(fresh_store, "rivers", SEEN)
    lakes = put(fresh_store, "lakes", SEEN)
    unseen = put(fresh_store, "unseen", UNSEEN, PartitionRole.CONTROL)
    rated: list[str] = []

    def rate(store: Store, quizzes: Sequence[str]) -> Mapping[str, tuple[TextOnly, ...]]:
        rated.extend(quizzes)
        return text_scores(store, quizzes)

    by = [rating_by(rate)]
    quizzes = {one.run: one.quiz for one in quizzes_in(snapshot.read(fresh_store, EVERYTHING, by))}
    assert sorted(rated) == sorted([quizzes[rivers], quizzes[lakes], quizzes[unseen]])
    rated.clear()
    narrow = snapshot.read(fresh_store, Study("Rivers", partitions=("rivers/test",)), by)
    assert sorted(rated) == sorted([quizzes[rivers], quizzes[unseen]])
    assert narrow.evidence[rivers].text_only
    assert not narrow.evidence[lakes].text_only
    assert {lakes, unseen} <= set(narrow.evidence)  # still there, as comparisons may look at them


def test_probabilities_are_read_while_others_may_write(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that is asked again meanwhile does not become half of an answer."""
    sample = samples.save(fresh_store, small_sample(2))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.ROTATED).quiz
    even = dict.fromkeys("ABCD", math.log(0.25))
    run = answer_each(
        fresh_store, quiz, ["A"] * 7 + ["error"], logprobs=dict.fromkeys(range(7), even)
    )
    read_calls = choices.calls

    def write_first(store: Store, runs: Sequence[str]) -> pd.DataFrame:
        again = replace(_answer(7, "A"), attempt=2, logprobs=even)
        add_answers(store, run, [again])
        return read_calls(store, runs)

    monkeypatch.setattr(choices, "calls", write_first)
    [measure] = snapshot.read(fresh_store).evidence[run].measures
    [[*first], [*last]] = np.isnan(measure.values)
    assert measure.finer is not None
    assert np.isnan(measure.finer).tolist() == [first, last] == [[False] * 4, [False] * 3 + [True]]
    monkeypatch.undo()
    [measure] = snapshot.read(fresh_store).evidence[run].measures
    assert measure.finer is not None
    assert not np.isnan(measure.finer).any()


def test_within_one_look_a_store_is_of_one_moment(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    before = snapshot.state(fresh_store)
    with snapshot.hold_change_marker():
        assert snapshot.state(fresh_store) == before
        put(fresh_store, "lakes", SEEN)
        assert snapshot.state(fresh_store) == before
    assert snapshot.state(fresh_store) != before
