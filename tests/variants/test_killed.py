"""Rewording a sample by a command that is killed, capped, short of money, or asked by batch."""

from __future__ import annotations

import asyncio
import math
import os
import random
import time
from collections import Counter
from dataclasses import replace

import pytest

from dcq import settings
from dcq.asking.options import Options, Terms, Watch
from dcq.models.endpoints import resolve
from dcq.models.price import Price
from dcq.store import Store, rewordings, run_progress, runs, samples, variants
from dcq.store.runs import Event
from dcq.variants import reword
from tests.conftest import small_sample
from tests.support import commands
from tests.support.batches import BatchProvider
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

INSTANCES = 60
KILLS = 3
_PRICE = Price(1.0, 2.0)  # USD per million tokens


def bare(store: Store, instances: int) -> str:
    return samples.save(store, replace(small_sample(instances), variants={}))


def count_variants(store: Store, sample_id: str) -> int:
    return sum(map(len, variants.current(store, sample_id).values()))


@pytest.mark.timeout(600)
def test_a_rewording_that_is_killed_again_and_again_loses_and_repeats_nothing(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = bare(fresh_store, INSTANCES)
    words = ["perturb", sample_id, "--model", "reword", "--concurrency", "4", "--resume"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    provider.latency = 0.1
    waits = random.Random(7)
    for _ in range(KILLS):
        before = provider.counts["reword"]
        worker = commands.start(words, environment)
        deadline = time.monotonic() + 120
        while provider.counts["reword"] == before and worker.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(waits.uniform(0.0, 0.6))
        worker.kill()
        worker.join()
    provider.latency = 0.0
    [run_id] = runs.listing(fresh_store)
    [broken_off] = run_progress.progress(fresh_store, [run_id])
    before = provider.counts["reword"]
    last = commands.start(words, environment)
    last.join()
    assert last.exitcode == 0

    assert runs.listing(fresh_store) == [run_id]
    done = reword.sum_up(fresh_store, run_id)
    assert set(done.notes) <= {reword.REPEATED}  # the provider says few things
    assert done.failed < INSTANCES / 5
    there = 4 * INSTANCES - done.failed
    assert count_variants(fresh_store, sample_id) == done.variants == there
    with fresh_store.read() as db:
        written = db.execute("SELECT count(*) FROM variant").fetchone()
        answered = db.execute(
            "SELECT count(*), count(DISTINCT position) FROM answer WHERE outcome <> 'error'"
        ).fetchone()
    assert written == (there,)  # no slot was written twice
    items = runs.load(fresh_store, run_id).plan.items
    assert answered == (items, items)
    # What was in flight or not yet written at a kill is asked again, and counted; nothing else is.
    # Four calls at most are under way to the provider at the last kill.
    asked = provider.counts["reword"]
    [progress] = run_progress.progress(fresh_store, [run_id])
    assert 0 <= asked - before - (items - broken_off.done) <= 4
    assert progress.calls >= asked - 4 * KILLS


async def test_a_budget_ends_it_before_it_is_passed(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    sample_id = bare(fresh_store, 6)
    monkeypatch.setattr("dcq.models.prices.find_price", lambda model: _PRICE)
    endpoint = resolve("reword", settings.load())
    terms = Terms(budget_usd=0.01, concurrency=1)
    done = await reword.reword_sample(fresh_store, sample_id, endpoint, options=Options(terms))
    assert done.ended.event is Event.STOPPED
    assert "left of the budget" in done.ended.detail
    assert done.run is not None
    more = await reword.reword_sample(
        fresh_store, sample_id, endpoint, options=Options(Terms(budget_usd=1.0)), resume=True
    )
    assert (more.run, more.ended.event) == (done.run, Event.FINISHED)
    assert count_variants(fresh_store, sample_id) == 24


async def test_replies_are_reused_where_the_same_is_asked_of_another_sample(
    fresh_store: Store, provider: FakeProvider
) -> None:
    endpoint = resolve("reword", settings.load())
    first, second = bare(fresh_store, 3), bare(fresh_store, 4)
    await reword.reword_sample(fresh_store, first, endpoint)
    before = provider.counts["reword"]
    heard: list[str] = []
    await reword.reword_sample(
        fresh_store,
        second,
        endpoint,
        options=Options(reuse=True, watch=Watch(on_news=heard.append)),
    )
    same = {one.text for one in samples.load(fresh_store, first).instances}
    shared = sum(one.text in same for one in samples.load(fresh_store, second).instances)
    assert shared == 3
    [said] = heard
    assert said.startswith("3 replies are reused from earlier runs; the rest is asked (run ")
    assert provider.counts["reword"] - before == 2 + 3  # three of eight replies are there already
    assert count_variants(fresh_store, second) == 16


async def test_a_rewording_by_batch_takes_a_batch_a_round(
    fresh_store: Store, host: BatchProvider
) -> None:
    sample_id = bare(fresh_store, 5)
    endpoint = resolve("reword", settings.load())
    done = await reword.reword_sample(
        fresh_store, sample_id, endpoint, options=Options(by_batch=True)
    )
    assert done.ended.event is Event.FINISHED, done.ended.detail
    assert (done.variants, done.failed) == (20, 0)
    assert len(host.batches) == 2
    assert done.run is not None
    assert runs.load(fresh_store, done.run).plan.by_batch


async def test_a_limit_is_of_instances_that_lack_variants(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = bare(fresh_store, 5)
    endpoint = resolve("reword", settings.load())
    for _ in range(2):
        await reword.reword_sample(
            fresh_store, sample_id, endpoint, options=Options(Terms(limit=2))
        )
    counts = Counter(len(found) for found in variants.current(fresh_store, sample_id).values())
    assert counts == {4: 4}
    assert provider.counts["reword"] == 8


async def test_cancelled_it_keeps_what_came(fresh_store: Store, provider: FakeProvider) -> None:
    provider.answers_at_most = 8
    sample_id = bare(fresh_store, 20)
    endpoint = resolve("reword", settings.load())
    cancelled = asyncio.Event()

    def stop(done: int, total: int) -> None:
        if variants.current(fresh_store, sample_id):
            cancelled.set()
            provider.answers_at_most = math.inf

    done = await reword.reword_sample(
        fresh_store,
        sample_id,
        endpoint,
        options=Options(Terms(concurrency=2), watch=Watch(cancelled=cancelled)),
        on_instance=stop,
    )
    assert done.ended.event is Event.CANCELLED
    assert 0 < done.variants == count_variants(fresh_store, sample_id)
    assert rewordings.newest_run(fresh_store, sample_id, "reword") == done.run
