"""A plan: models and quizzes asked together, in one process, each provider at its own pace."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from dcq import settings
from dcq.asking import batch, prepare
from dcq.asking.ledger import Ledger, open_ledger
from dcq.asking.prepare import Terms
from dcq.asking.task import Ended, Method, Task
from dcq.asking.worker import work
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.journal import Journal
from dcq.models.batch import BatchClient, probe
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.hooks import Hooks
from dcq.models.pacing.limits import Limits, pace_for
from dcq.records import Answer, Ask
from dcq.store import Store, looks, runs
from dcq.store.runs import Plan


@dataclass(frozen=True)
class Job:
    """A planned run, who answers it, and what kind of run it is. ``logprobs`` asks for those of the
    first token's candidates."""

    run: str
    endpoint: Endpoint
    method: Method
    logprobs: bool = False


def resolve_all(models: Iterable[str]) -> list[Endpoint]:
    """The endpoints that are meant, each once however it was spelt."""
    found = (resolve(model, settings.load()) for model in models)
    return list({endpoint.name: endpoint for endpoint in found}.values())


async def plan(
    store: Store,
    method: Method,
    subjects: Iterable[str],
    endpoints: Sequence[Endpoint],
    terms: Terms,
    *,
    resume: bool = False,
    by_batch: bool = False,
) -> list[tuple[str, Endpoint]]:
    """As ``plan_pairs``, each subject to each model, subject by subject."""
    pairs = list(itertools.product(subjects, endpoints))
    return await plan_pairs(store, method, pairs, terms, resume=resume, by_batch=by_batch)


async def plan_pairs(
    store: Store,
    method: Method,
    pairs: Sequence[tuple[str, Endpoint]],
    terms: Terms,
    *,
    resume: bool = False,
    by_batch: bool = False,
) -> list[tuple[str, Endpoint]]:
    """Keep a run for each pair of subject (a quiz, say) and model; to ``resume``, take the newest
    that there is of each. Returns their ids with who answers.

    Raises InputError if one of them cannot be asked so, before any is kept.
    """
    wanted = [
        (subject, endpoint, _newest(store, method, subject, endpoint) if resume else None)
        for subject, endpoint in pairs
    ]
    for subject, endpoint, known in wanted:
        allowed = prepare.allow(runs.load(store, known).plan, terms) if known else terms
        prepare.check(store, method, subject, endpoint, allowed)
        if terms.sequential:
            _check_looks(store, method, subject, endpoint, known, by_batch=by_batch)
        if by_batch and known and not runs.load(store, known).plan.by_batch:
            raise InputError(
                f"Run {known} is not asked by batch; resume it without --batch, or leave --resume "
                "out to start a new one."
            )
    if by_batch:
        for endpoint in {endpoint.name: endpoint for _, endpoint in pairs}.values():
            await probe(endpoint)
    planned = []
    for subject, endpoint, known in wanted:
        if known is not None:
            _amend(store, method, known, endpoint, terms)
        run_id = known or prepare.plan_run(
            store, method, subject, endpoint, terms, by_batch=by_batch
        )
        if terms.sequential and run_id not in looks.planned(store, [run_id]):
            method.plan_looks(store, run_id, endpoint, futility=terms.stop_for_futility)
        planned.append((run_id, endpoint))
    return planned


def _newest(store: Store, method: Method, subject: str, endpoint: Endpoint) -> str | None:
    return runs.newest(store, subject, endpoint.name, method=method.name)


def _check_looks(
    store: Store,
    method: Method,
    subject: str,
    endpoint: Endpoint,
    known: str | None,
    *,
    by_batch: bool,
) -> None:
    if by_batch:
        raise InputError("A batch answers all at once, so there is no looking early: not both.")
    method.check_looks(store, subject, endpoint)
    if known and known not in looks.planned(store, [known]):
        looks.check_unasked(store, known)


def pick_up(
    store: Store, method: Method, run_ids: Iterable[str], terms: Terms
) -> list[tuple[str, Endpoint]]:
    """Fit kept runs to what is asked now; returns their ids with who answers.

    Raises InputError if one of them cannot be asked so, before any is changed.
    """
    found = [runs.load(store, run_id) for run_id in dict.fromkeys(run_ids)]
    endpoints = [method.endpoint(run.plan.model) for run in found]
    for run, endpoint in zip(found, endpoints, strict=True):
        if run.plan.method != method.name:
            raise InputError(
                f"Run {run.id} is no {method.name} run but a {run.plan.method} run; it is resumed "
                "by the command that started it."
            )
        prepare.check(store, method, run.plan.subject, endpoint, prepare.allow(run.plan, terms))
    for run, endpoint in zip(found, endpoints, strict=True):
        _amend(store, method, run.id, endpoint, terms)
    return [(run.id, endpoint) for run, endpoint in zip(found, endpoints, strict=True)]


def _amend(store: Store, method: Method, run_id: str, endpoint: Endpoint, terms: Terms) -> None:
    if not lock.held(store, run_id):  # whoever holds it has begun
        prepare.amend(store, method, run_id, endpoint, terms)


async def carry_out(
    store: Store,
    job: Job,
    *,
    limits: Limits | None = None,
    spent_elsewhere: float = 0.0,
    cancelled: asyncio.Event | None = None,
    on_answers: Callable[[int], None] = lambda count: None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> Ended:
    """Work off one run of a plan; several at once share the pace of their provider.

    ``limits`` are those of the provider, its usual ones if None; ``spent_elsewhere`` (USD) is what
    other runs have taken of its budget. ``cancelled`` may be set from outside; ``on_answers`` hears
    how many answers were just kept, ``on_news`` what becomes of a batch. Raises InputError if
    another process is at work on the run.
    """
    with lock.hold(store, job.run):
        # Read now that nobody else is at work on it.
        run_plan = _with_less(runs.load(store, job.run).plan, spent_elsewhere)
        pace = pace_for(job.endpoint, run_plan.concurrency, limits, store.runs_folder)
        journal = Journal(store, job.run, pace)
        with open_ledger(store, job.run, run_plan) as ledger:
            hooks = Hooks(pace, ledger.check, ledger.count_call, journal.retry)
            task = job.method.reopen(store, run_plan)
            await asyncio.to_thread(job.method.on_stored, store, task, None)
            async with job.method.asking(
                job.endpoint, run_plan, task, logprobs=job.logprobs, hooks=hooks
            ) as ask:
                return await _work(
                    store,
                    job,
                    task,
                    ask,
                    ledger,
                    journal,
                    cancelled,
                    on_answers,
                    on_news,
                    by_batch=run_plan.by_batch,
                )


def _with_less(plan: Plan, usd: float) -> Plan:
    """The plan with ``usd`` less of a budget, if it has one."""
    return replace(plan, budget_usd=plan.budget_usd - usd) if plan.budget_usd is not None else plan


async def _work(
    store: Store,
    job: Job,
    task: Task,
    ask: Ask,
    ledger: Ledger,
    journal: Journal,
    cancelled: asyncio.Event | None,
    on_answers: Callable[[int], None],
    on_news: Callable[[str], None],
    *,
    by_batch: bool,
) -> Ended:
    stages = job.method.stages(store, job.run, task, journal.write)

    def on_stored(answers: Collection[Answer] | None) -> None:
        job.method.on_stored(store, task, answers)

    if not by_batch:
        return await work(
            store,
            job.run,
            task,
            ask,
            ledger=ledger,
            cancelled=cancelled,
            on_answers=on_answers,
            journal=journal,
            stages=stages,
            on_stored=on_stored,
        )

    def tell(news: str) -> None:
        on_news(news)
        journal.write("news", detail=news)

    async with BatchClient(job.endpoint) as client:
        return await batch.work(
            store,
            job.run,
            task,
            ask,
            client,
            ledger,
            cancelled=cancelled,
            on_answers=on_answers,
            on_news=tell,
            stages=stages,
            on_stored=on_stored,
        )
