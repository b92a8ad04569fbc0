"""Several runs on one budget, of two toy methods: one asks for a word, the other about its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from dcq import settings
from dcq.asking import launch, prepare
from dcq.asking.chain import CANCELLED, Chain, ChainOutcome, ask_run, go_on
from dcq.asking.exclusive import Exclusive
from dcq.asking.ledger import open_ledger
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.task import ChainStep, Proposal, Task
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.models.endpoints import resolve
from dcq.records import Mode
from dcq.store import Store, results, runs, sources
from dcq.store.runs import Event, Plan
from tests.support.next_word.cut import cut
from tests.support.next_word.method import PROMPT, NextWord, NextWordTask
from tests.support.provider import FakeProvider

N = 6  # instances of the sample


class _Again(NextWord):
    """Asks again about the sample of another run, if that has an answer that calls for it."""

    wanted = True

    @property
    def name(self) -> str:
        return "again"

    @property
    def follows(self) -> bool:
        return True

    def take_up(self, store: Store, run_id: str) -> bool:
        return self.wanted and bool(results.positions(store, run_id, answer="A"))

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        sample_id = runs.load(store, subject).plan.sample_id
        return Proposal(PROMPT, NextWordTask(PROMPT.wording, cut(store, sample_id)), sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return NextWordTask(plan.wording, cut(store, plan.sample_id))


AGAIN = _Again()


class _First(NextWord):
    @property
    def name(self) -> str:
        return "first"

    @property
    def exclusive(self) -> Exclusive:
        return Exclusive("first-", "{who} is busy with this sample already.")

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        return Proposal(PROMPT, NextWordTask(PROMPT.wording, cut(store, subject)), subject)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return NextWordTask(plan.wording, cut(store, plan.sample_id))

    def followers(self, store: Store, run_id: str) -> Iterator[ChainStep]:
        who = resolve("always-b", settings.load())
        if AGAIN.take_up(store, run_id):
            yield ChainStep(
                AGAIN, run_id, who, runs.newest_run(store, "again", who.name, subject=run_id)
            )


FIRST = _First()
METHODS = (FIRST, AGAIN)


@pytest.fixture
def own_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"always-a" = [1.0, 1.0]\n"always-b" = [1.0, 1.0]\n', "utf-8")
    monkeypatch.setenv("DCQ_PRICES", str(prices))


async def ask(store: Store, sample_id: str, terms: Terms) -> ChainOutcome:
    who = resolve("always-a", settings.load())
    run_id = prepare.plan_run(store, FIRST, sample_id, who, terms)
    return await ask_run(store, FIRST, run_id, who, Options(terms))


async def test_what_follows_is_asked_when_the_first_has_finished(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    done = await ask(fresh_store, sample_id, Terms())
    assert done.ended.event is Event.FINISHED
    assert done.follower is not None
    assert runs.load(fresh_store, done.follower).plan.subject == done.run
    assert provider.counts == {"always-a": N, "always-b": N}
    again = await go_on(fresh_store, METHODS, done.run)
    assert (again.run, again.follower) == (done.run, done.follower)
    assert (await go_on(fresh_store, METHODS, done.follower)).run == done.run
    assert provider.counts == {"always-a": N, "always-b": N}  # nothing is asked twice


async def test_nothing_follows_where_no_reply_calls_for_it(
    fresh_store: Store, sample_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AGAIN, "wanted", False, raising=False)
    done = await ask(fresh_store, sample_id, Terms())
    assert (done.follower, done.ended.event) == (None, Event.FINISHED)
    assert provider.counts == {"always-a": N}


async def test_calls_are_for_all_runs_together(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    done = await ask(fresh_store, sample_id, Terms(max_calls=N))
    assert (done.follower, done.ended.event) == (None, Event.STOPPED)  # none is planned in vain
    assert f"{N} calls for all runs are made" in done.ended.detail
    options = Options(Terms(max_calls=N + 2))
    more = await go_on(fresh_store, METHODS, done.run, options)
    assert more.ended.event is Event.STOPPED
    assert provider.counts == {"always-a": N, "always-b": 2}
    whole = await go_on(fresh_store, METHODS, done.run, Options(Terms(max_calls=2 * N)))
    assert whole.ended.event is Event.FINISHED
    assert provider.counts == {"always-a": N, "always-b": N}


async def test_no_step_begins_once_it_is_cancelled(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    cancelled = asyncio.Event()

    def after_one() -> Iterator[ChainStep]:
        yield ChainStep(FIRST, sample_id, resolve("always-a", settings.load()))
        cancelled.set()
        yield ChainStep(FIRST, sample_id, resolve("always-b", settings.load()))

    chain = Chain(fresh_store, Options(watch=Watch(cancelled)), {})
    assert await chain.ask_all(after_one()) == CANCELLED
    assert provider.counts == {"always-a": N}


async def test_one_process_at_a_time_asks_a_chain(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    done = await ask(fresh_store, sample_id, Terms(max_calls=N))
    with FIRST.exclusive.hold(fresh_store, sample_id, "always-a"):
        with pytest.raises(InputError, match="always-a is busy with this sample already"):
            await go_on(fresh_store, METHODS, done.run)
        with pytest.raises(InputError, match="is busy"):
            launch.resume(fresh_store, FIRST, done.run)
        FIRST.exclusive.check_free(fresh_store, sample_id, "always-b")  # another model is not
    assert not lock.is_held(fresh_store, FIRST.exclusive.lock_name(sample_id, "always-a"))


async def test_a_run_of_another_method_is_resumed_by_its_own_command(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    done = await ask(fresh_store, sample_id, Terms(limit=1))
    with pytest.raises(InputError, match="is a first run; it is resumed by the command that"):
        await go_on(fresh_store, [AGAIN], done.run)


async def test_a_follower_of_others_is_not_continued(
    fresh_store: Store, sample_id: str, provider: FakeProvider, own_price: None
) -> None:
    done = await ask(fresh_store, sample_id, Terms(limit=2, budget_usd=1.0))
    assert done.follower is not None
    with fresh_store.write() as db:
        db.execute("UPDATE run SET price_in = 1e6, price_out = 1e6 WHERE id = ?", [done.follower])
        sources.mark(db, "SELECT id FROM run WHERE price_in = 1e6", "theirs")
    whole = await go_on(fresh_store, METHODS, done.run, Options(Terms(budget_usd=1.0)))
    assert whole.ended.event is Event.FINISHED
    assert whole.follower not in {None, done.follower}
    assert provider.counts == {"always-a": N, "always-b": 2 * N}  # theirs count for nothing


async def test_money_is_for_all_runs_together(
    fresh_store: Store, sample_id: str, provider: FakeProvider, own_price: None
) -> None:
    done = await ask(fresh_store, sample_id, Terms())
    assert done.follower is not None
    spent = sum(usd(fresh_store, run) for run in (done.run, done.follower))
    again = await ask(fresh_store, sample_id, Terms(budget_usd=spent * 0.7))
    assert again.ended.event is Event.STOPPED
    assert sum(usd(fresh_store, r) for r in (again.run, again.follower) if r) <= spent * 0.7


def usd(store: Store, run_id: str) -> float:
    with open_ledger(store, run_id, runs.load(store, run_id).plan) as ledger:
        return ledger.usd
