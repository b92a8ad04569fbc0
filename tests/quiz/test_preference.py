from __future__ import annotations

from dataclasses import replace

from dcq.charts import position_preference
from dcq.quiz import freeze, preference
from dcq.quiz import results as counted
from dcq.records import Mode, QuizKind
from dcq.store import Store
from tests.support.provider import FakeProvider
from tests.support.runs import take


async def test_letters_of_fair_quizzes_are_added_up_by_model(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    for kind in (QuizKind.ROTATED, QuizKind.MODIFIED, QuizKind.STANDARD):
        quiz = freeze.freeze(fresh_store, sample_id, kind).quiz
        await take(fresh_store, quiz, "always-b")
    modified = freeze.freeze(fresh_store, sample_id, QuizKind.MODIFIED).quiz
    await take(fresh_store, modified, "refuses")
    frame = preference.count(counted.table(fresh_store))
    counts = frame.set_index(["model", "answer"])["count"]
    assert counts["always-b"]["B"] == 24 + 6  # the standard quiz is passed over
    assert counts["always-b"].sum() == 30
    assert counts["refuses"]["refused"] == 6
    assert [trace.customdata[1][2] for trace in position_preference(frame).data] == [30, 0]


async def test_likelihood_mode_has_no_letters_to_like(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    await take(fresh_store, quiz, "always-b")
    [result] = counted.table(fresh_store)
    scored = replace(result, mode=Mode.LIKELIHOOD)
    assert preference.count([scored]).empty


def test_no_run_gives_an_empty_table() -> None:
    frame = preference.count([])
    assert list(frame.columns) == ["model", "answer", "count"]
    assert frame.empty
