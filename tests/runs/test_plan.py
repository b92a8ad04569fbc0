"""Models and quizzes asked together, and the cap on calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from dcq import settings
from dcq.errors import InputError
from dcq.models.endpoints import resolve
from dcq.models.limits import Limits
from dcq.records import Kind
from dcq.runs import freeze, launch, lock
from dcq.runs import results as counted
from dcq.runs.launch import State
from dcq.runs.plan import Job, carry_out, plan
from dcq.runs.prepare import Terms
from dcq.settings import ROOT
from dcq.store import Store, results, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.provider import Provider

NO_LIMITS = Limits()


async def carry_out_all(store: Store, run_ids: list[str]) -> list[Event]:
    jobs = [
        Job(run_id, resolve(runs.load(store, run_id).plan.model, settings.load()))
        for run_id in run_ids
    ]
    ended = await asyncio.gather(*(carry_out(store, job, limits=NO_LIMITS) for job in jobs))
    return [end.event for end in ended]


async def plan_all(
    store: Store, quiz_ids: list[str], models: list[str], terms: Terms, *, resume: bool = False
) -> list[str]:
    endpoints = [resolve(model, settings.load()) for model in models]
    return [run_id for run_id, _ in await plan(store, quiz_ids, endpoints, terms, resume=resume)]


async def test_runs_of_one_provider_share_its_pace(
    fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind).quiz for kind in (Kind.ROTATED, Kind.MODIFIED)
    ]
    provider.latency = 0.05
    models = ["always-a", "always-b"]
    planned = await plan_all(fresh_store, quizzes, models, Terms(concurrency=3))
    assert await carry_out_all(fresh_store, planned) == [Event.FINISHED] * 4
    assert provider.in_flight_most == 3
    assert [len(results.answers(fresh_store, run)) for run in planned] == [24, 24, 6, 6]


async def test_providers_do_not_wait_for_one_another(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    with Provider() as other:
        planned = await plan_all(
            fresh_store,
            [quiz_id],
            ["slow", f"always-b@{other.base_url}"],
            Terms(concurrency=1),
        )
        task = asyncio.create_task(carry_out_all(fresh_store, planned))
        while len(results.answers(fresh_store, planned[1])) < 6:
            await asyncio.sleep(0.02)
        assert provider.counts == {"slow": 1}  # its first call is still open
        assert not provider.statuses
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("model", ["always-a", "rate-limited", "overflow"])
async def test_a_cap_on_calls_holds_whatever_they_bring(
    fresh_store: Store, provider: Provider, model: str
) -> None:
    sample_id = samples.save(fresh_store, small_sample(30))
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="A").quiz
    provider.latency = 0.01
    [run_id] = await plan_all(fresh_store, [quiz], [model], Terms(max_calls=17, concurrency=8))
    assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert provider.counts[model] == 17
    assert runs.spent(fresh_store, run_id).calls == 17
    assert "17 calls" in runs.load(fresh_store, run_id).detail
    # The same again asks nothing; more calls, and it goes on.
    assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert provider.counts[model] == 17
    await plan_all(fresh_store, [quiz], [model], Terms(max_calls=500), resume=True)
    assert await carry_out_all(fresh_store, [run_id]) == [Event.FINISHED]
    assert len(results.answers(fresh_store, run_id)) == 30
    assert runs.spent(fresh_store, run_id).calls == provider.counts[model]


async def test_nothing_is_planned_where_one_model_cannot_be_asked_so(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    with pytest.raises(InputError, match="price of always-a"):
        await plan_all(fresh_store, [quiz_id], ["gpt-4o-mini", "always-a"], Terms(budget_usd=1))
    with pytest.raises(InputError, match="limit of 0"):
        await plan_all(fresh_store, [quiz_id], ["always-a"], Terms(limit=0))
    assert runs.listing(fresh_store) == []


def test_a_cap_of_no_calls_is_a_mistake() -> None:
    with pytest.raises(InputError, match="give 1 to"):
        Terms(max_calls=0)


def wait_until_ended(store: Store, run_ids: list[str]) -> set[State]:
    deadline = time.monotonic() + 60
    while True:
        stored = [runs.load(store, run_id) for run_id in run_ids]
        states = {launch.state(store, run.id, run.event, run.at) for run in stored}
        if not any(state.live for state in states):
            return states
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_one_process_takes_all_runs_of_a_plan(
    fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind).quiz for kind in (Kind.STANDARD, Kind.MODIFIED)
    ]
    provider.latency = 0.1
    started = launch.begin(fresh_store, quizzes, ["always-a", "no-such-model"], Terms(limit=3))
    assert len(started) == 4
    deadline = time.monotonic() + 60
    while (holder := lock.holder(fresh_store, started[0])) is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert lock.holder(fresh_store, started[2]) in {holder, None}
    assert wait_until_ended(fresh_store, started) == {State.FINISHED, State.STOPPED}
    assert {r.run: r.n for r in counted.table(fresh_store) if r.n} == {
        started[0]: 3,
        started[2]: 3,
    }
    while "no-such-model" not in launch.log_tail(fresh_store, started[3], lines=20):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_runs_outlive_the_app_that_started_them(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    provider.latency = 0.2
    app = """
import os, signal, sys
from dcq.runs import launch
from dcq.runs.prepare import Terms
from dcq.store import Store
print(*launch.begin(Store(sys.argv[1]), [sys.argv[2]], ["always-a"], Terms(concurrency=1)))
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", app, str(fresh_store.path), quiz_id],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ,
    )
    assert done.returncode == -signal.SIGKILL
    run_id = done.stdout.strip()
    assert wait_until_ended(fresh_store, [run_id]) == {State.FINISHED}
    assert provider.counts["always-a"] == 6
    assert len(results.answers(fresh_store, run_id)) == 6


def test_a_plan_on_the_command_line(fresh_store: Store, sample_id: str, provider: Provider) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind).quiz for kind in (Kind.STANDARD, Kind.MODIFIED)
    ]
    words = [sys.executable, "-m", "dcq", "run", *quizzes, "--model", "always-a", "--model"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    done = subprocess.run(
        [*words, "quota", "--json"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    documents = json.loads(done.stdout)
    assert [(d["model"], d["quiz"], d["n"]) for d in documents] == [
        ("always-a", quizzes[0], 6),
        ("quota", quizzes[0], 0),
        ("always-a", quizzes[1], 6),
        ("quota", quizzes[1], 0),
    ]
    told = subprocess.run(
        [*words, "always-b", "--max-calls", "2"], env=environment, capture_output=True, text=True
    )
    assert told.returncode == 1
    assert told.stdout.count("stopped. 2 answered") == 4
    assert told.stderr.count("The 2 calls that the run may make are made") == 4


def test_a_run_that_is_taken_leaves_the_others_alone(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    words = [sys.executable, "-m", "dcq", "run", quiz_id, "--model", "always-a"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    subprocess.run([*words, "--limit", "2"], env=environment, capture_output=True, check=True)
    [run_id] = runs.listing(fresh_store)
    with lock.hold(fresh_store, run_id):
        done = subprocess.run(
            [*words, "--model", "always-b", "--resume"],
            env=environment,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert "always-a: not begun" in done.stdout
    assert "always-b: finished. 6 answered" in done.stdout
    assert "already being worked on" in done.stderr


def test_cancelling_one_run_leaves_the_others_of_its_process(
    fresh_store: Store, provider: Provider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(40))
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="A").quiz
    provider.latency = 0.3
    first, second = launch.begin(
        fresh_store, [quiz], ["always-a", "always-b"], Terms(concurrency=4)
    )
    deadline = time.monotonic() + 60
    while results.answers(fresh_store, first).empty:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    launch.cancel(fresh_store, first)
    wait_until_ended(fresh_store, [first])
    provider.latency = 0.0
    wait_until_ended(fresh_store, [second])
    assert runs.load(fresh_store, first).event is Event.CANCELLED
    assert runs.load(fresh_store, second).event is Event.FINISHED
    assert len(results.answers(fresh_store, second)) == 40


def test_a_run_that_is_about_to_start_is_not_started_again(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    [run_id] = launch.begin(fresh_store, [quiz_id], ["always-a", "always-a "])
    with pytest.raises(InputError, match="taking this quiz already"):
        launch.begin(fresh_store, [quiz_id], ["always-a"])
    assert wait_until_ended(fresh_store, [run_id]) == {State.FINISHED}
    assert provider.counts["always-a"] == 6


async def test_a_cap_that_the_last_question_hits_stops_the_run(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["flaky-500"], Terms(limit=1, max_calls=1))
    assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert "1 calls" in runs.load(fresh_store, run_id).detail


async def test_calls_that_leave_no_answer_count_when_a_run_is_resumed(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["quota"], Terms(max_calls=2))
    for _ in range(4):
        assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert provider.counts.total() == 2
    assert runs.spent(fresh_store, run_id).calls == 2


async def test_a_cap_on_calls_holds_for_the_options_that_are_scored(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["likelihood:scores"], Terms(max_calls=6))
    for _ in range(2):
        assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert 4 <= provider.counts.total() <= 6
    assert len(results.answers(fresh_store, run_id)) == 1


@pytest.mark.parametrize(
    "terms",
    [
        {"budget_usd": float("nan")},
        {"budget_usd": float("inf")},
        {"budget_usd": 0.0},
        {"max_calls": 3_000_000_000},
        {"concurrency": 3_000_000_000},
    ],
)
def test_terms_that_cannot_be_kept_are_mistakes(terms: dict[str, float]) -> None:
    with pytest.raises(InputError, match="give"):
        Terms(**terms)  # type: ignore[arg-type]  # any of them


async def test_answers_wait_for_a_store_that_is_held(
    fresh_store: Store, provider: Provider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(700))
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="A").quiz
    [run_id] = await plan_all(fresh_store, [quiz], ["always-a"], Terms(concurrency=32))
    task = asyncio.create_task(carry_out_all(fresh_store, [run_id]))
    while provider.counts["always-a"] < 50:
        await asyncio.sleep(0.01)
    hold = "import duckdb, sys; db = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    while True:
        with subprocess.Popen(
            [sys.executable, "-c", hold, str(fresh_store.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as holder:
            assert holder.stdout is not None
            if not await asyncio.to_thread(holder.stdout.readline):
                continue  # the store was in use at that moment
            asked = -1
            while provider.counts["always-a"] != asked:
                asked = provider.counts["always-a"]
                await asyncio.sleep(1)
            assert asked < 700  # asking waits
            holder.communicate()
            break
    assert await task == [Event.FINISHED]
    assert len(results.answers(fresh_store, run_id)) == provider.counts["always-a"] == 700
