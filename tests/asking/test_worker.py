import asyncio
import json
import math
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from dcq import settings
from dcq.asking import prepare, worker
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import RunJob, carry_out
from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.jobs import lock, process
from dcq.jobs.state import RunState, state_of
from dcq.models.endpoints import resolve
from dcq.models.pacing.limits import Limits
from dcq.quiz import freeze
from dcq.quiz import results as counted
from dcq.quiz.method import QUIZ
from dcq.records import Answer, Outcome, QuizKind
from dcq.store import Store, quizzes, results, run_progress, runs, samples
from dcq.store.answers import add_answers
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support import commands
from tests.support.asked import prompt_of
from tests.support.provider import FakeProvider
from tests.support.runs import go_on, take, wait_for

pytestmark = pytest.mark.slow


async def test_every_question_gets_its_answer(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, ended = await take(fresh_store, quiz_id, "always-d")
    assert ended.event is Event.FINISHED
    stored = results.answers(fresh_store, run_id)
    assert list(stored["position"]) == list(range(6))
    assert set(stored["letter"]) == {"D"}
    assert provider.counts["always-d"] == 6
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.score) == (6, 6, 1.0)


async def test_the_prompt_kept_is_the_prompt_sent(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "always-a")
    quiz = quizzes.load(fresh_store, quiz_id)
    plan = runs.load(fresh_store, run_id).plan
    for position, item in enumerate(quiz.items):
        answer = results.load_answer(fresh_store, run_id, position)
        assert answer is not None
        assert answer.prompt_sha256 == sha256(prompt_of(plan, item))
        sent = answer.sent
        assert (sent["temperature"], sent["max_tokens"]) == (0.0, 5)


async def test_a_model_that_knows_the_texts_is_found(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    sample = samples.load(fresh_store, sample_id)
    provider.seen = tuple(instance.text for instance in sample.instances)
    for kind, n, correct in ((QuizKind.STANDARD, 6, 6), (QuizKind.ROTATED, 6, 24)):
        quiz = freeze.freeze(fresh_store, sample_id, kind).quiz
        await take(fresh_store, quiz, "knows-original")
        [result] = [r for r in counted.table(fresh_store) if r.kind is kind]
        assert (result.n, result.correct, result.kappa.kappa_fixed) == (n, correct, 1.0)


async def test_a_letter_lover_scores_chance_when_rotated(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    await take(fresh_store, quiz, "always-b")
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.score, result.kappa.kappa_fixed) == (6, 6, 0.25, 0.0)


@pytest.mark.parametrize(
    ("model", "outcome"),
    [("refuses", Outcome.REFUSED), ("two-letters", Outcome.INVALID), ("overflow", Outcome.ERROR)],
)
async def test_outcomes_land_where_they_belong(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, model: str, outcome: Outcome
) -> None:
    await take(fresh_store, quiz_id, model)
    [result] = counted.table(fresh_store)
    stored = 3 if outcome is Outcome.ERROR else 6  # where nothing comes back, three are enough
    assert {name: count for name, count in result.outcomes.items() if count} == {outcome: stored}
    assert result.correct == 0
    assert (result.n, result.score) == (0, None)  # none is an answer
    assert result.kappa.kappa_fixed is None


@pytest.mark.parametrize("model", ["no-such-model", "quota"])
async def test_a_permanent_error_stops_after_the_first(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, model: str
) -> None:
    run_id, ended = await take(fresh_store, quiz_id, model)
    assert ended.event is Event.STOPPED
    assert ended.detail.endswith(".")
    assert results.answers(fresh_store, run_id).empty
    assert provider.counts[model] == 1


async def test_a_wrong_key_stops_and_is_not_shown(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-and-secret")
    run_id, ended = await take(fresh_store, quiz_id, "always-a")
    assert ended.event is Event.STOPPED
    assert "OPENAI_API_KEY" in ended.detail
    assert "sk-wrong" not in ended.detail
    monkeypatch.setenv("OPENAI_API_KEY", str(provider.key))
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert len(results.answers(fresh_store, run_id)) == 6


async def test_an_endpoint_that_wants_to_be_left_alone_is(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    provider.retry_after = 3600.0
    _, ended = await take(fresh_store, quiz_id, "rate-limited")
    assert ended.event is Event.STOPPED
    assert "left alone for about 1 hour" in ended.detail
    assert provider.counts["rate-limited"] == 1


async def test_calls_that_wait_for_their_turn_are_let_go_when_a_run_is_cancelled(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    endpoint = resolve("always-a", settings.load())
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, endpoint)
    request = asyncio.Event()
    once_an_hour = Limits(requests_per_minute=1 / 60)
    task = asyncio.create_task(
        carry_out(
            fresh_store,
            RunJob(run_id, endpoint, QUIZ),
            Options(limits=once_an_hour, watch=Watch(cancelled=request)),
        )
    )
    while results.answers(fresh_store, run_id).empty:
        await asyncio.sleep(0.05)
    request.set()
    assert (await task).event is Event.CANCELLED
    assert provider.counts["always-a"] == 1


async def test_errors_alone_are_asked_again(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, ended = await take(fresh_store, quiz_id, "overflow")
    assert ended.event is Event.STOPPED
    assert ended.detail.startswith("No question brought a reply.")
    asked = provider.counts["overflow"]
    await go_on(fresh_store, run_id)
    assert provider.counts["overflow"] == asked + 3
    stored = results.answers(fresh_store, run_id)
    assert len(stored) == 3
    assert set(stored["attempt"]) == {2}
    other, _ = await take(fresh_store, quiz_id, "always-a")
    asked = provider.counts["always-a"]
    await go_on(fresh_store, other)
    assert provider.counts["always-a"] == asked


async def test_cancelling_keeps_what_is_there_and_resuming_asks_the_rest(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(40))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    provider.answers_at_most = 10
    endpoint = resolve("always-c", settings.load())
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz, endpoint)
    seen = asyncio.Event()
    task = asyncio.create_task(
        carry_out(fresh_store, RunJob(run_id, endpoint, QUIZ), Options(watch=Watch(cancelled=seen)))
    )
    while results.answers(fresh_store, run_id).empty:
        await asyncio.sleep(0.05)
    process.cancel(fresh_store, run_id)
    await seen.wait()  # what is in flight comes in once the request has been seen
    provider.answers_at_most = math.inf
    ended = await task
    kept = len(results.answers(fresh_store, run_id))
    assert ended.event is Event.CANCELLED
    assert 0 < kept == provider.counts["always-c"] < 40
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert len(results.answers(fresh_store, run_id)) == 40
    assert provider.counts["always-c"] == 40


async def test_a_budget_is_used_up_and_not_passed(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(60))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    provider.answers_at_most = 1
    budget = 0.0006  # for about half of the questions
    task = asyncio.create_task(take(fresh_store, quiz, "gpt-4o-mini", Terms(budget_usd=budget)))
    while provider.in_flight < 2:  # the budget is shared by calls that are made at once
        await asyncio.sleep(0.01)
    provider.answers_at_most = math.inf
    run_id, ended = await task
    assert ended.event is Event.STOPPED
    assert "budget" in ended.detail
    kept, plan = results.answers(fresh_store, run_id), runs.load(fresh_store, run_id).plan
    assert plan.price_in
    assert plan.price_out
    spent = (kept["tokens_in"] * plan.price_in + kept["tokens_out"] * plan.price_out).sum() / 1e6
    longest = max(
        len(prompt_of(plan, item).encode()) for item in quizzes.load(fresh_store, quiz).items
    )
    one_call = (longest * plan.price_in + plan.max_tokens * plan.price_out) / 1e6
    assert budget - one_call < spent <= budget
    assert 10 < len(kept) < 60


async def test_a_limit_asks_whole_instances(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    await take(fresh_store, quiz, "always-a", Terms(limit=2))
    assert provider.counts["always-a"] == 8
    [result] = counted.table(fresh_store)
    assert result.n == 2


async def test_a_run_is_worked_on_by_one_process_at_a_time(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "always-a")
    with lock.hold(fresh_store, run_id):
        assert lock.is_held(fresh_store, run_id)
        with pytest.raises(InputError, match=f"PID {os.getpid()}"):
            await go_on(fresh_store, run_id)
    assert not lock.is_held(fresh_store, run_id)


def test_a_killed_worker_loses_nothing_and_asks_nothing_twice(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    sample_id = samples.save(fresh_store, small_sample(60))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    provider.answers_at_most = 10
    words = ["run", quiz, "--model", "always-c", "--concurrency", "4"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    worker = commands.start(words, environment)
    wait_for(lambda: provider.counts["always-c"] == 10 + 4)  # four are in flight
    [run_id] = runs.listing(fresh_store)
    wait_for(lambda: not results.answers(fresh_store, run_id).empty)
    worker.kill()
    worker.join()
    provider.answers_at_most = math.inf
    kept = results.answers(fresh_store, run_id)
    newest = runs.load(fresh_store, run_id)
    assert state_of(fresh_store, run_id, newest.event, newest.at) is RunState.INTERRUPTED
    before = provider.counts["always-c"]
    done = commands.run(*words, "--resume", "--json", environment=environment)
    done.check_returncode()
    assert json.loads(done.stdout)["run"] == run_id
    assert json.loads(done.stdout)["n"] == 60
    assert provider.counts["always-c"] - before == 60 - len(kept)
    again = results.answers(fresh_store, run_id)
    assert list(again["position"]) == list(range(60))
    assert set(kept["made_at"]) <= set(again["made_at"])


async def test_an_answer_is_stored_as_it_comes_where_few_are_in_flight(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FLUSH_SECONDS", 3600.0)  # longer than a test may take
    provider.answers_at_most = 2  # the third call waits, as for a slow model
    asked = asyncio.create_task(take(fresh_store, quiz_id, "always-d", Terms(concurrency=1)))
    while provider.counts["always-d"] < 3:
        await asyncio.sleep(0.01)
    stored = 0
    while stored < 2:
        await asyncio.sleep(0.05)
        [run] = await asyncio.to_thread(
            lambda: run_progress.progress(fresh_store, runs.listing(fresh_store))
        )
        stored = run.done
    assert stored == 2
    provider.answers_at_most = math.inf
    _, ended = await asked
    assert ended.event is Event.FINISHED


async def test_many_answers_are_written_together(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []

    def slow(store: Store, run_id: str, answers: Sequence[Answer]) -> Event:
        event = add_answers(store, run_id, answers)
        if answers:
            writes.append(len(answers))
            time.sleep(0.15)
        return event

    monkeypatch.setattr(worker, "add_answers", slow)
    sample = samples.save(fresh_store, small_sample(150))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
    began = time.monotonic()
    _, ended = await take(fresh_store, quiz, "always-d", Terms(concurrency=8))
    assert ended.event is Event.FINISHED
    assert sum(writes) == 150
    assert len(writes) <= 3 + (time.monotonic() - began) / (0.15 + min(0.5, 3 * 0.15))
