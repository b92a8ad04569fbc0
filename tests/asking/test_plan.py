"""Models and quizzes asked together."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import subprocess
import sys

import pytest

from dcq.asking.options import Terms
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, results, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support import commands
from tests.support.provider import FakeProvider
from tests.support.runs import carry_out_all, plan_all

pytestmark = pytest.mark.slow


async def test_runs_of_one_provider_share_its_pace(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind).quiz
        for kind in (QuizKind.ROTATED, QuizKind.MODIFIED)
    ]
    provider.latency = 0.02
    provider.answers_at_most = 0  # until as many are in flight as may be
    models = ["always-a", "always-b"]
    planned = await plan_all(fresh_store, quizzes, models, Terms(concurrency=3))
    task = asyncio.create_task(carry_out_all(fresh_store, planned))
    while provider.in_flight < 3:
        await asyncio.sleep(0.02)
    provider.answers_at_most = math.inf
    assert await task == [Event.FINISHED] * 4
    assert provider.in_flight_most == 3
    assert [len(results.answers(fresh_store, run)) for run in planned] == [24, 24, 6, 6]


async def test_providers_do_not_wait_for_one_another(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    with FakeProvider() as other:
        planned = await plan_all(
            fresh_store,
            [quiz_id],
            ["slow", f"always-b@{other.base_url}"],
            Terms(concurrency=1),
        )
        task = asyncio.create_task(carry_out_all(fresh_store, planned))
        while len(results.answers(fresh_store, planned[1])) < 6 or not provider.counts.total():
            await asyncio.sleep(0.02)
        assert provider.counts == {"slow": 1}  # its first call is still open
        assert not provider.statuses
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_nothing_is_planned_where_one_model_cannot_be_asked_so(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    with pytest.raises(InputError, match="price of always-a"):
        await plan_all(fresh_store, [quiz_id], ["gpt-4o-mini", "always-a"], Terms(budget_usd=1))
    with pytest.raises(InputError, match="limit of 0"):
        await plan_all(fresh_store, [quiz_id], ["always-a"], Terms(limit=0))
    assert runs.listing(fresh_store) == []


def test_a_plan_on_the_command_line(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind).quiz
        for kind in (QuizKind.STANDARD, QuizKind.MODIFIED)
    ]
    words = ["run", *quizzes, "--model", "always-a", "--model"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    done = commands.run(*words, "quota", "--json", environment=environment)
    assert done.returncode == 1
    documents = json.loads(done.stdout)
    assert [(d["model"], d["quiz"], d["n"]) for d in documents] == [
        ("always-a", quizzes[0], 6),
        ("quota", quizzes[0], 0),
        ("always-a", quizzes[1], 6),
        ("quota", quizzes[1], 0),
    ]
    done = commands.run(*words, "always-b", "--max-calls", "2", environment=environment)
    assert done.returncode == 1
    assert done.stdout.count("stopped. 2 answered") == 4
    assert done.stderr.count("The 2 calls that the run may make are made") == 4


def test_a_run_that_is_taken_leaves_the_others_alone(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    words = ["run", quiz_id, "--model", "always-a"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    commands.run(*words, "--limit", "2", environment=environment).check_returncode()
    [run_id] = runs.listing(fresh_store)
    with lock.hold(fresh_store, run_id):
        done = commands.run(*words, "--model", "always-b", "--resume", environment=environment)
    assert done.returncode == 1
    assert "always-a, standard quiz: not started" in done.stdout
    assert "always-b, standard quiz: finished. 6 answered" in done.stdout
    assert "already being worked on" in done.stderr


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


HOLD_THE_STORE = """
import duckdb, sys
print("ready", flush=True)
input()
while True:
    try:
        db = duckdb.connect(sys.argv[1])
        break
    except duckdb.IOException:  # in use at this moment
        pass
print("held", flush=True)
input()
"""


async def test_answers_wait_for_a_store_that_is_held(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(700))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    [run_id] = await plan_all(fresh_store, [quiz], ["always-a"], Terms(concurrency=32))
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_STORE, str(fresh_store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        provider.answers_at_most = 50
        task = asyncio.create_task(carry_out_all(fresh_store, [run_id]))
        while provider.counts["always-a"] < 50:
            await asyncio.sleep(0.01)
        holder.stdin.write("\n")
        assert await asyncio.to_thread(holder.stdout.readline) == "held\n"
        provider.answers_at_most = math.inf
        asked = -1
        while provider.counts["always-a"] != asked:
            asked = provider.counts["always-a"]
            await asyncio.sleep(1)
        assert asked < 700  # asking waits
        holder.stdin.write("\n")
    assert await task == [Event.FINISHED]
    assert len(results.answers(fresh_store, run_id)) == provider.counts["always-a"] == 700
