"""The caps on calls and on money."""

from __future__ import annotations

import asyncio
import math
import os
import signal

import pytest

from dcq.asking import launch
from dcq.asking.ledger import cost_usd
from dcq.asking.options import Options, Terms
from dcq.asking.plan import RunJob, carry_out
from dcq.asking.purse import Purse
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, results, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import carry_out_all, plan_all, wait_for

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("model", ["always-a", "rate-limited", "flaky-500"])
async def test_a_cap_on_calls_holds_whatever_they_bring(
    fresh_store: Store, provider: FakeProvider, model: str
) -> None:
    sample_id = samples.save(fresh_store, small_sample(30))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
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


def kill_with_eight_in_flight(
    store: Store, provider: FakeProvider, model: str, terms: Terms
) -> str:
    """A run of 60 questions whose process is killed; its id."""
    sample_id = samples.save(store, small_sample(60))
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="A").quiz
    provider.answers_at_most = 9  # the first goes alone, then eight at once
    [run_id] = launch.begin(store, QUIZ, [quiz], [model], Options(terms))
    wait_for(lambda: provider.counts[model] >= 17)  # the next eight
    holder = lock.holder(store, run_id)
    assert holder is not None
    os.kill(holder, signal.SIGKILL)
    wait_for(lambda: not lock.is_held(store, run_id))
    provider.answers_at_most = math.inf
    return run_id


@pytest.mark.usefixtures("forked")
def test_a_cap_counts_calls_whose_process_was_killed(
    fresh_store: Store, provider: FakeProvider
) -> None:
    terms = Terms(max_calls=25, concurrency=8)
    run_id = kill_with_eight_in_flight(fresh_store, provider, "always-a", terms)
    assert asyncio.run(carry_out_all(fresh_store, [run_id])) == [Event.STOPPED]
    assert runs.spent(fresh_store, run_id).calls == 25
    assert provider.counts["always-a"] <= 25  # one may have been counted and not sent


@pytest.mark.usefixtures("forked")
def test_a_budget_bears_calls_whose_process_was_killed(
    fresh_store: Store, provider: FakeProvider
) -> None:
    terms = Terms(budget_usd=0.001, concurrency=8)
    run_id = kill_with_eight_in_flight(fresh_store, provider, "gpt-4o-mini", terms)
    assert asyncio.run(carry_out_all(fresh_store, [run_id])) == [Event.STOPPED]
    plan, kept = runs.load(fresh_store, run_id).plan, results.answers(fresh_store, run_id)
    assert len(kept) > 8
    assert "kept for calls that left no answer" in runs.load(fresh_store, run_id).detail
    cheapest = cost_usd(plan, int(kept["tokens_in"].min()), int(kept["tokens_out"].min()))
    assert 0 < provider.counts["gpt-4o-mini"] * cheapest <= 0.001


async def test_a_count_that_cannot_be_read_or_written_ends_no_run(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["always-a"], Terms(max_calls=4))
    file = fresh_store.runs_folder / f"{run_id}.ledger"
    file.parent.mkdir(exist_ok=True)
    file.write_text("not a number")
    assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert int(file.read_text().split()[0]) == provider.counts["always-a"] == 4
    file.unlink()
    file.mkdir()
    await plan_all(fresh_store, [quiz_id], ["always-a"], Terms(max_calls=9), resume=True)
    assert await carry_out_all(fresh_store, [run_id]) == [Event.FINISHED]
    assert provider.counts["always-a"] == 6


def test_a_cap_of_no_calls_is_a_mistake() -> None:
    with pytest.raises(InputError, match="give 1 to"):
        Terms(max_calls=0)


async def test_a_cap_that_the_last_question_hits_stops_the_run(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["flaky-500"], Terms(limit=1, max_calls=1))
    assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert "1 calls" in runs.load(fresh_store, run_id).detail


async def test_calls_that_leave_no_answer_count_when_a_run_is_resumed(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["quota"], Terms(max_calls=2))
    for _ in range(4):
        assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert provider.counts.total() == 2
    assert runs.spent(fresh_store, run_id).calls == 2


async def test_a_cap_on_calls_holds_for_the_options_that_are_scored(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    [run_id] = await plan_all(fresh_store, [quiz_id], ["likelihood:scores"], Terms(max_calls=6))
    for _ in range(2):
        assert await carry_out_all(fresh_store, [run_id]) == [Event.STOPPED]
    assert 4 <= provider.counts.total() <= 6
    # A question that the cap cut short is an error, whose calls were made all the same.
    first, *cut_short = results.answers(fresh_store, run_id)["outcome"]
    assert first != "error"
    assert set(cut_short) <= {"error"}


async def test_runs_that_share_a_budget_never_pass_it_together(
    fresh_store: Store, provider: FakeProvider
) -> None:
    """Each alone would fit."""
    quizzes = [
        freeze.freeze(
            fresh_store,
            samples.save(fresh_store, small_sample(40, key=key)),
            QuizKind.STANDARD,
            slot="A",
        ).quiz
        for key in ("rivers", "seas")
    ]
    provider.latency = 0.01
    planned = await plan_all(fresh_store, quizzes, ["gpt-4o-mini"], Terms(concurrency=4))
    purse = Purse(0.0008, spent_usd=0.0001)
    options = Options(purse=purse)
    ended = await asyncio.gather(
        *(
            carry_out(fresh_store, RunJob(run, QUIZ.endpoint("gpt-4o-mini"), QUIZ), options)
            for run in planned
        )
    )
    assert {end.event for end in ended} == {Event.STOPPED}
    assert all("left of the budget" in end.detail for end in ended)
    spent = sum(
        cost_usd(
            runs.load(fresh_store, run).plan,
            int(answers["tokens_in"].sum()),
            int(answers["tokens_out"].sum()),
        )
        for run in planned
        for answers in [results.answers(fresh_store, run)]
    )
    assert 0 < spent <= 0.0007
    assert 0 < provider.counts["gpt-4o-mini"] < 80
