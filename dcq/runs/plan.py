"""A plan: models and quizzes asked together, in one process, each provider at its own pace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.models.batch import BatchClient
from dcq.models.endpoints import Endpoint
from dcq.models.limits import Limits, pace_for
from dcq.runs import batch, prepare
from dcq.runs.calls import asking
from dcq.runs.journal import Journal
from dcq.runs.meter import CallMeter
from dcq.runs.prepare import Terms
from dcq.runs.worker import Ended, work
from dcq.store import Store, runs


@dataclass(frozen=True)
class Job:
    """A planned run and who answers it. ``logprobs`` asks for those of the letters."""

    run: str
    endpoint: Endpoint
    logprobs: bool = False


async def plan(
    store: Store,
    quiz_id: str,
    endpoint: Endpoint,
    terms: Terms,
    *,
    resume: bool = False,
    by_batch: bool = False,
) -> str:
    """Keep a new run, or, to ``resume``, find the newest of this quiz and model; returns its id.

    Raises InputError where a run that is asked directly is to be gone on with by batch.
    """
    run_id = runs.newest(store, quiz_id, endpoint.name) if resume else None
    if run_id is None:
        if by_batch:
            return await batch.plan_run(store, quiz_id, endpoint, terms)
        return prepare.plan_run(store, quiz_id, endpoint, terms)
    if by_batch and not batch.is_batch(store, run_id):
        raise InputError(
            f"Run {run_id} is not asked by batch; resume it without --batch, or leave --resume out "
            "to start a new one."
        )
    prepare.amend(store, run_id, terms)
    return run_id


async def carry_out(
    store: Store,
    job: Job,
    *,
    limits: Limits | None = None,
    cancelled: asyncio.Event | None = None,
    on_answers: Callable[[int], None] = lambda count: None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> Ended:
    """Work off one run of a plan; several at once share the pace of their provider.

    ``limits`` are those of the provider, its usual ones if None. ``cancelled`` may be set from
    outside; ``on_answers`` hears how many answers were just kept, ``on_news`` what becomes of a
    batch. Raises InputError if another process is at work on the run.
    """
    run_plan = runs.load(store, job.run).plan
    pace = pace_for(job.endpoint, run_plan.concurrency, limits)
    journal = Journal(store, job.run, pace)
    meter = CallMeter(run_plan.max_calls, runs.calls_made(store, job.run))
    async with asking(
        job.endpoint,
        temperature=run_plan.temperature,
        max_tokens=run_plan.max_tokens,
        logprobs=job.logprobs,
        pace=pace,
        on_call=meter.take,
        on_retry=journal.retry,
    ) as ask:
        if not batch.is_batch(store, job.run):
            return await work(
                store, job.run, ask, cancelled=cancelled, on_answers=on_answers, journal=journal
            )

        def tell(news: str) -> None:
            on_news(news)
            journal.write("news", detail=news)

        async with BatchClient(job.endpoint) as client:
            return await batch.work(
                store,
                job.run,
                ask,
                client,
                cancelled=cancelled,
                on_answers=on_answers,
                on_news=tell,
            )
