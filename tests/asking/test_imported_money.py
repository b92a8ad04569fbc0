"""A run of a copy of one's own goes on at the price of this machine, whatever it was planned at.
What a bundle says buys nothing, because no run of others goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from dcq import settings
from dcq.asking import launch
from dcq.asking.batch_money import BatchMoney
from dcq.asking.chain import Chain
from dcq.asking.ledger import open_ledger
from dcq.asking.options import NO_TERMS, Options, Terms
from dcq.asking.plan import pick_up, plan
from dcq.asking.task import ChainStep
from dcq.errors import InputError
from dcq.files import bundle_write, others
from dcq.investigation import walk
from dcq.jobs.restore import restore
from dcq.models import prices
from dcq.models.batch_file import BatchJob
from dcq.models.endpoints import resolve
from dcq.quiz import choice, freeze
from dcq.quiz.method import QUIZ
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, batches, copies, investigations, runs, samples, sources
from dcq.store.runs import Event, Spent
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import go_on, take

pytestmark = pytest.mark.slow

MODEL = "gpt-4o-mini"  # its price is known
QUESTIONS = 16
BUDGET = 0.0002  # enough for a few calls, not for all


async def _unfinished(store: Store, model: str = MODEL, key: str = "rivers") -> str:
    """A run whose first four questions are answered."""
    sample = samples.save(store, small_sample(QUESTIONS, key=key))
    quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot="A").quiz
    run, ended = await take(store, quiz, model, Terms(max_calls=4, concurrency=1))
    assert ended.event is Event.STOPPED
    return run


def _change(store: Store, run: str, **columns: Any) -> None:
    """As whoever makes a bundle can."""
    with duckdb.connect(str(store.path)) as db:
        for name, value in columns.items():
            db.execute(f'UPDATE run SET "{name}" = ? WHERE id = ?', [value, run])  # noqa: S608


def _restore(store: Store, folder: Path) -> Store:
    copies.take(store, folder / "copy.duckdb")
    there = Store(folder / "there.duckdb")
    restore(there, folder / "copy.duckdb", mine=True)
    return there


async def test_a_run_that_goes_on_has_the_price_of_this_machine(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    prices_said = [0.0, 1e-300, None]
    carried = [await _unfinished(fresh_store, key=f"texts-{i}") for i in range(len(prices_said))]
    true = runs.load(fresh_store, carried[0]).plan
    for run, usd in zip(carried, prices_said, strict=True):
        _change(fresh_store, run, price_in=usd, price_out=usd, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    for run, usd in zip(carried, prices_said, strict=True):
        before, spent_before = provider.counts[MODEL], runs.spent(there, run)
        pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET, concurrency=4))
        ended = await go_on(there, run)
        calls = provider.counts[MODEL] - before
        print(f"price {usd}: {calls} calls of {QUESTIONS - 4} within {BUDGET} USD")
        assert ended.event is Event.STOPPED
        assert "budget" in ended.detail
        assert 2 <= calls < QUESTIONS - 4
        now = runs.load(there, run).plan
        assert (now.price_in, now.price_out) == (true.price_in, true.price_out)
        assert _cost_since(spent_before, runs.spent(there, run)) <= BUDGET


def _cost_since(before: Spent, after: Spent) -> float:
    """USD for what was asked since, at the price of this machine."""
    new = (after.tokens_in - before.tokens_in, after.tokens_out - before.tokens_out)
    cost = prices.cost(MODEL, *new)
    assert cost is not None
    return cost


async def test_a_run_of_others_asks_nothing(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(fresh_store)[0])
    there = Store(tmp_path / "there.duckdb")
    source = others.keep(there, tmp_path / "b.zip", sender="Ada").source
    assert source is not None
    before = provider.counts[MODEL]
    for _ in range(2):  # beside, and taken in
        with pytest.raises(InputError, match="was asked by Ada, not by you"):
            pick_up(there, QUIZ, [run], NO_TERMS)
        with pytest.raises(InputError, match="was asked by Ada, not by you"):
            launch.resume(there, QUIZ, run)
        if not sources.load(there, source.id).taken:
            others.take_in(there, source.id)
    with pytest.raises(InputError, match="was asked by Ada, not by you"):
        await go_on(there, run)
    subject, who = runs.load(there, run).plan.subject, resolve(MODEL, settings.load())
    [(new, _)] = await plan(there, QUIZ, [subject], [who], NO_TERMS, resume=True)
    assert new != run
    assert provider.counts[MODEL] == before


async def test_a_run_of_a_copy_goes_on_at_the_price_of_this_machine(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    true = runs.load(fresh_store, run).plan
    _change(fresh_store, run, price_in=1e-300, price_out=0.0, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    before = runs.spent(there, run)
    pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET, concurrency=4))
    assert "budget" in (await go_on(there, run)).detail
    now = runs.load(there, run).plan
    assert (now.price_in, now.price_out) == (true.price_in, true.price_out)
    assert _cost_since(before, runs.spent(there, run)) <= BUDGET


async def test_an_investigation_of_others_is_not_continued(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    """Nor does what it says that a run had cost before free any money."""
    run = await _unfinished(fresh_store)
    sample = runs.load(fresh_store, run).plan.sample_id
    for name in ("control-0", "control-1"):
        samples.save(fresh_store, small_sample(QUESTIONS, key=name, role=PartitionRole.CONTROL))
    chosen = choice.choose(fresh_store, sample, QuizKind.STANDARD)
    made = investigations.create(
        fresh_store, sample, MODEL, QuizKind.STANDARD, chosen.controls, budget_usd=BUDGET
    )
    quiz = freeze.freeze(fresh_store, sample, QuizKind.MODIFIED).quiz
    begun, _ = await take(fresh_store, quiz, MODEL, Terms(max_calls=4, concurrency=1))
    investigations.add_run(fresh_store, made.id, (QuizKind.MODIFIED, sample), begun, 1e6)
    copies.take(fresh_store, tmp_path / "copy.duckdb")
    there = Store(tmp_path / "there.duckdb")
    restore(there, tmp_path / "copy.duckdb")
    before = runs.spent(there, begun)
    options = Options(Terms(budget_usd=BUDGET))
    done = await walk.investigate(there, chosen, MODEL, options, resume=True)
    assert done.ended.event is Event.STOPPED
    assert "budget" in done.ended.detail
    assert begun not in {step.run for step in done.steps}
    assert runs.spent(there, begun) == before


async def test_what_a_copy_says_was_set_aside_for_a_batch_frees_no_money_of_answers(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    batches.set_aside(fresh_store, run, "file", requests=1_000_000, reply_tokens=5, usd=1e9)
    batches.started(fresh_store, run, "file", "batch")
    there = _restore(fresh_store, tmp_path)
    stored = runs.load(there, run)
    with open_ledger(there, run, stored.plan) as ledger:
        calls, usd = ledger.calls, ledger.usd
        money = BatchMoney(there, stored, ledger, lambda position: "a prompt")
        job = BatchJob("batch", "failed", run, {}, "file", (), 0, 5, stored.at, 1.0, "")
        money.settle(job, {}, [])
        assert ledger.usd == pytest.approx(usd)
        assert ledger.usd > 0
        assert ledger.calls >= calls - stored.plan.items


async def test_the_newest_run_is_resumed_at_the_price_of_this_machine(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    _change(fresh_store, run, price_in=1e-300, price_out=1e-300, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    subject, who = runs.load(there, run).plan.subject, resolve(MODEL, settings.load())
    [(found, _)] = await plan(there, QUIZ, [subject], [who], Terms(budget_usd=BUDGET), resume=True)
    assert found == run
    assert "budget" in (await go_on(there, run)).detail


async def test_a_chain_counts_what_a_run_cost_before_at_the_price_of_its_time(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    _change(fresh_store, run, price_in=1e6, price_out=1e6, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    endpoint = resolve(MODEL, settings.load())
    chain = Chain(there, Options(Terms(budget_usd=BUDGET)), {})
    before = runs.spent(there, run)
    tokens = before.tokens_in + before.tokens_out
    assert chain.count_from_now(run, endpoint) == pytest.approx(tokens)  # 1 USD each
    step = ChainStep(QUIZ, runs.load(there, run).plan.subject, endpoint, run)
    assert (await chain.ask(step)).event is Event.STOPPED
    assert _cost_since(before, runs.spent(there, run)) <= BUDGET


async def test_without_a_price_here_a_budget_is_refused_and_nothing_asked(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store, "guess")
    _change(fresh_store, run, price_in=1e-300, price_out=1e-300, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    before = provider.counts["guess"]
    with pytest.raises(InputError, match="price of guess is not known, so a budget cannot be kept"):
        pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET))
    _change(there, run, budget_usd=BUDGET)
    with pytest.raises(InputError, match="price of guess is not known, so a budget cannot be kept"):
        pick_up(there, QUIZ, [run], NO_TERMS)  # the budget that the run has
    assert provider.counts["guess"] == before


async def test_a_person_s_own_price_comes_before_an_imported_one(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await _unfinished(fresh_store, "guess")
    _change(fresh_store, run, price_in=0.0, price_out=0.0, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    (tmp_path / "prices.toml").write_text('[models]\n"guess" = [2.0, 8.0]\n', "utf-8")
    monkeypatch.setenv("DCQ_PRICES", str(tmp_path / "prices.toml"))
    pick_up(there, QUIZ, [run], NO_TERMS)
    now = runs.load(there, run).plan
    assert (now.price_in, now.price_out) == (2.0, 8.0)


async def test_what_a_run_lost_elsewhere_stops_it_early_and_frees_nothing(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    _change(fresh_store, run, lost_usd=1e9, max_calls=None)
    there = _restore(fresh_store, tmp_path)
    before = provider.counts[MODEL]
    pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET))
    ended = await go_on(there, run)
    assert "1e+09 USD are kept for calls that left no answer" in ended.detail
    assert provider.counts[MODEL] == before


async def test_absurd_usage_in_several_replies_to_one_question_is_kept(
    fresh_store: Store, provider: FakeProvider
) -> None:
    """A question may take several replies, each of which says what it used."""
    provider.usage = {"prompt_tokens": 1_000_000_000, "completion_tokens": 1_000_000_000}
    sample = samples.save(fresh_store, small_sample(4))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="A").quiz
    run, ended = await take(fresh_store, quiz, "endless-reasoning", Terms(concurrency=1))
    assert ended.event in {Event.FINISHED, Event.STOPPED}
    assert runs.spent(fresh_store, run).tokens_in >= 0
