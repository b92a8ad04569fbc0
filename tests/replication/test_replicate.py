"""A replication in one go: judged, short of money, cancelled, killed, resumed."""

import asyncio
import math
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from dcq.asking import launch
from dcq.asking.chain import go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.errors import InputError, ModelChoiceError
from dcq.jobs import lock
from dcq.jobs.state import RunState
from dcq.models.price import Price
from dcq.records import Instance
from dcq.replication import replicate as replicating
from dcq.replication import results
from dcq.replication.method import EXCLUSIVE, JUDGE, METHODS
from dcq.replication.pieces import CutRange
from dcq.replication.prompts import Instruction
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, method_runs, replications, run_progress, runs, samples
from dcq.store.runs import Event
from tests.support import commands
from tests.support.provider import FakeProvider
from tests.support.replications import FIRST, sample, save
from tests.support.runs import take, wait_for, wait_until_ended

_PRICE = Price(1.0, 2.0)  # USD per million tokens


async def test_completions_come_first_and_then_the_judge(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id, texts = save(fresh_store, 5)
    provider.seen = tuple(texts[:2])
    heard: list[tuple[str, int, int]] = []
    done = await replicate(
        fresh_store,
        sample_id[:8],
        "recites",
        Design(judge="judges"),
        Options(watch=Watch(on_run=lambda *words: heard.append(words))),
    )
    assert done.ended.event is Event.FINISHED
    assert heard == [("replication by recites", 0, 10), ("judge by judges", 0, 3)]
    assert provider.counts == {"recites": 10, "judges": 3}
    again = await replicate(fresh_store, sample_id, "recites", resume=True)
    assert (again.run, again.follower) == (done.run, done.follower)  # its judge is remembered
    assert provider.counts == {"recites": 10, "judges": 3}


async def test_a_limit_is_of_instances_and_resume_asks_the_rest(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id, _ = save(fresh_store, 5)
    first = await replicate(
        fresh_store, sample_id, "recites", Design(judge="judges"), Options(Terms(limit=2))
    )
    assert provider.counts == {"recites": 4, "judges": 2}
    rest = await replicate(fresh_store, sample_id, "recites", resume=True)
    assert (rest.run, rest.follower) == (first.run, first.follower)
    assert provider.counts == {"recites": 10, "judges": 5}


async def test_where_all_are_equal_no_judge_is_needed(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id, texts = save(fresh_store, 3)
    provider.seen = tuple(texts)
    done = await replicate(fresh_store, sample_id, "recites", Design(judge="judges"))
    assert (done.follower, done.ended.event) == (None, Event.FINISHED)
    assert provider.counts == {"recites": 6}


async def test_the_judge_gets_what_is_left_of_the_budget(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample_id, _ = save(fresh_store, 5)
    monkeypatch.setattr("dcq.models.prices.find_price", lambda model: _PRICE)
    short = await replicate(
        fresh_store,
        sample_id,
        "recites",
        Design(judge="judges"),
        Options(Terms(budget_usd=0.003, concurrency=1)),
    )
    assert short.ended.event is Event.STOPPED
    assert "budget" in short.ended.detail
    asked = provider.counts.total()
    more = await replicate(
        fresh_store,
        sample_id,
        "recites",
        Design(judge="judges"),
        Options(Terms(budget_usd=1.0)),
        resume=True,
    )
    assert (more.run, more.ended.event) == (short.run, Event.FINISHED)
    assert more.follower is not None
    assert provider.counts.total() == 15
    assert asked < 15
    left = runs.load(fresh_store, more.follower).plan.budget_usd
    assert left is not None
    assert 0.9 < left < 1.0


async def test_calls_are_shared_too(fresh_store: Store, provider: FakeProvider) -> None:
    sample_id, _ = save(fresh_store, 5)
    done = await replicate(
        fresh_store, sample_id, "recites", Design(judge="judges"), Options(Terms(max_calls=12))
    )
    assert done.ended.event is Event.STOPPED
    assert provider.counts == {"recites": 10, "judges": 2}
    none_left = await replicate(
        fresh_store, sample_id, "recites", Design(judge="judges"), Options(Terms(max_calls=10))
    )
    assert "10 calls for all runs are made" in none_left.ended.detail
    assert none_left.follower is None
    assert provider.counts == {"recites": 20, "judges": 2}


async def test_nothing_is_asked_where_one_of_them_cannot_be(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id, _ = save(fresh_store, 2)
    budget = Terms(budget_usd=1.0)
    for judge, terms in (("likelihood:vllm:m", Terms()), ("judges", budget), (None, budget)):
        with pytest.raises((InputError, ModelChoiceError)):
            await replicate(fresh_store, sample_id, "recites", Design(judge=judge), Options(terms))
    with (
        lock.hold(fresh_store, EXCLUSIVE.lock_name(sample_id, "recites")),
        pytest.raises(InputError, match="already"),
    ):
        await replicate(fresh_store, sample_id, "recites")
    assert provider.counts == {}
    assert runs.listing(fresh_store) == []


async def test_cancelled_it_is_not_judged(fresh_store: Store, provider: FakeProvider) -> None:
    provider.answers_at_most = 5
    sample_id, _ = save(fresh_store, 20)
    cancelled = asyncio.Event()
    options = Options(Terms(concurrency=2), watch=Watch(cancelled))
    task = asyncio.create_task(
        replicate(fresh_store, sample_id, "recites", Design(judge="judges"), options)
    )
    while provider.counts["recites"] < 5 + 2:
        await asyncio.sleep(0.01)
    cancelled.set()
    provider.answers_at_most = math.inf
    done = await task
    assert (done.ended.event, done.follower) == (Event.CANCELLED, None)
    assert provider.counts == {"recites": 7}
    rest = await go_on(fresh_store, METHODS.values(), done.run)
    assert rest.ended.event is Event.FINISHED
    assert provider.counts == {"recites": 40, "judges": 20}


async def test_replies_are_reused(fresh_store: Store, provider: FakeProvider) -> None:
    sample_id, _ = save(fresh_store, 3)
    await replicate(fresh_store, sample_id, "recites", Design(judge="judges"))
    again = await replicate(
        fresh_store, sample_id, "recites", Design(judge="judges"), Options(reuse=True)
    )
    assert provider.counts == {"recites": 6, "judges": 3}
    assert again.ended.event is Event.FINISHED


async def test_a_run_of_another_method_is_not_gone_on_with(
    fresh_store: Store, provider: FakeProvider, quiz_id: str
) -> None:
    assert provider.base_url
    run_id, _ = await take(fresh_store, quiz_id, "guess")
    with pytest.raises(InputError, match="is a quiz run"):
        await go_on(fresh_store, METHODS.values(), run_id)


@pytest.mark.slow
def test_started_from_the_app_it_is_completed_and_judged(
    fresh_store: Store, provider: FakeProvider, forked: None
) -> None:
    sample_id, _ = save(fresh_store, 3)
    provider.answers_at_most = 0
    [run_id] = replicating.start(fresh_store, sample_id, ["recites"], Design("judges"))
    with pytest.raises(InputError, match="already"):
        replicating.start(fresh_store, sample_id, ["recites"])
    provider.answers_at_most = math.inf
    assert wait_until_ended(fresh_store, [run_id]) == {RunState.FINISHED}
    _wait_until_free(fresh_store, EXCLUSIVE.lock_name(sample_id, "recites"))
    judge_run = runs.newest_run(fresh_store, "judge", "judges", subject=run_id)
    assert judge_run is not None
    launch.resume(fresh_store, JUDGE, judge_run)
    [cheat] = replicating.start_first_instances(fresh_store, sample_id, ["recites"])
    assert wait_until_ended(fresh_store, [cheat, judge_run]) == {RunState.FINISHED}
    assert provider.counts == {"recites": 7, "judges": 3}


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
def test_of_three_tabs_that_start_at_once_one_does(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id, _ = save(fresh_store, 3)
    provider.answers_at_most = 0  # until the others have found the first at work

    def start(_: int) -> list[str]:
        try:
            return replicating.start(fresh_store, sample_id, ["recites"], Design("judges"))
        except InputError:
            return []

    with ThreadPoolExecutor(3) as tabs:
        started = [run for begun in tabs.map(start, range(3)) for run in begun]
    provider.answers_at_most = math.inf
    assert len(started) == 1
    wait_until_ended(fresh_store, started)
    _wait_until_free(fresh_store, EXCLUSIVE.lock_name(sample_id, "recites"))
    assert provider.counts == {"recites": 6, "judges": 3}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_again_and_again_it_loses_and_repeats_nothing(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id, texts = save(fresh_store, 24)
    provider.seen = tuple(texts[:6])
    words = ["replicate", sample_id, "--model", "recites", "--judge", "judges", "--resume"]
    words += ["--concurrency", "4"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    provider.latency = 0.1
    waits, kills = random.Random(7), 4
    for _ in range(kills):
        before = provider.counts.total()
        worker = commands.start(words, environment)
        deadline = time.monotonic() + 120
        while provider.counts.total() == before and worker.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(waits.uniform(0.2, 1.0))
        worker.kill()
        worker.join()
    provider.latency = 0.0
    kept = sum(run.done for run in run_progress.progress(fresh_store, runs.listing(fresh_store)))
    before = provider.counts.total()
    last = commands.start(words, environment)
    last.join()
    assert last.exitcode == 0
    judge_run, run_id = runs.listing(fresh_store)
    assert replications.to_judge(fresh_store, run_id)
    with fresh_store.read() as db:
        counts = dict(
            db.execute(
                "SELECT run_id, [count(*), count(DISTINCT position)] FROM answer "
                "WHERE outcome <> 'error' GROUP BY run_id"
            ).fetchall()
        )
    assert counts == {run_id: [48, 48], judge_run: [18, 18]}
    # What was in flight or not yet written at a kill is asked again; an answer is never. Four calls
    # at most are under way to the provider at the last kill.
    assert 0 <= provider.counts.total() - before - (66 - kept) <= 4


@pytest.mark.embedded
async def test_the_embedded_model_completes_and_judges(fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store, 1)
    done = await replicate(fresh_store, sample_id, "embedded", Design(judge="embedded"))
    assert done.ended.event is Event.FINISHED
    stored = replications.load(fresh_store, runs.load(fresh_store, done.run).plan.subject)
    assert stored.instructions == (Instruction.GUIDED, Instruction.GENERAL)
    assert len(method_runs.answers(fresh_store, done.run)) == 2
    judged = replications.to_judge(fresh_store, done.run)
    assert done.follower is None or len(method_runs.answers(fresh_store, done.follower)) == len(
        judged
    )


def _wait_until_free(store: Store, name: str) -> None:
    wait_for(lambda: not lock.is_held(store, name))


async def test_an_instance_that_was_cut_in_two_ways_has_two_originals(
    fresh_store: Store, provider: FakeProvider
) -> None:
    text = FIRST.format(name="brooks", number=1)
    made = replace(sample(1), instances=(Instance(text, {"text": text}),), requested=1, available=1)
    sample_id = samples.save(fresh_store, made)
    provider.seen = (text,)
    designs = Design(cut_range=CutRange(0.1, 0.2)), Design(cut_range=CutRange(0.8, 0.9))
    run_ids = [
        (await replicate(fresh_store, sample_id, "recites", design)).run for design in designs
    ]
    opened = results.guided_completions(fresh_store, run_ids, made.instances[0].id)
    assert [(one.is_original, list(one.by)) for one in opened] == [(True, [run]) for run in run_ids]
    longer, shorter = (one.text for one in opened)
    assert longer != shorter
    assert longer.endswith(shorter)
