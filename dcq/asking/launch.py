"""Runs as processes of their own: started from the app, watched through the store.

A run started here is the same ``python -m dcq`` command that a person types. It outlives the
browser tab and the app; its key reaches it through the environment, never through its arguments.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace

from dcq.asking.plan import plan_pairs
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.asking.task import Method
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.process import STARTING, spawn_for
from dcq.jobs.state import state_of
from dcq.store import Store, runs
from dcq.store.runs import Event


def begin(
    store: Store,
    method: Method,
    subjects: Sequence[str],
    models: Sequence[str],
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    by_batch: bool = False,
) -> list[str]:
    """As ``begin_pairs``, each subject to each model."""
    pairs = list(itertools.product(subjects, models))
    return begin_pairs(store, method, pairs, terms, reuse=reuse, by_batch=by_batch)


def begin_pairs(
    store: Store,
    method: Method,
    pairs: Sequence[tuple[str, str]],
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    by_batch: bool = False,
) -> list[str]:
    """Plan one run for each pair of subject (a quiz, say) and model and start them all in one
    process, or, if a model cannot be used, none; returns the run ids. ``reuse`` takes stored
    answers to identical requests."""
    resolved = [(subject, method.endpoint(model)) for subject, model in pairs]
    wanted = list({(about, who.name): (about, who) for about, who in resolved}.values())
    with lock.wait_for(store, STARTING):
        for subject, endpoint in wanted:
            newest = runs.newest(store, subject, endpoint.name, method=method.name)
            known = newest and runs.load(store, newest)
            if known and state_of(store, known.id, known.event, known.event_at).live:
                raise InputError(
                    f"{endpoint.name} is being asked this already (run {newest}); "
                    "wait or cancel it."
                )
        planned = asyncio.run(plan_pairs(store, method, wanted, terms, by_batch=by_batch))
    run_ids = [run_id for run_id, _ in planned]
    _start(store, method, run_ids, Terms(terms.limit), reuse=reuse)
    return run_ids


def resume(
    store: Store,
    method: Method,
    run_id: str,
    terms: Terms = NO_TERMS,
    *,
    all_of_it: bool = False,
) -> None:
    """Go on with a run, to the end of its plan or, if ``all_of_it``, of its subject; ``terms`` may
    allow it more money and calls. Raises InputError if it is under way."""
    with lock.wait_for(store, STARTING):
        stored = runs.load(store, run_id)
        method.endpoint(stored.plan.model)
        if state_of(store, run_id, stored.event, stored.event_at).live:
            raise InputError(f"Run {run_id} is under way; wait or cancel it.")
        runs.note(store, run_id, Event.PLANNED)
    # A limit below the plan takes nothing from it: 1 means "no more than was planned".
    _start(store, method, [run_id], replace(terms, limit=None if all_of_it else 1))


def _start(
    store: Store, method: Method, run_ids: Sequence[str], terms: Terms, *, reuse: bool = False
) -> None:
    words = [*method.command.split(), *(word for run_id in run_ids for word in ("--run", run_id))]
    words += ["--reuse"] if reuse else []
    for option, value in (
        ("--limit", terms.limit),
        ("--budget", terms.budget_usd),
        ("--max-calls", terms.max_calls),
    ):
        words += [option, str(value)] if value is not None else []
    spawn_for(store, run_ids, words)
