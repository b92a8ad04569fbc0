"""What a bundle says of money is not believed: a run goes on at the price of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from dcq import settings
from dcq.asking.plan import pick_up, plan
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.errors import InputError
from dcq.models import prices
from dcq.models.endpoints import resolve
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.quiz.series import Series
from dcq.records import Kind
from dcq.report import bundle_import, bundle_write
from dcq.store import Store, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.provider import Provider
from tests.support.runs import go_on, take

pytestmark = pytest.mark.slow

MODEL = "gpt-4o-mini"  # its price is known
QUESTIONS = 40
BUDGET = 0.0005  # enough for a few calls, not for all


async def _unfinished(store: Store, model: str = MODEL) -> str:
    """A run whose first four questions are answered."""
    sample = samples.save(store, small_sample(QUESTIONS))
    quiz = freeze.freeze(store, sample, Kind.STANDARD, slot="A").quiz
    run, ended = await take(store, quiz, model, Terms(max_calls=4, concurrency=1))
    assert ended.event is Event.STOPPED
    return run


def _change(store: Store, run: str, **columns: Any) -> None:
    """As whoever makes a bundle can."""
    with duckdb.connect(str(store.path)) as db:
        for name, value in columns.items():
            db.execute(f'UPDATE run SET "{name}" = ? WHERE id = ?', [value, run])  # noqa: S608


def _carry(store: Store, folder: Path) -> Store:
    (folder / "b.zip").write_bytes(bundle_write.to_bytes(store)[0])
    there = Store(folder / "there.duckdb")
    assert bundle_import.load(there, folder / "b.zip").differences == ()
    return there


@pytest.mark.parametrize("usd", [0.0, 1e-300, 1e6, None])
async def test_a_run_that_goes_on_has_the_price_of_this_machine(
    fresh_store: Store, provider: Provider, tmp_path: Path, usd: float | None
) -> None:
    run = await _unfinished(fresh_store)
    true = runs.load(fresh_store, run).plan
    _change(fresh_store, run, price_in=usd, price_out=usd, max_calls=None)
    there = _carry(fresh_store, tmp_path)
    before = provider.counts[MODEL]
    pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET, concurrency=4))
    ended = await go_on(there, run)
    calls = provider.counts[MODEL] - before
    print(f"price {usd}: {calls} calls of {QUESTIONS - 4} within {BUDGET} USD")
    assert ended.event is Event.STOPPED
    assert "budget" in ended.detail
    assert 2 <= calls < QUESTIONS - 4
    now = runs.load(there, run).plan
    assert (now.price_in, now.price_out) == (true.price_in, true.price_out)
    spent = runs.spent(there, run)
    cost = prices.cost(MODEL, spent.tokens_in, spent.tokens_out)
    assert cost is not None
    assert cost <= BUDGET
    # What is looked up anew is no other run: the bundle still adds nothing.
    assert set(bundle_import.load(there, tmp_path / "b.zip").added.values()) == {0}


async def test_the_newest_run_is_resumed_at_the_price_of_this_machine(
    fresh_store: Store, provider: Provider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    _change(fresh_store, run, price_in=1e-300, price_out=1e-300, max_calls=None)
    there = _carry(fresh_store, tmp_path)
    subject, who = runs.load(there, run).plan.subject, resolve(MODEL, settings.load())
    [(found, _)] = await plan(there, QUIZ, [subject], [who], Terms(budget_usd=BUDGET), resume=True)
    assert found == run
    assert "budget" in (await go_on(there, run)).detail


async def test_a_series_counts_what_a_run_cost_before_at_the_price_of_this_machine(
    fresh_store: Store, provider: Provider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    _change(fresh_store, run, price_in=1e6, price_out=1e6, max_calls=None)
    there = _carry(fresh_store, tmp_path)
    series = Series(there, resolve(MODEL, settings.load()), NO_TERMS, BUDGET, {})
    spent = runs.spent(there, run)
    assert series.take_in(run) == pytest.approx(
        prices.cost(MODEL, spent.tokens_in, spent.tokens_out), rel=1e-3
    )
    assert (await series.ask("quiz", run)).event is Event.STOPPED
    assert 0 < series._spent_by_others(None) <= BUDGET


async def test_without_a_price_here_a_budget_is_refused_and_nothing_asked(
    fresh_store: Store, provider: Provider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store, "guess")
    _change(fresh_store, run, price_in=1e-300, price_out=1e-300, max_calls=None)
    there = _carry(fresh_store, tmp_path)
    before = provider.counts["guess"]
    with pytest.raises(InputError, match="price of guess is not known, so a budget cannot be kept"):
        pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET))
    _change(there, run, budget_usd=BUDGET)
    with pytest.raises(InputError, match="price of guess is not known, so a budget cannot be kept"):
        pick_up(there, QUIZ, [run], NO_TERMS)  # the budget that the run has
    assert provider.counts["guess"] == before


async def test_a_person_s_own_price_comes_before_an_imported_one(
    fresh_store: Store, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await _unfinished(fresh_store, "guess")
    _change(fresh_store, run, price_in=0.0, price_out=0.0, max_calls=None)
    there = _carry(fresh_store, tmp_path)
    (tmp_path / "prices.toml").write_text('[models]\n"guess" = [2.0, 8.0]\n', "utf-8")
    monkeypatch.setenv("DCQ_PRICES", str(tmp_path / "prices.toml"))
    pick_up(there, QUIZ, [run], NO_TERMS)
    now = runs.load(there, run).plan
    assert (now.price_in, now.price_out) == (2.0, 8.0)


async def test_what_a_run_lost_elsewhere_stops_it_early_and_frees_nothing(
    fresh_store: Store, provider: Provider, tmp_path: Path
) -> None:
    run = await _unfinished(fresh_store)
    _change(fresh_store, run, lost_usd=1e9, max_calls=None)
    there = _carry(fresh_store, tmp_path)
    before = provider.counts[MODEL]
    pick_up(there, QUIZ, [run], Terms(budget_usd=BUDGET))
    ended = await go_on(there, run)
    assert "1e+09 of it kept for calls that left no answer" in ended.detail
    assert provider.counts[MODEL] == before


async def test_absurd_usage_in_several_replies_to_one_question_is_kept(
    fresh_store: Store, provider: Provider
) -> None:
    """A question may take several replies, each of which says what it used."""
    provider.usage = {"prompt_tokens": 1_000_000_000, "completion_tokens": 1_000_000_000}
    sample = samples.save(fresh_store, small_sample(4))
    quiz = freeze.freeze(fresh_store, sample, Kind.STANDARD, slot="A").quiz
    run, ended = await take(fresh_store, quiz, "endless-reasoning", Terms(concurrency=1))
    assert ended.event in {Event.FINISHED, Event.STOPPED}
    assert runs.spent(fresh_store, run).tokens_in >= 0
