"""Runs that are planned, asked or answered for a test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from dcq import settings
from dcq.asking import prepare
from dcq.asking.options import NO_TERMS, Options, Terms, Watch
from dcq.asking.plan import RunJob, carry_out, plan
from dcq.asking.task import Ended
from dcq.jobs.state import RunState, state_of
from dcq.models.endpoints import resolve
from dcq.quiz.method import QUIZ
from dcq.records import Answer, Outcome
from dcq.store import Store, runs
from dcq.store.answers import add_answers
from dcq.store.runs import Event

NOBODY = "tester@http://127.0.0.1:9/v1"  # named in a plan, never asked


async def take(
    store: Store, quiz_id: str, model: str, terms: Terms = NO_TERMS, *, logprobs: bool = False
) -> tuple[str, Ended]:
    """Plan a run and work it off against the provider; returns its id and how it ended."""
    endpoint = resolve(model, settings.load())
    run_id = prepare.plan_run(store, QUIZ, quiz_id, endpoint, terms)
    return run_id, await go_on(store, run_id, logprobs=logprobs)


async def go_on(
    store: Store,
    run_id: str,
    on_news: Callable[[str], None] = lambda sentence: None,
    *,
    logprobs: bool = False,
) -> Ended:
    """Work on a planned run."""
    endpoint = resolve(runs.load(store, run_id).plan.model, settings.load())
    job = RunJob(run_id, endpoint, QUIZ, logprobs)
    return await carry_out(store, job, Options(watch=Watch(on_news=on_news)))


async def carry_out_all(store: Store, run_ids: list[str]) -> list[Event]:
    jobs = [
        RunJob(run_id, resolve(runs.load(store, run_id).plan.model, settings.load()), QUIZ)
        for run_id in run_ids
    ]
    ended = await asyncio.gather(*(carry_out(store, job) for job in jobs))
    return [end.event for end in ended]


async def plan_all(
    store: Store, quiz_ids: list[str], models: list[str], terms: Terms, *, resume: bool = False
) -> list[str]:
    endpoints = [resolve(model, settings.load()) for model in models]
    return [
        run_id for run_id, _ in await plan(store, QUIZ, quiz_ids, endpoints, terms, resume=resume)
    ]


def wait_for(condition: Callable[[], object]) -> None:
    """Until it holds. Only a test that fails takes two minutes, however slow the machine is."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_until_ended(store: Store, run_ids: list[str]) -> set[RunState]:
    def states() -> set[RunState]:
        stored = [runs.load(store, run_id) for run_id in run_ids]
        return {state_of(store, run.id, run.event, run.at) for run in stored}

    wait_for(lambda: not any(state.live for state in states()))
    return states()


def answer(store: Store, quiz_id: str, tally: Mapping[str, int], model: str = NOBODY) -> str:
    """A run whose answers are known: so many of each letter, or of ``refused``, ``invalid`` or
    ``error``, in the order of the questions."""
    return answer_each(
        store, quiz_id, [letter for letter, count in tally.items() for _ in range(count)], model
    )


def answer_each(
    store: Store,
    quiz_id: str,
    letters: Sequence[str],
    model: str = NOBODY,
    logprobs: Mapping[int, Mapping[str, float]] | None = None,
) -> str:
    """As ``answer``, with the reply to each question, and log-probabilities by its position."""
    run_id = prepare.plan_run(store, QUIZ, quiz_id, resolve(model, settings.load()))
    kept = [
        replace(_answer(position, letter), logprobs=(logprobs or {}).get(position))
        for position, letter in enumerate(letters)
    ]
    add_answers(store, run_id, kept)
    return run_id


def _answer(position: int, letter: str) -> Answer:
    """A stored answer: a letter, ``refused``, ``invalid`` or ``error``."""
    without_letter = {o.value: o for o in (Outcome.ERROR, Outcome.REFUSED, Outcome.INVALID)}
    outcome = {"E": Outcome.NONE, **without_letter}.get(letter, Outcome.ANSWERED)
    named = None if letter in without_letter else letter
    return Answer(
        position, 1, outcome, named, "", letter, "", 1, 1, 0.1, 1, {}, None, datetime.now(UTC)
    )
