from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.asking.read_reply import read_reply
from dcq.errors import InputError, StoreError, StoreLockedError
from dcq.models.completion import Completion, read_completion
from dcq.quiz.method import QuizTask
from dcq.quiz.preview import recall
from dcq.quiz.prompts import QUIZ_V1
from dcq.records import Answer, Item, Mode, Outcome, QuizKind, Reply
from dcq.store import Store, answers, results, runs
from dcq.store.answers import add_answers, answered_and_failed
from dcq.store.runs import Event
from tests.support.asked import ask

pytestmark = pytest.mark.usefixtures("provider")

TASK = QuizTask(QUIZ_V1, Mode.LETTER, "Rivers", "test", [Item("one", ("a", "b", "c", "d"), 0)])


def test_positions_narrow_to_a_letter_or_an_outcome(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "guess")
    stored = results.answers(fresh_store, run)
    for letter in "ABCD":
        expected = stored.loc[stored["letter"] == letter, "position"].tolist()
        assert results.positions(fresh_store, run, answer=letter) == expected
    assert results.positions(fresh_store, run) == list(range(6))
    refused = ask(fresh_store, sample_id, QuizKind.STANDARD, "refuses")
    assert results.positions(fresh_store, refused, answer="refused") == list(range(6))
    assert results.positions(fresh_store, refused, answer="invalid") == []


def test_answers_of_some_positions_are_those_alone(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "guess")
    every = results.answers(fresh_store, run)
    some = results.answers(fresh_store, run, positions=[1, 4])
    assert some["text"].tolist() == every.loc[[1, 4], "text"].tolist()
    assert results.answers(fresh_store, run, positions=[]).empty


def test_a_question_not_answered_yet_is_refused_in_a_sentence(
    fresh_store: Store, sample_id: str
) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "guess")
    with pytest.raises(InputError, match="Question 10 has no answer in this run yet"):
        recall(fresh_store, run, 9)


def test_of_several_attempts_the_last_one_counts(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    first = [answer for answer in _kept(fresh_store, run) if answer.position < 3]
    for attempt, outcome in ((2, Outcome.ERROR), (3, Outcome.ANSWERED)):
        again = [replace(a, attempt=attempt, outcome=outcome, value="C") for a in first[:attempt]]
        add_answers(fresh_store, run, again)
    stored = results.answers(fresh_store, run)
    assert stored["attempt"].tolist() == [3, 3, 3, 1, 1, 1]
    assert stored["letter"].tolist() == ["C", "C", "C", "A", "A", "A"]


def test_keeping_answers_returns_a_request_to_cancel(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    answers = _kept(fresh_store, run)
    assert add_answers(fresh_store, run, []) is Event.FINISHED
    runs.note(fresh_store, run, Event.CANCEL_REQUESTED)
    for batch in ([], [replace(answers[0], attempt=2)]):
        assert add_answers(fresh_store, run, batch) is Event.CANCEL_REQUESTED


ODD: list[dict[str, Any]] = [
    {"reply": "A \ud83d"},
    {"reason": "\udfff"},
    {"tokens_in": 10**12},
    {"tokens_out": 10**30, "tokens_in": -1},
]


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_answer_loses_none_of_the_others(
    fresh_store: Store, sample_id: str, odd: dict[str, Any]
) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    batch = [replace(answer, attempt=2, value="B") for answer in _kept(fresh_store, run)]
    batch[2] = replace(batch[2], **odd)
    assert add_answers(fresh_store, run, batch) is Event.FINISHED
    stored = results.answers(fresh_store, run)
    assert stored["attempt"].tolist() == [2] * 6
    assert stored["letter"].fillna("none").tolist() == ["B", "B", "none", "B", "B", "B"]
    lost = stored.iloc[2]
    assert (lost["outcome"], lost["reason"]) == ("error", "the reply could not be stored")
    assert pd.isna(lost["reply"])
    assert lost["calls"] == 1  # made, and so counted
    assert answered_and_failed(fresh_store, run)[1] == {2: 2}  # it will be asked again


def test_trouble_of_the_store_is_no_odd_answer(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    batch = [replace(answer, attempt=2) for answer in _kept(fresh_store, run)]
    tried = []

    def refuse(*given: object) -> None:
        tried.append(given)
        raise StoreLockedError

    monkeypatch.setattr(answers, "insert_rows", refuse)
    with pytest.raises(StoreLockedError):
        add_answers(fresh_store, run, batch)
    assert len(tried) == 1


def test_an_attempt_is_kept_once(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    first = _kept(fresh_store, run)
    second = [replace(answer, attempt=2, value="B") for answer in first[:2]]
    again = [replace(answer, value="C") for answer in (*first, *second)]
    add_answers(fresh_store, run, [*second, *again])
    stored = results.answers(fresh_store, run)
    assert stored["letter"].tolist() == ["B", "B", "A", "A", "A", "A"]
    assert results.counts(fresh_store)["n"].tolist() == [6]


@pytest.mark.parametrize(
    "keep",
    [
        add_answers,
        lambda store, run, _: add_answers(store, run, []),
        lambda store, run, _: runs.note(store, run, Event.FINISHED),
    ],
)
def test_a_store_that_vanished_during_a_run_is_an_error_and_not_recreated(
    fresh_store: Store, sample_id: str, keep: Callable[[Store, str, list[Answer]], object]
) -> None:
    older = fresh_store.path.with_name("older.duckdb")
    shutil.copy(fresh_store.path, older)
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    answers = _kept(fresh_store, run)
    fresh_store.path.unlink()
    with pytest.raises(StoreError, match="is gone; put it back and resume"):
        keep(fresh_store, run, answers)
    assert not fresh_store.path.exists()
    older.rename(fresh_store.path)
    with pytest.raises(StoreError, match=f"no longer has run {run}; put it back and resume"):
        keep(fresh_store, run, answers)
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM answer").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM run_event").fetchone() == (0,)


def test_a_note_may_hold_half_an_emoji(fresh_store: Store, sample_id: str) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    runs.note(fresh_store, run, Event.STOPPED, "batch \ud83d sent")
    assert runs.events(fresh_store, run)[-1][:2] == (Event.STOPPED, "batch ? sent")


TEXT = st.text(st.characters(codec=None), max_size=10)
EDGES = st.sampled_from([2**31 - 1, 2**31, 10**12, 10**30, 10**400])
NUMBER = st.integers() | st.floats() | st.booleans() | EDGES
_attempts = itertools.count(2)


@pytest.fixture
def asked_run(fresh_store: Store, sample_id: str) -> str:
    return ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")


# All examples share the store: each is an attempt of its own.
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT, TEXT | st.none(), TEXT, st.lists(NUMBER, min_size=4, max_size=4), TEXT)
def test_whatever_an_endpoint_sends_can_be_kept_and_read(
    fresh_store: Store,
    asked_run: str,
    content: str,
    refusal: str | None,
    finish: str,
    numbers: list[float],
    token: str,
) -> None:
    top = [{"token": token, "logprob": numbers[0]}]
    choice = {
        "message": {"content": content, "refusal": refusal},
        "finish_reason": finish,
        "logprobs": {"content": [{"token": "A", "logprob": numbers[1], "top_logprobs": top}]},
    }
    usage = {"prompt_tokens": numbers[2], "completion_tokens": numbers[3]}
    body = json.dumps({"choices": [choice], "usage": usage}).encode()
    got = read_completion(body, {})
    assert isinstance(got, Completion)
    reply = Reply(
        got.text,
        got.finish_reason,
        got.refusal,
        got.tokens_in or 0,
        got.tokens_out or 0,
        logprobs=got.logprobs,
    )
    answer = read_reply(0, next(_attempts), "prompt", TASK, reply)
    add_answers(fresh_store, asked_run, [answer])
    kept = results.load_answer(fresh_store, asked_run, 0)
    assert kept is not None
    assert kept.outcome == answer.outcome != Outcome.ERROR
    assert kept.reply == answer.reply
    assert (kept.tokens_in, kept.tokens_out) == (answer.tokens_in, answer.tokens_out)
    assert kept.logprobs == answer.logprobs


def _kept(store: Store, run: str) -> list[Answer]:
    now = datetime.now(UTC)
    return [
        Answer(position, 1, Outcome.ANSWERED, "A", "", "A", "", 1, 1, 0.1, 1, {}, None, now)
        for position in results.positions(store, run)
    ]
