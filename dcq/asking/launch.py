"""Runs as processes of their own: started from the app, watched through the store.

A run started here is the same ``python -m dcq`` command that a person types. It outlives the
browser tab and the app; its key reaches it through the environment, never through its arguments.
"""

from __future__ import annotations

import asyncio
import itertools
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dcq.asking import exclusive, prepare
from dcq.asking.exclusive import Exclusive
from dcq.asking.options import DEFAULTS, NO_TERMS, Options, Terms
from dcq.asking.plan import plan_pairs
from dcq.asking.task import Method
from dcq.errors import AskedAlreadyError
from dcq.jobs import lock
from dcq.jobs.process import STARTING, spawn_for
from dcq.jobs.state import state_of
from dcq.store import Store, runs, sources
from dcq.store.runs import Event


def begin(
    store: Store,
    method: Method,
    subjects: Sequence[str],
    models: Sequence[str],
    options: Options = DEFAULTS,
) -> list[str]:
    """Plan and start a run for each subject and each model; see ``begin_pairs``."""
    return begin_pairs(store, method, list(itertools.product(subjects, models)), options)


def begin_pairs(
    store: Store,
    method: Method,
    pairs: Sequence[tuple[str, str]],
    options: Options = DEFAULTS,
) -> list[str]:
    """Plan one run for each pair of subject (a quiz, say) and model and start them all in one
    process; returns the run ids. If a model cannot be used or is being asked already, none is
    started."""
    resolved = [(subject, method.endpoint(model)) for subject, model in pairs]
    unique_pairs = list({(about, who.name): (about, who) for about, who in resolved}.values())
    with lock.wait_for(store, STARTING):
        for subject, endpoint in unique_pairs:
            exclusive.check_unasked(store, method.name, subject, endpoint)
            if method.exclusive is not None:
                about = method.propose(store, subject, endpoint.mode).sample_id
                method.exclusive.check_free(store, about, endpoint.name)
        planned = asyncio.run(
            plan_pairs(store, method, unique_pairs, options.terms, by_batch=options.by_batch)
        )
        _announce(store, method, [run_id for run_id, _ in planned])
    run_ids = [run_id for run_id, _ in planned]
    _start(store, method, run_ids, Terms(options.terms.limit), reuse=options.reuse)
    return run_ids


def begin_chains(
    store: Store,
    chain: Exclusive,
    subject: tuple[str, str],
    models: Sequence[str],
    plan_first: Callable[[], Mapping[str, str]],
    terms: Terms = NO_TERMS,
) -> None:
    """Start one process that asks each model a chain of runs (``dcq.asking.chain``). ``subject`` is
    the command, which finds in the store what there is to resume, and the sample that it is about.
    ``plan_first`` gives the first run of each model that has anything left to ask. Raises
    InputError, and starts nothing, if one of the models is busy with this sample, or if
    ``plan_first`` does."""
    command, sample_id = subject
    with chain.starting(store, sample_id, models):
        firsts = plan_first()
        for name, run_id in firsts.items():
            chain.announce(store, sample_id, name)
            exclusive.hand_over(store, run_id)
    if firsts:
        named = [word for name in firsts for word in ("--model", name)]
        _spawn(store, [command, sample_id, *named, "--resume"], list(firsts.values()), terms)


def resume(
    store: Store,
    method: Method,
    run_id: str,
    terms: Terms = NO_TERMS,
    *,
    all_of_it: bool = False,
) -> None:
    """Start a process that goes on with a run, to the end of its plan or, if ``all_of_it``, of its
    subject; ``terms`` may allow it more money and calls. Raises InputError if it is under way, and
    for a run of others."""
    sources.refuse_others(store, [run_id])
    with lock.wait_for(store, STARTING):
        stored = runs.load(store, run_id)
        endpoint = method.endpoint(stored.plan.model)
        exclusive.check_unasked(store, method.name, stored.plan.subject, endpoint, run_id)
        if is_live(store, run_id):
            raise AskedAlreadyError(f"Run {run_id} is under way; wait or cancel it.")
        if method.exclusive is not None:
            method.exclusive.check_free(store, stored.plan.sample_id, stored.plan.model)
        runs.note(store, run_id, Event.PLANNED)
        _announce(store, method, [run_id])
    limit = None
    if method.limited and not all_of_it:
        limit = prepare.planned_instances(store, method, run_id)
    _start(store, method, [run_id], replace(terms, limit=limit))


def is_live(store: Store, run_id: str) -> bool:
    """True while a process is at work on a run, or is about to be."""
    run = runs.load(store, run_id)
    return state_of(store, run.id, run.event, run.event_at).live


def _announce(store: Store, method: Method, run_ids: Sequence[str]) -> None:
    for run_id in run_ids:
        exclusive.hand_over(store, run_id)
    if method.exclusive is not None:
        for plan in (runs.load(store, run_id).plan for run_id in run_ids):
            method.exclusive.announce(store, plan.sample_id, plan.model)


def _start(
    store: Store, method: Method, run_ids: Sequence[str], terms: Terms, *, reuse: bool = False
) -> None:
    words = [
        *shlex.split(method.command),
        *(word for run_id in run_ids for word in ("--run", run_id)),
    ]
    _spawn(store, [*words, *(["--reuse"] if reuse else [])], run_ids, terms)


def _spawn(store: Store, words: Sequence[str], run_ids: Sequence[str], terms: Terms) -> None:
    arguments = list(words)
    for option, value in (
        ("--limit", terms.limit),
        ("--budget", terms.budget_usd),
        ("--max-calls", terms.max_calls),
    ):
        arguments += [option, str(value)] if value is not None else []
    spawn_for(store, run_ids, arguments)
