"""Runs as processes of their own: started from the app, watched through the store.

A run started here is the same ``python -m dcq run`` that a person types. It outlives the browser
tab and the app; its key reaches it through the environment, never through its arguments.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import IO

from dcq import settings
from dcq.errors import DcqError, InputError
from dcq.models.endpoints import resolve
from dcq.places import PROCESS_FOLDER, PYTHON
from dcq.runs import lock
from dcq.runs.lock import writing
from dcq.runs.plan import plan_pairs
from dcq.runs.prepare import NO_TERMS, Terms
from dcq.runs.state import START_SECONDS as START_SECONDS
from dcq.runs.state import State as State
from dcq.runs.state import state as state
from dcq.store import Store, runs
from dcq.store.runs import Event

STARTING = "starting"  # the name of the lock that lets one start at a time


def begin(
    store: Store,
    quiz_ids: Sequence[str],
    models: Sequence[str],
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    by_batch: bool = False,
) -> list[str]:
    """As ``begin_pairs``, each quiz to each model."""
    pairs = list(itertools.product(quiz_ids, models))
    return begin_pairs(store, pairs, terms, reuse=reuse, by_batch=by_batch)


def begin_pairs(
    store: Store,
    pairs: Sequence[tuple[str, str]],
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    by_batch: bool = False,
) -> list[str]:
    """Plan one run for each pair of quiz and model and start them all in one process, or, if a
    model cannot be used, none; returns the run ids. ``reuse`` takes stored answers to identical
    requests."""
    resolved = [(quiz_id, resolve(model, settings.load())) for quiz_id, model in pairs]
    wanted = list({(quiz, endpoint.name): (quiz, endpoint) for quiz, endpoint in resolved}.values())
    with lock.wait_for(store, STARTING):
        for quiz_id, endpoint in wanted:
            newest = runs.newest(store, quiz_id, endpoint.name)
            known = newest and runs.load(store, newest)
            if known and state(store, known.id, known.event, known.at).live:
                raise InputError(
                    f"{endpoint.name} is taking this quiz already (run {newest}); "
                    "wait or cancel it."
                )
        planned = asyncio.run(plan_pairs(store, wanted, terms, by_batch=by_batch))
    run_ids = [run_id for run_id, _ in planned]
    _start(store, run_ids, Terms(terms.limit), reuse=reuse)
    return run_ids


def resume(store: Store, run_id: str, terms: Terms = NO_TERMS, *, all_of_it: bool = False) -> None:
    """Go on with a run, to the end of its plan or, if ``all_of_it``, of its quiz; ``terms`` may
    allow it more money and calls. Raises InputError if it is under way."""
    with lock.wait_for(store, STARTING):
        stored = runs.load(store, run_id)
        resolve(stored.plan.model, settings.load())
        if state(store, run_id, stored.event, stored.at).live:
            raise InputError(f"Run {run_id} is under way; wait or cancel it.")
        runs.note(store, run_id, Event.PLANNED)
    # A limit below the plan takes nothing from it: 1 means "no more than was planned".
    _start(store, [run_id], replace(terms, limit=None if all_of_it else 1))


def _start(store: Store, run_ids: Sequence[str], terms: Terms, *, reuse: bool = False) -> None:
    words = ["run", *(word for run_id in run_ids for word in ("--run", run_id))]
    words += ["--reuse"] if reuse else []
    for option, value in (
        ("--limit", terms.limit),
        ("--budget", terms.budget_usd),
        ("--max-calls", terms.max_calls),
    ):
        words += [option, str(value)] if value is not None else []
    spawn_for(store, run_ids, words)


def spawn_for(store: Store, run_ids: Sequence[str], words: Sequence[str]) -> None:
    """Start a process that works on these runs, which share its output; if it cannot be started,
    they are stopped with the reason, which is raised."""
    first, *others = [store.runs_folder / f"{run_id}.log" for run_id in run_ids]
    try:
        with writing(store):
            store.runs_folder.mkdir(parents=True, exist_ok=True)
            if first.is_symlink():  # it shared a process before, and now has one of its own
                first.unlink()
            for other in others:  # they share a process, and so its output
                other.unlink(missing_ok=True)
                other.symlink_to(first.name)
            with first.open("ab") as output:
                spawn(store, words, output)
    except DcqError as error:
        for run_id in run_ids:
            runs.note(store, run_id, Event.STOPPED, str(error))
        raise


def spawn(store: Store, words: Sequence[str], output: IO[bytes]) -> None:
    """Start ``python -m dcq`` with ``words`` as a process that outlives this one, on this store."""
    process = subprocess.Popen(  # noqa: S603  (our own program; what a person gave is one argument)
        [*PYTHON, "-m", "dcq", *words],
        cwd=PROCESS_FOLDER,
        env=os.environ | {"DCQ_STORE": str(store.path.absolute())},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )
    # Whoever started it must collect it, or it stays in the process table when it is done.
    threading.Thread(target=process.wait, daemon=True).start()


def cancel(store: Store, run_id: str) -> None:
    """Ask a run to stop; what is in flight is finished and kept."""
    runs.note(store, run_id, Event.CANCEL_REQUESTED)


def log_tail(store: Store, run_id: str, lines: int = 5) -> str:
    """The last lines that a run's process printed."""
    try:
        text = (store.runs_folder / f"{run_id}.log").read_text("utf-8", "replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
