"""What is not reported, or lost on its way, is paid for all the same: budgets count it."""

from __future__ import annotations

from typing import Any

import pytest

from dcq import settings
from dcq.asking import batch, cost, prepare
from dcq.asking.cost import Cost
from dcq.asking.ledger import LEAST_USD, cost_usd, worst_cost_usd
from dcq.asking.options import NO_TERMS, Terms
from dcq.models.endpoints import resolve
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, quizzes, results, run_progress, runs, samples
from dcq.store.run_progress import RunProgress
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.asked import prompt_of
from tests.support.batches import BatchProvider
from tests.support.provider import FakeProvider
from tests.support.runs import go_on

pytestmark = pytest.mark.slow

MODEL = "gpt-4o-mini"  # its price is known
QUESTIONS = 40

USELESS: list[Any] = [
    None,
    {},
    [],
    "much",
    {"prompt_tokens": None, "completion_tokens": None},
    {"prompt_tokens": -300, "completion_tokens": -5},
    {"prompt_tokens": "300", "completion_tokens": "5"},
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": 3, "completion_tokens": 1},  # for half a thousand letters
    {"prompt_tokens": 1.5, "completion_tokens": True},
    {"prompt_tokens": 10**30, "completion_tokens": 10**30},
]


def plan_within(store: Store, calls: float, *, by_batch: bool = False) -> tuple[str, float]:
    """A run with a budget for so many calls at their worst; its id and that worst."""
    sample_id = samples.save(store, small_sample(QUESTIONS))
    quiz_id = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="A").quiz
    endpoint = resolve(MODEL, settings.load())
    plan = runs.load(
        store, prepare.plan_run(store, QUIZ, quiz_id, endpoint, NO_TERMS, by_batch=by_batch)
    ).plan
    quiz = quizzes.load(store, quiz_id)
    worst = max(worst_cost_usd(plan, prompt_of(plan, item), plan.max_tokens) for item in quiz.items)
    terms = Terms(budget_usd=calls * worst, concurrency=4)
    return prepare.plan_run(store, QUIZ, quiz_id, endpoint, terms, by_batch=by_batch), worst


def progress(store: Store, run_id: str) -> RunProgress:
    [run] = run_progress.progress(store, [run_id])
    return run


@pytest.mark.parametrize("usage", USELESS, ids=repr)
async def test_a_budget_holds_where_no_usage_is_reported(
    fresh_store: Store, provider: FakeProvider, usage: object
) -> None:
    provider.usage = usage
    run_id, worst = plan_within(fresh_store, 10)
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    calls = provider.counts[MODEL]
    print(f"usage {usage!r}: {calls} calls made of {QUESTIONS}")
    assert 8 <= calls <= 10 or (usage == USELESS[-1] and calls <= 10)
    run = progress(fresh_store, run_id)
    spent = Cost.of(run)
    assert spent is not None
    assert not spent.exact
    assert 0 < spent.least < calls * worst / 3
    assert spent.least < spent.most <= 10 * worst
    assert cost.words(spent).startswith("at least $")
    assert cost.bound(run) == "at most "
    with fresh_store.read() as db:
        reported = db.execute("SELECT DISTINCT usage_reported FROM answer").fetchall()
    assert reported == [(False,)]


async def test_what_a_call_took_beyond_its_limit_bounds_the_next_one(
    fresh_store: Store, provider: FakeProvider
) -> None:
    """Of this run or another of the model, in this process or the next."""
    provider.usage = {"prompt_tokens": 100, "completion_tokens": 5_000, "total_tokens": 5_100}
    run_id, _ = plan_within(fresh_store, 1)
    dear = cost_usd(runs.load(fresh_store, run_id).plan, 100, 5_000)
    for again in range(3):
        if again == 2:  # of the same model
            run_id, _ = plan_within(fresh_store, 1)
        runs.replan(
            fresh_store,
            run_id,
            items=QUESTIONS,
            budget_usd=(0.5 if again == 2 else 1.5) * dear,
            max_calls=None,
            concurrency=4,
        )
        ended = await go_on(fresh_store, run_id)
        assert ended.event is Event.STOPPED
        assert "are left of the budget; raise it and resume" in ended.detail
        assert provider.counts[MODEL] == 1


async def test_reported_usage_is_believed_and_shown_as_one_figure(
    fresh_store: Store, provider: FakeProvider
) -> None:
    run_id, worst = plan_within(fresh_store, 2 * QUESTIONS)
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    run = progress(fresh_store, run_id)
    spent = Cost.of(run)
    assert spent is not None
    assert spent.exact
    assert 0 < spent.most < QUESTIONS * worst / 2
    assert not cost.words(spent).startswith("at least")
    assert cost.bound(run) == ""


async def test_a_call_whose_reply_was_lost_keeps_its_reservation(
    fresh_store: Store, provider: FakeProvider
) -> None:
    provider.lose = 1_000
    run_id, worst = plan_within(fresh_store, 2.5)
    ended = await go_on(fresh_store, run_id)
    assert ended.event is Event.STOPPED
    assert "budget" in ended.detail
    print(f"{provider.counts[MODEL]} calls made, all lost, within a budget for 2.5")
    assert provider.counts[MODEL] == 2
    assert runs.spent(fresh_store, run_id).calls == 2
    spent = Cost.of(progress(fresh_store, run_id))
    assert spent is not None
    assert spent.most == pytest.approx(2 * worst, rel=0.05)
    assert spent.least == 0  # a lost reply may not be charged
    # The same again asks nothing: what was lost stays spent.
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    assert provider.counts[MODEL] == 2


async def test_one_lost_reply_is_counted_beside_the_one_that_came(
    fresh_store: Store, provider: FakeProvider
) -> None:
    provider.lose = 1
    run_id, worst = plan_within(fresh_store, 2 * QUESTIONS)
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert provider.counts[MODEL] == QUESTIONS + 1
    spent = Cost.of(progress(fresh_store, run_id))
    assert spent is not None
    assert 0.6 * worst < spent.most - spent.least < 2.1 * worst


async def test_money_for_calls_without_an_answer_outlives_the_file_of_the_ledger(
    fresh_store: Store, provider: FakeProvider
) -> None:
    run_id, worst = plan_within(fresh_store, 10)
    file = fresh_store.runs_folder / f"{run_id}.ledger"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"9 {9 * worst:.9f}")  # left by a process that was killed
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    assert "kept for calls that left no answer" in runs.load(fresh_store, run_id).detail
    file.unlink()
    spent = runs.spent(fresh_store, run_id)
    assert spent.lost_usd == pytest.approx(9 * worst, rel=0.01)
    asked = provider.counts[MODEL]
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    assert provider.counts[MODEL] == asked


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0}], ids=repr)
async def test_a_batch_counts_what_is_not_reported(
    fresh_store: Store, host: BatchProvider, usage: object
) -> None:
    host.usage = usage
    run_id, worst = plan_batch_within(fresh_store, 10)
    for _ in range(3):
        assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    print(f"{host.counts[MODEL]} calls and {host.lines} lines within a budget for 10")
    assert 2 * host.counts[MODEL] + host.lines <= 10  # a call costs twice what a line does
    assert most_usd(fresh_store, run_id) <= 10 * worst + LEAST_USD


async def test_a_batch_is_as_long_as_what_the_first_call_took_allows(
    fresh_store: Store, host: BatchProvider
) -> None:
    host.usage = {"prompt_tokens": 100, "completion_tokens": 5_000, "total_tokens": 5_100}
    run_id, _ = plan_batch_within(fresh_store, 1)
    plan = runs.load(fresh_store, run_id).plan
    budget = 5.5 * cost_usd(plan, 100, 5_000)  # the first call takes two of them
    runs.replan(
        fresh_store, run_id, items=QUESTIONS, budget_usd=budget, max_calls=None, concurrency=4
    )
    for _ in range(3):
        assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    assert 0 < host.lines <= 3
    assert most_usd(fresh_store, run_id) <= budget + LEAST_USD


async def test_a_budget_bears_first_replies_that_are_lost_before_a_batch(
    fresh_store: Store, host: BatchProvider
) -> None:
    host.lose = 1_000
    run_id, worst = plan_batch_within(fresh_store, 5)
    for _ in range(3):
        ended = await go_on(fresh_store, run_id)
        assert ended.event is Event.STOPPED
        assert "budget" in ended.detail
    assert (host.counts[MODEL], host.lines) == (2, 0)  # at the full price
    assert runs.spent(fresh_store, run_id).lost_usd == pytest.approx(4 * worst, rel=0.05)


async def test_a_budget_bears_the_lines_of_a_batch_that_are_lost(
    fresh_store: Store, host: BatchProvider
) -> None:
    host.fate.cut = True
    run_id, worst = plan_batch_within(fresh_store, 10)
    sent = []
    for _ in range(3):
        ended = await go_on(fresh_store, run_id)
        assert ended.event is Event.STOPPED
        assert "budget" in ended.detail
        sent.append(host.lines)
    print(f"{sent} lines sent after each resume within a budget for 10")
    assert 8 <= sent[0] == sent[1] == sent[2] <= 9
    assert most_usd(fresh_store, run_id) <= 10 * worst + LEAST_USD
    spent = runs.spent(fresh_store, run_id)
    assert sent[0] * 0.9 * worst <= spent.lost_usd <= 10 * worst
    assert spent.calls == host.counts[MODEL] + host.lines
    (fresh_store.runs_folder / f"{run_id}.ledger").unlink()  # the store knows it too
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    assert host.lines == sent[0]


async def test_a_cap_on_calls_counts_the_lines_that_are_lost(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    host.fate.cut = True
    endpoint = resolve("always-a", settings.load())
    run_id = prepare.plan_run(
        fresh_store, QUIZ, quiz_id, endpoint, Terms(max_calls=4), by_batch=True
    )
    for _ in range(3):
        ended = await go_on(fresh_store, run_id)
        assert ended.event is Event.STOPPED
    assert "4 calls" in ended.detail
    assert (host.counts["always-a"], host.lines) == (1, 3)


@pytest.mark.parametrize("status", ["expired", "cancelled", "failed"])
async def test_lines_that_a_batch_never_came_to_cost_nothing(
    fresh_store: Store, host: BatchProvider, status: str
) -> None:
    host.fate.status, host.fate.answered = status, 0.0
    run_id, worst = plan_batch_within(fresh_store, 10)
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    assert host.lines >= 8
    spent = runs.spent(fresh_store, run_id)
    assert (spent.calls, len(results.answers(fresh_store, run_id))) == (1, 1)
    assert spent.lost_usd < worst  # the direct call, whose other half the answer does not tell


@pytest.mark.parametrize("remembered", [True, False])
async def test_a_batch_under_way_has_its_money_set_aside_after_a_restart(
    fresh_store: Store, host: BatchProvider, monkeypatch: pytest.MonkeyPatch, *, remembered: bool
) -> None:
    monkeypatch.setattr(batch, "LEAVE_SECONDS", 0.1)
    host.fate.held = host.fate.deaf = True
    run_id, worst = plan_batch_within(fresh_store, 10)

    def stop(news: str) -> None:
        if "sent:" in news:
            raise KilledError

    with pytest.raises(KilledError):
        await go_on(fresh_store, run_id, stop)
    assert host.lines >= 8
    (fresh_store.runs_folder / f"{run_id}.ledger").unlink()
    assert runs.spent(fresh_store, run_id).lost_usd >= host.lines * 0.9 * worst
    if not remembered:  # as if killed before the id of the batch was noted
        with fresh_store.write() as db:
            query = "DELETE FROM run_event WHERE run_id = ? AND detail LIKE 'batch % sent:%'"
            db.execute(query, [run_id])
    host.fate.held = False
    lines = host.lines
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    # The answers took less than was set aside, so that more could be sent in a second batch.
    assert len(host.batches) == 2
    assert len(results.answers(fresh_store, run_id)) == 2 + host.lines
    assert host.lines > lines
    assert runs.spent(fresh_store, run_id).lost_usd < 2 * worst
    assert most_usd(fresh_store, run_id) <= 10 * worst + LEAST_USD


async def test_a_batch_that_is_not_taken_costs_nothing(
    fresh_store: Store, host: BatchProvider
) -> None:
    host.fate.refuse = 400
    run_id, worst = plan_batch_within(fresh_store, 10)
    assert (await go_on(fresh_store, run_id)).event is Event.STOPPED
    spent = runs.spent(fresh_store, run_id)
    assert (host.lines, spent.calls) == (0, 1)
    assert spent.lost_usd < worst


def test_bounds_that_read_the_same_are_one_figure() -> None:
    assert cost.words(Cost(1.2301, 1.2302)) == cost.words(Cost(1.23, 1.23))


class KilledError(Exception):
    """Ends a run where a signal would."""


def plan_batch_within(store: Store, calls: float) -> tuple[str, float]:
    """As ``plan_within``, asked by batch, at whose price the worst is."""
    return plan_within(store, calls, by_batch=True)


def most_usd(store: Store, run_id: str) -> float:
    spent = Cost.of(progress(store, run_id))
    assert spent is not None
    return spent.most
