"""The structured log of a run, and its latencies."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import datetime
from typing import Any

import pytest

from dcq import settings
from dcq.asking import prepare
from dcq.asking.calls import asking
from dcq.asking.session import Session
from dcq.asking.worker import work
from dcq.jobs.journal import Activity, Journal, activity
from dcq.models.endpoints import resolve
from dcq.models.hooks import Hooks
from dcq.models.pacing.limits import pace_for
from dcq.quiz.method import QUIZ
from dcq.store import Store, results, runs
from tests.support.asked import reopen
from tests.support.provider import FakeProvider
from tests.support.runs import answer, go_on, take


def lines(store: Store, run_id: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in Journal(store, run_id).path.read_text("utf-8").splitlines()
    ]


async def test_a_run_logs_how_it_went(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    endpoint = resolve("busy-503", settings.load())
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, endpoint)
    plan = runs.load(fresh_store, run_id).plan
    pace = pace_for(endpoint, 4)
    journal = Journal(fresh_store, run_id, pace)
    async with asking(
        endpoint,
        temperature=0.0,
        max_tokens=plan.max_tokens,
        hooks=Hooks(pace, on_retry=journal.retry),
    ) as ask:
        await work(Session(fresh_store, run_id, reopen(fresh_store, run_id), ask, journal=journal))
    logged = lines(fresh_store, run_id)
    assert (logged[0]["event"], logged[0]["open"], logged[-1]["event"]) == (
        "started",
        6,
        "finished",
    )
    retries = [line for line in logged if line["event"] == "retry"]
    assert len(retries) == 2 * 6
    assert {line["status"] for line in retries} == {503}
    assert all(line["wait_seconds"] > 0 and line["cause"].endswith(".") for line in retries)
    batches = [line for line in logged if line["event"] == "batch"]
    assert sum(line["answers"] for line in batches) == 6
    assert sum(line["outcomes"]["answered"] for line in batches) == 6
    assert all(1 <= line["slots"] <= 4 for line in batches)
    assert {line["pid"] for line in logged} == {os.getpid()}
    assert all(datetime.fromisoformat(line["at"]).tzinfo for line in logged)


async def test_a_stop_is_logged_with_its_reason(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, ended = await take(fresh_store, quiz_id, "no-such-model")
    last = lines(fresh_store, run_id)[-1]
    assert (last["event"], last["detail"]) == ("stopped", ended.detail)


async def test_a_log_that_cannot_be_written_ends_no_run(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, resolve("always-a", settings.load()))
    Journal(fresh_store, run_id).path.mkdir(parents=True)  # a folder is in its place
    endpoint = resolve("always-a", settings.load())
    async with asking(endpoint, temperature=0.0, max_tokens=5) as ask:
        await work(Session(fresh_store, run_id, reopen(fresh_store, run_id), ask))
    assert len(results.answers(fresh_store, run_id)) == 6


async def test_the_end_of_a_log_says_what_is_going_on(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, resolve("busy-503", settings.load()))
    assert activity(fresh_store, run_id) == Activity()
    await go_on(fresh_store, run_id)
    now = activity(fresh_store, run_id)
    assert now.slots is not None
    assert now.in_flight == 0
    assert now.wait_seconds is not None
    assert now.wait_seconds > 0
    assert "HTTP 503" in now.cause
    path = Journal(fresh_store, run_id).path
    path.write_text("cut]\n" + path.read_text("utf-8").replace('"event": "retry"', '"event": 3'))
    assert activity(fresh_store, run_id).cause == ""
    Journal(fresh_store, run_id).write("started")
    assert activity(fresh_store, run_id) == Activity()  # nothing of the process before it


def test_percentiles_are_of_replies_alone(fresh_store: Store, quiz_id: str) -> None:
    answered = answer(fresh_store, quiz_id, {"A": 3, "error": 3})
    failed = answer(fresh_store, quiz_id, {"error": 6})
    found = results.latency(fresh_store, [answered, failed])
    assert list(found) == [answered]
    assert asdict(found[answered]) == pytest.approx(
        {"replies": 3, "p50": 0.1, "p95": 0.1, "p99": 0.1}
    )
