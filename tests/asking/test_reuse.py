"""Answers to identical requests are taken over on request, and say so."""

from __future__ import annotations

import json

import pytest

from dcq import settings
from dcq.asking import prepare
from dcq.asking.options import Terms
from dcq.asking.reuse import reuse_answers
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.journal import Journal
from dcq.models.endpoints import resolve
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, results
from dcq.store.answers import answered_and_failed
from tests.support.provider import FakeProvider
from tests.support.runs import go_on, take

pytestmark = pytest.mark.slow


def plan(store: Store, quiz_id: str, model: str) -> str:
    return prepare.plan_run(store, QUIZ, quiz_id, resolve(model, settings.load()))


async def test_identical_requests_are_not_made_again(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    first, _ = await take(fresh_store, quiz_id, "prose")
    second = plan(fresh_store, quiz_id, "prose")
    assert reuse_answers(fresh_store, QUIZ, second) == 6
    assert provider.counts["prose"] == 6
    before, after = results.answers(fresh_store, first), results.answers(fresh_store, second)
    same = ["position", "instance", "letter", "outcome", "reply"]
    assert after[same].equals(before[same])
    assert set(after["reason"]) == {f"letter; reused from run {first}"}
    assert (after["tokens_in"].sum(), after["tokens_out"].sum(), after["calls"].sum()) == (0, 0, 0)
    await go_on(fresh_store, second)
    assert provider.counts["prose"] == 6
    assert reuse_answers(fresh_store, QUIZ, second) == 0


async def test_what_was_taken_over_is_traced_to_where_it_was_asked(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    first, _ = await take(fresh_store, quiz_id, "always-b")
    for _ in range(2):
        newest = plan(fresh_store, quiz_id, "always-b")
        reuse_answers(fresh_store, QUIZ, newest)
        stored = results.answers(fresh_store, newest)
        assert set(stored["reason"]) == {f"letter; reused from run {first}"}


@pytest.mark.parametrize("model", ["refuses", "two-letters"])
async def test_refused_and_invalid_replies_are_answers_too(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, model: str
) -> None:
    await take(fresh_store, quiz_id, model)
    assert reuse_answers(fresh_store, QUIZ, plan(fresh_store, quiz_id, model)) == 6


async def test_another_model_prompt_or_an_error_is_asked(
    fresh_store: Store, sample_id: str, quiz_id: str, provider: FakeProvider
) -> None:
    await take(fresh_store, quiz_id, "always-a")
    await take(fresh_store, quiz_id, "overflow")
    other = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    assert reuse_answers(fresh_store, QUIZ, plan(fresh_store, quiz_id, "always-b")) == 0
    assert reuse_answers(fresh_store, QUIZ, plan(fresh_store, other, "always-a")) == 0
    assert reuse_answers(fresh_store, QUIZ, plan(fresh_store, quiz_id, "overflow")) == 0


async def test_log_probabilities_are_asked_for_where_they_are_wanted(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    await take(fresh_store, quiz_id, "guess")
    newest = plan(fresh_store, quiz_id, "guess")
    assert reuse_answers(fresh_store, QUIZ, newest, logprobs=True) == 0
    await go_on(fresh_store, newest, logprobs=True)
    assert reuse_answers(fresh_store, QUIZ, plan(fresh_store, quiz_id, "guess"), logprobs=True) == 6


async def test_only_what_is_open_is_filled(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    first, _ = await take(fresh_store, quiz_id, "guess", Terms(limit=4))
    newest = plan(fresh_store, quiz_id, "guess")
    assert reuse_answers(fresh_store, QUIZ, newest) == 4
    await go_on(fresh_store, newest)
    stored = results.answers(fresh_store, newest)
    assert list(stored["calls"]) == [0, 0, 0, 0, 1, 1]
    assert provider.counts["guess"] == 6
    latency = results.latency(fresh_store, [first, newest])
    assert {run: timed.replies for run, timed in latency.items()} == {first: 4, newest: 2}
    log = Journal(fresh_store, newest).path.read_text("utf-8")
    events = [json.loads(line) for line in log.splitlines()]
    assert [event["event"] for event in events][:2] == ["reused", "started"]
    assert (events[0]["answers"], events[1]["open"], events[1]["of"]) == (4, 2, 6)


async def test_a_run_at_work_is_left_alone(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    newest = plan(fresh_store, quiz_id, "guess")
    with lock.hold(fresh_store, newest), pytest.raises(InputError, match="already being worked"):
        reuse_answers(fresh_store, QUIZ, newest)
    assert answered_and_failed(fresh_store, newest) == (set(), {})
