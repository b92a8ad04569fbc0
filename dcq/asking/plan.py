"""Models and quizzes asked together, in one process, each provider at its own pace."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dcq import settings
from dcq.asking import batch, exclusive, prepare, worker
from dcq.asking.give_up import explain_unusable
from dcq.asking.ledger import explain_prices, open_ledger
from dcq.asking.options import DEFAULTS, Options, Terms
from dcq.asking.reuse import reuse_answers
from dcq.asking.session import Session
from dcq.asking.task import Ended, Method
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.journal import Journal
from dcq.models.batch import BatchClient, probe
from dcq.models.endpoints import Endpoint, exposed_key, resolve
from dcq.models.hooks import Hooks
from dcq.models.pacing.limits import pace_for
from dcq.store import Store, looks, runs, sources
from dcq.store.answers import answered_and_failed, lost_reasons, were_given_room
from dcq.store.private_wordings import private_texts
from dcq.store.runs import Event, Plan


@dataclass(frozen=True)
class Spending:
    """Money and calls that runs have taken."""

    usd: float = 0.0
    calls: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.usd + other.usd, self.calls + other.calls)


NOTHING_SPENT = Spending()
FINISHED = Ended(Event.FINISHED, "")


@dataclass(frozen=True)
class RunJob:
    """A planned run, the endpoint that answers it, and its method. ``logprobs`` asks for the
    log-probabilities of the first token's candidates."""

    run: str
    endpoint: Endpoint
    method: Method
    logprobs: bool = False


def resolve_all(models: Iterable[str]) -> list[Endpoint]:
    """The endpoints of model names; different spellings of one name give one endpoint."""
    endpoints = (resolve(model, settings.load()) for model in models)
    return list({endpoint.name: endpoint for endpoint in endpoints}.values())


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
    """Plan each subject with each model, subject by subject; see ``plan_pairs``."""
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
    """Keep a run for each pair of subject (a quiz, say) and model; with ``resume``, take the newest
    existing run of each pair. Returns the run ids with their endpoints.

    Raises InputError if one of them cannot be asked, or is being asked, before any is kept.
    """
    candidates = [
        (subject, endpoint, _newest(store, method, subject, endpoint) if resume else None)
        for subject, endpoint in pairs
    ]
    for subject, endpoint, newest in candidates:
        if newest is not None:
            prepare.check_limit(store, method, newest, terms)
        allowed = prepare.allow(runs.load(store, newest).plan, terms) if newest else terms
        prepare.check(store, method, subject, endpoint, allowed)
        if terms.sequential:
            _check_looks(store, method, subject, endpoint, newest, by_batch=by_batch)
        if by_batch and newest and not runs.load(store, newest).plan.by_batch:
            raise InputError(
                f"Run {newest} is not asked by batch; resume it without --batch, or leave --resume "
                "out to start a new one."
            )
    if by_batch:
        for endpoint in {endpoint.name: endpoint for _, endpoint in pairs}.values():
            await probe(endpoint)
    planned = []
    with exclusive.claiming(store):
        for subject, endpoint, newest in candidates:
            exclusive.check_unasked(store, method.name, subject, endpoint, newest or "")
        for subject, endpoint, newest in candidates:
            if newest is not None:
                _amend(store, method, newest, endpoint, terms)
            run_id = newest or prepare.plan_run(
                store, method, subject, endpoint, terms, by_batch=by_batch
            )
            if terms.sequential and run_id not in looks.plans_of(store, [run_id]):
                method.plan_looks(store, run_id, endpoint, futility=terms.stop_for_futility)
            planned.append((run_id, endpoint))
    return planned


def _newest(store: Store, method: Method, subject: str, endpoint: Endpoint) -> str | None:
    return runs.newest_run(store, method.name, endpoint.name, subject=subject)


def _check_looks(
    store: Store,
    method: Method,
    subject: str,
    endpoint: Endpoint,
    newest: str | None,
    *,
    by_batch: bool,
) -> None:
    if by_batch:
        raise InputError("A batch answers all at once, so there is no looking early: not both.")
    method.check_looks(store, subject, endpoint)
    if newest and newest not in looks.plans_of(store, [newest]):
        looks.check_no_answers(store, newest)


def pick_up(
    store: Store,
    method: Method,
    run_ids: Iterable[str],
    terms: Terms,
    *,
    at_least: bool = False,
) -> list[tuple[str, Endpoint]]:
    """Adapt stored runs to the present terms; returns their ids with their endpoints. ``at_least``:
    they may have been planned for more than the limit.

    Raises InputError if one of them cannot be asked, before any is changed.
    """
    run_ids = list(dict.fromkeys(run_ids))
    sources.refuse_others(store, run_ids)
    stored_runs = [runs.load(store, run_id) for run_id in run_ids]
    endpoints = [method.endpoint(run.plan.model) for run in stored_runs]
    for run, endpoint in zip(stored_runs, endpoints, strict=True):
        if run.plan.method != method.name:
            raise InputError(
                f"Run {run.id} is no {method.name} run but a {run.plan.method} run; it is resumed "
                "by the command that started it."
            )
        if not at_least:
            prepare.check_limit(store, method, run.id, terms)
        prepare.check(store, method, run.plan.subject, endpoint, prepare.allow(run.plan, terms))
    for run, endpoint in zip(stored_runs, endpoints, strict=True):
        _amend(store, method, run.id, endpoint, terms)
    return [(run.id, endpoint) for run, endpoint in zip(stored_runs, endpoints, strict=True)]


def _amend(store: Store, method: Method, run_id: str, endpoint: Endpoint, terms: Terms) -> None:
    if not lock.is_held(store, run_id):  # whoever holds it has begun
        prepare.amend(store, method, run_id, endpoint, terms)


async def carry_out(
    store: Store,
    job: RunJob,
    options: Options = DEFAULTS,
    *,
    spent_elsewhere: Spending = NOTHING_SPENT,
) -> Ended:
    """Ask one planned run to its end; several at once share the pace of their provider.
    ``spent_elsewhere`` is what other runs have taken of its budget and its calls.

    Raises AskedAlreadyError if another process is at work on the run, or asks the same in another,
    and InputError for a run of others.
    """
    sources.refuse_others(store, [job.run])
    with store.keep_open(), _begun(store, job):
        # Read now that nobody else is at work on it.
        run_plan = _with_less(runs.load(store, job.run).plan, spent_elsewhere)
        limits = options.limits.or_else(job.method.limits(job.endpoint))
        pace = pace_for(job.endpoint, run_plan.concurrency, limits, store.runs_folder)
        journal = Journal(store, job.run, pace)
        if told := exposed_key(job.endpoint):
            options.watch.on_news(told)
            journal.write("news", detail=told)
        with open_ledger(store, job.run, run_plan, options.purse) as ledger:
            if told := explain_prices(run_plan, runs.spent(store, job.run), ledger.usd):
                options.watch.on_news(told)
                journal.write("prices", detail=told)
            task = job.method.reopen(store, run_plan)
            prepare.check_private(store, job.method, job.endpoint, task, run_plan.items)
            private = (private_texts(store),)
            hooks = Hooks(pace, ledger.check, ledger.count_call, journal.retry, private)
            await asyncio.to_thread(job.method.on_stored, store, job.run, task, None)
            thinks = were_given_room(store, run_plan.model, run_plan.base_url)
            endpoint = replace(job.endpoint, thinks=thinks)
            async with job.method.asking(
                endpoint, run_plan, task, logprobs=job.logprobs, hooks=hooks
            ) as ask:
                session = Session(
                    store,
                    job.run,
                    task,
                    ask,
                    ledger,
                    journal,
                    watch=options.watch,
                    stages=job.method.stages(store, job.run, task, journal.write),
                    on_stored=partial(job.method.on_stored, store, job.run, task),
                )
                return await _work(session, job.endpoint, hooks, by_batch=run_plan.by_batch)


@contextlib.contextmanager
def _begun(store: Store, job: RunJob) -> Iterator[None]:
    """Hold the lock of a run, if nobody asks the same in another."""
    with contextlib.ExitStack() as held:
        with exclusive.claiming(store):
            held.enter_context(lock.hold(store, job.run))
            subject = runs.load(store, job.run).plan.subject
            exclusive.check_unasked(store, job.method.name, subject, job.endpoint, job.run)
        yield


def _with_less(plan: Plan, spent: Spending) -> Plan:
    """The plan with so much less of a budget and a cap on calls, where it has them."""
    budget, calls = plan.budget_usd, plan.max_calls
    return replace(
        plan,
        budget_usd=None if budget is None else budget - spent.usd,
        max_calls=None if calls is None else calls - spent.calls,
    )


async def _work(session: Session, endpoint: Endpoint, hooks: Hooks, *, by_batch: bool) -> Ended:
    if not by_batch:
        return await worker.work(session)

    def tell(news: str) -> None:
        session.watch.on_news(news)
        if session.journal is not None:
            session.journal.write("news", detail=news)

    watch = replace(session.watch, on_news=tell)
    async with BatchClient(endpoint, hooks=Hooks(private=hooks.private)) as client:
        return await batch.work(replace(session, watch=watch), client)


async def ask_rest(
    store: Store,
    job: RunJob,
    options: Options = DEFAULTS,
    *,
    name: str = "",
    spent_elsewhere: Spending = NOTHING_SPENT,
) -> Ended:
    """Ask what is left of one run; stored answers are reused first where that was allowed. ``name``
    is the run's name for whoever watches. Raises InputError as ``carry_out``."""
    stored = runs.load(store, job.run)
    done, _ = answered_and_failed(store, job.run)
    if options.reuse and len(done) < stored.plan.items:
        reused = reuse_answers(store, job.method, job.run, logprobs=job.logprobs)
        options.watch.on_news(
            f"{reused} replies are reused from earlier runs; the rest is asked "
            f"(run {job.run} of {job.endpoint.name})."
        )
        done, _ = answered_and_failed(store, job.run)
    is_held = lock.is_held(
        store, job.run
    )  # whoever has it may be asked for more than the plan says
    ended = FINISHED
    if len(done) < stored.plan.items or stored.event is not Event.FINISHED or is_held:
        options.watch.on_run(name or job.endpoint.name, len(done), stored.plan.items)
        ended = await carry_out(store, job, options, spent_elsewhere=spent_elsewhere)
    if ended.event is not Event.FINISHED:
        return ended
    return replace(ended, unusable=explain_unusable(lost_reasons(store, job.run)))
