from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dcq import settings
from dcq.asking import batch, prepare
from dcq.asking.calls import asking
from dcq.asking.cost import Cost
from dcq.asking.ledger import open_ledger
from dcq.asking.options import NO_TERMS, Terms, Watch
from dcq.asking.prompt import sha256
from dcq.asking.session import Session
from dcq.asking.task import Ended, OnStored
from dcq.errors import ModelChoiceError
from dcq.jobs import process
from dcq.models.batch import BatchClient, probe
from dcq.models.endpoints import resolve
from dcq.models.hooks import Hooks
from dcq.quiz import freeze
from dcq.quiz import results as counted
from dcq.quiz.method import QUIZ
from dcq.records import Answer, QuizKind
from dcq.store import Store, batches, quizzes, results, run_progress, runs
from dcq.store.runs import Event
from tests.conftest import KEY
from tests.support import commands
from tests.support.asked import prompt_of, reopen
from tests.support.batches import BatchProvider
from tests.support.runs import wait_for

pytestmark = pytest.mark.slow


async def plan(store: Store, quiz: str, model: str, terms: Terms = NO_TERMS) -> str:
    endpoint = resolve(model, settings.load())
    await probe(endpoint)
    return prepare.plan_run(store, QUIZ, quiz, endpoint, terms, by_batch=True)


async def go_on(
    store: Store,
    run_id: str,
    news: Callable[[str], None] = lambda sentence: None,
    cancelled: asyncio.Event | None = None,
    on_stored: OnStored = lambda answers: None,
) -> Ended:
    endpoint = resolve(runs.load(store, run_id).plan.model, settings.load())
    with open_ledger(store, run_id, runs.load(store, run_id).plan) as ledger:
        async with (
            asking(
                endpoint,
                temperature=0.0,
                max_tokens=5,
                hooks=Hooks(check=ledger.check, on_call=ledger.count_call),
            ) as ask,
            BatchClient(endpoint, first_wait=0.01) as client,
        ):
            return await batch.work(
                Session(
                    store,
                    run_id,
                    reopen(store, run_id),
                    ask,
                    ledger,
                    on_stored=on_stored,
                    watch=Watch(cancelled=cancelled, on_news=news),
                ),
                client,
                first_wait=0.02,
            )


def outcomes(store: Store, run_id: str) -> dict[str, int]:
    counts = results.answers(store, run_id)["outcome"].value_counts()
    return {str(name): int(count) for name, count in counts.items()}


async def test_a_batch_is_a_run_like_any_other_at_half_the_price(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    run_id = await plan(fresh_store, quiz_id, "gpt-4o-mini")
    news: list[str] = []
    assert (await go_on(fresh_store, run_id, news.append)).event is Event.FINISHED
    stored = results.answers(fresh_store, run_id)
    assert list(stored["position"]) == list(range(6))
    assert (host.counts["gpt-4o-mini"], host.lines) == (1, 5)
    assert any("half the list price" in sentence for sentence in news)
    found = runs.load(fresh_store, run_id).plan
    listed = resolve("gpt-4o-mini", settings.load())
    [result] = counted.table(fresh_store)
    assert result.n == 6
    quiz = quizzes.load(fresh_store, quiz_id)
    for position, item in enumerate(quiz.items):
        answer = results.load_answer(fresh_store, run_id, position)
        assert answer is not None
        assert answer.prompt_sha256 == sha256(prompt_of(found, item))
        assert answer.sent == {"max_tokens": 5, "temperature": 0.0}
    usual = prepare.plan_run(fresh_store, QUIZ, quiz_id, listed)
    full = runs.load(fresh_store, usual).plan
    assert full.price_in is not None
    assert full.price_out is not None
    assert (found.price_in, found.price_out) == (full.price_in / 2, full.price_out / 2)


async def test_what_the_method_makes_of_answers_does_not_hold_up_the_loop(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    assert host.base_url
    run_id = await plan(fresh_store, quiz_id, "gpt-4o-mini")
    heard: dict[int, int] = {}

    def on_stored(answers: Collection[Answer] | None) -> None:
        heard[len(answers or ())] = threading.get_ident()

    await go_on(fresh_store, run_id, on_stored=on_stored)
    assert sorted(heard) == [1, 5]  # the first, asked directly, and the batch
    assert threading.get_ident() not in heard.values()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("refuses", {"refused": 6}),
        ("two-letters", {"invalid": 6}),
        ("filter-400", {"refused": 6}),
        ("reasoning", {"answered": 6}),
        ("no-temperature", {"answered": 6}),
    ],
)
async def test_lines_end_in_the_same_outcomes_as_calls(
    fresh_store: Store, quiz_id: str, host: BatchProvider, model: str, expected: dict[str, int]
) -> None:
    run_id = await plan(fresh_store, quiz_id, model)
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert outcomes(fresh_store, run_id) == expected
    assert host.lines == 5


async def test_an_error_line_is_an_error_and_asked_again_on_resume(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    run_id = await plan(fresh_store, quiz_id, "flaky-500")
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert outcomes(fresh_store, run_id) == {"answered": 1, "error": 5}
    host.faults = 0
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert outcomes(fresh_store, run_id) == {"answered": 6}


async def test_a_failed_batch_stops_with_one_sentence_and_resumes(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    host.fate.status = "failed"
    run_id = await plan(fresh_store, quiz_id, "always-d")
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "resume to send it again" in ended.detail
    assert KEY not in ended.detail
    assert outcomes(fresh_store, run_id) == {"answered": 1}
    host.fate.status = "completed"
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert outcomes(fresh_store, run_id) == {"answered": 6}


async def test_an_expired_batch_keeps_what_it_answered(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    host.fate.status, host.fate.answered = "expired", 0.4
    run_id = await plan(fresh_store, quiz_id, "always-d")
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "3 questions" in ended.detail
    assert outcomes(fresh_store, run_id) == {"answered": 3}
    host.fate.status, host.fate.answered = "completed", 1.0
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert outcomes(fresh_store, run_id) == {"answered": 6}
    assert host.counts["always-d"] + host.lines == 6 + 3  # only what had not been answered


async def test_a_batch_whose_making_was_not_confirmed_is_not_made_twice(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    run_id = await plan(fresh_store, quiz_id, "always-d")
    async with BatchClient(resolve("always-d", settings.load())) as client:
        for _ in range(3):  # the account has more batches than one page lists
            file = await client.upload([b"{}\n"])
            await client.start("another-run", file, {})
    host.fate.lose_reply = True
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert len(host.batches) == 4
    assert outcomes(fresh_store, run_id) == {"answered": 6}


async def test_cancelling_cancels_the_batch_and_keeps_what_came(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    host.fate.held, host.fate.answered = True, 0.6
    run_id = await plan(fresh_store, quiz_id, "always-d")
    task = asyncio.create_task(go_on(fresh_store, run_id))
    while not host.batches:
        await asyncio.sleep(0.02)
    process.cancel(fresh_store, run_id)
    ended = await task
    assert ended.event is Event.CANCELLED
    assert [made.cancelled for made in host.batches.values()] == [True]
    assert outcomes(fresh_store, run_id) == {"answered": 4}
    host.fate.held, host.fate.answered = False, 1.0
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert outcomes(fresh_store, run_id) == {"answered": 6}


async def test_a_budget_sends_only_what_it_can_bear(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    run_id = await plan(fresh_store, quiz_id, "gpt-4o-mini", Terms(budget_usd=0.00015))
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "budget" in ended.detail
    assert 0 < host.lines < 5
    [run] = run_progress.progress(fresh_store, [run_id])
    cost = Cost.of(run)
    assert cost is not None
    # The first question is asked at the full price, which its answer's tokens do not tell.
    assert 0 < cost.least < cost.most <= 0.00015


async def test_a_cap_on_calls_and_a_batch_that_ran_out_of_time(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    host.fate.status, host.fate.answered = "expired", 0.4
    run_id = await plan(fresh_store, quiz_id, "always-d", Terms(max_calls=5))
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "came back unanswered" in ended.detail


async def test_a_cap_on_calls_counts_the_questions_of_a_batch(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    run_id = await plan(fresh_store, quiz_id, "always-d", Terms(max_calls=4))
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "4 calls" in ended.detail
    assert (host.counts["always-d"], host.lines) == (1, 3)
    prepare.amend(fresh_store, QUIZ, run_id, QUIZ.endpoint("always-d"), Terms(max_calls=10))
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert runs.spent(fresh_store, run_id).calls == host.counts["always-d"] + host.lines == 6


async def test_a_wrong_key_stops_and_is_not_shown(
    fresh_store: Store, quiz_id: str, host: BatchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await plan(fresh_store, quiz_id, "always-d")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-and-secret")
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "OPENAI_API_KEY" in ended.detail
    assert "sk-wrong" not in ended.detail


async def test_a_batch_that_the_key_cannot_see_is_not_sent_again(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    run_id = await plan(fresh_store, quiz_id, "always-d")
    batches.started(fresh_store, run_id, "file-gone", "batch_gone")
    ended = await go_on(fresh_store, run_id)
    assert "does not know batch batch_gone" in ended.detail
    assert host.lines == 0


async def test_an_endpoint_without_a_batch_api_is_one_sentence(
    fresh_store: Store, quiz_id: str, provider: object
) -> None:
    with pytest.raises(ModelChoiceError, match="has no Batch API; ask it directly"):
        await plan(fresh_store, quiz_id, "always-d")
    with pytest.raises(ModelChoiceError, match="ask it directly"):
        await plan(fresh_store, quiz_id, "ollama:llama3")
    assert runs.listing(fresh_store) == []


@pytest.mark.parametrize("forget", [False, True])
def test_a_killed_process_picks_up_its_batch(
    fresh_store: Store, sample_id: str, host: BatchProvider, *, forget: bool
) -> None:
    host.fate.held = True
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    words = ["run", quiz, "--model", "always-a"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    worker = commands.start([*words, "--batch"], environment)
    try:
        ids = wait_until_sent(fresh_store)
    finally:
        worker.kill()
        worker.join()
    if forget:  # as if the process had died before the batch's id was noted
        _forget(fresh_store, ids[0])
    host.fate.held = False
    done = commands.run(*words, "--resume", "--json", environment=environment)
    done.check_returncode()
    report = json.loads(done.stdout)
    assert (report["run"], report["n"], report["correct"]) == (ids[0], 6, 6)
    assert (len(host.batches), host.lines, host.counts["always-a"]) == (1, 5, 1)


def wait_until_sent(store: Store) -> list[str]:
    """The runs, once the batch of the first is noted."""
    wait_for(lambda: _noted(store, runs.listing(store)))
    return runs.listing(store)


def _noted(store: Store, ids: list[str]) -> bool:
    return any("sent:" in detail for run_id in ids for _, detail, _ in runs.events(store, run_id))


def _forget(store: Store, run_id: str) -> None:
    with store.write() as db:
        db.execute("DELETE FROM run_event WHERE run_id = ? AND detail LIKE 'batch %'", [run_id])


def test_a_run_that_was_not_begun_by_batch_is_not_resumed_so(
    fresh_store: Store, sample_id: str, host: BatchProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    prepare.plan_run(fresh_store, QUIZ, quiz, resolve("always-a", settings.load()))
    words = ["run", quiz, "--model", "always-a", "--resume", "--batch"]
    done = commands.run(*words, environment=os.environ | {"DCQ_STORE": str(fresh_store.path)})
    assert done.returncode == 2
    assert "resume it without --batch" in done.stderr
    assert host.lines == 0


@pytest.mark.parametrize("parrot", ["all", "but lists"])
def test_an_endpoint_that_answers_everything_with_a_completion_is_one_sentence(
    fresh_store: Store, quiz_id: str, host: BatchProvider, parrot: str
) -> None:
    host.fate.parrot = parrot
    words = ["run", quiz_id, "--model", "always-a", "--batch"]
    done = commands.run(*words, environment=os.environ | {"DCQ_STORE": str(fresh_store.path)})
    assert "Traceback" not in done.stderr
    said = " ".join(done.stderr.split())
    if parrot == "all":
        assert done.returncode == 2
        assert said.endswith("has no Batch API; ask it directly.")
        assert runs.listing(fresh_store) == []
    else:
        assert done.returncode == 1
        assert "sent something other than a batch" in said


async def test_a_batch_that_does_not_end_is_left_after_a_cancel_request(
    fresh_store: Store, quiz_id: str, host: BatchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "LEAVE_SECONDS", 0.3)
    host.fate.held = host.fate.deaf = True
    run_id = await plan(fresh_store, quiz_id, "always-a")
    cancelled = asyncio.Event()

    def cancel_once_sent(news: str) -> None:
        if "sent:" in news:
            cancelled.set()

    ended = await go_on(fresh_store, run_id, cancel_once_sent, cancelled)
    assert ended.event is Event.CANCELLED
    assert "resume to collect" in ended.detail
    host.fate.held = False
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert (host.counts["always-a"], host.lines) == (1, 5)


@contextmanager
def signalled(
    store: Store, host: BatchProvider, words: list[str], number: int, folder: Path
) -> Iterator[None]:
    """A command that is sent a signal at the end of the block, and ends in order by it. What is in
    flight is answered once it has heard the signal."""
    said = folder / "said"
    environment = os.environ | {"DCQ_STORE": str(store.path)}
    worker = commands.start(words, environment, stderr=str(said))
    try:
        yield
        assert worker.pid is not None
        os.kill(worker.pid, number)
        wait_for(lambda: "waiting for the calls in flight" in said.read_text("utf-8"))
        host.answers_at_most = math.inf
        worker.join(100)
    finally:
        worker.kill()
        worker.join()
    assert "Traceback" not in said.read_text("utf-8")
    assert worker.exitcode == 128 + number


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_a_run_in_order(
    fresh_store: Store, quiz_id: str, host: BatchProvider, name: str, tmp_path: Path
) -> None:
    host.answers_at_most = 1
    words = ["run", quiz_id, "--model", "always-a", "--concurrency", "1"]
    with signalled(fresh_store, host, words, signal.Signals[name], tmp_path):
        wait_for(lambda: host.counts["always-a"] == 2)
    [run_id] = runs.listing(fresh_store)
    assert runs.load(fresh_store, run_id).event is Event.CANCELLED
    assert outcomes(fresh_store, run_id) == {"answered": 2}
    assert host.counts["always-a"] == 2


def test_a_signal_ends_a_run_by_batch_in_order(
    fresh_store: Store, quiz_id: str, host: BatchProvider, tmp_path: Path
) -> None:
    """All signals are heard by the same handler, as for a run that is asked directly."""
    host.fate.held, host.fate.answered = True, 0.5
    words = ["run", quiz_id, "--model", "always-a", "--batch"]
    with signalled(fresh_store, host, words, signal.SIGTERM, tmp_path):
        ids = wait_until_sent(fresh_store)
    assert runs.load(fresh_store, ids[0]).event is Event.CANCELLED
    assert all(made.cancelled for made in host.batches.values())
