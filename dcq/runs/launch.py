"""Runs as processes of their own: started from the app, watched through the store.

A run started here is the same ``python -m dcq run`` that a person types. It outlives the browser
tab and the app; its key reaches it through the environment, never through its arguments.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from dcq import settings
from dcq.errors import InputError
from dcq.models.endpoints import resolve
from dcq.runs import lock, prepare
from dcq.settings import ROOT
from dcq.store import Store, runs
from dcq.store.connect import utc_now
from dcq.store.runs import Event

START_SECONDS = 30.0  # a process that has not begun by then has died


class State(StrEnum):
    """What a run is doing now, told from its newest event and from who holds it."""

    PLANNED = "planned"
    RUNNING = "running"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # its process died; resuming goes on where it was
    STOPPED = "stopped"
    FINISHED = "finished"

    @property
    def live(self) -> bool:
        """True while something may still change by itself."""
        return self in {State.PLANNED, State.RUNNING, State.CANCELLING}


def state(store: Store, run_id: str, event: Event, at: datetime) -> State:
    """The state of a run whose newest event is ``event``, of time ``at`` (UTC)."""
    if event is Event.PLANNED:
        fresh = (utc_now() - at).total_seconds() < START_SECONDS
        return State.PLANNED if fresh or lock.held(store, run_id) else State.INTERRUPTED
    if event in {Event.STARTED, Event.CANCEL_REQUESTED}:
        if not lock.held(store, run_id):
            return State.INTERRUPTED
        return State.RUNNING if event is Event.STARTED else State.CANCELLING
    return State(event)


def begin(
    store: Store,
    quiz_id: str,
    models: Sequence[str],
    *,
    limit: int | None = None,
    budget_usd: float | None = None,
    concurrency: int | None = None,
) -> list[str]:
    """Plan one run a model and start them all, or, if a model cannot be used, none; returns the
    run ids."""
    endpoints = [resolve(model, settings.load()) for model in dict.fromkeys(models)]
    for endpoint in endpoints:
        newest = runs.newest(store, quiz_id, endpoint.name)
        if newest and lock.held(store, newest):
            raise InputError(
                f"{endpoint.name} is taking this quiz already (run {newest}); wait or cancel it."
            )
    planned = [
        prepare.plan_run(
            store, quiz_id, endpoint, limit=limit, budget_usd=budget_usd, concurrency=concurrency
        )
        for endpoint in endpoints
    ]
    for run_id, endpoint in zip(planned, endpoints, strict=True):
        _start(store, run_id, quiz_id, endpoint.name, limit)
    return planned


def resume(store: Store, run_id: str, *, all_of_it: bool = False) -> None:
    """Go on with a run, to the end of its plan or, if ``all_of_it``, of its quiz. Only the newest
    run of a quiz and model can be gone on with."""
    plan = runs.load(store, run_id).plan
    if runs.newest(store, plan.quiz_id, plan.model) != run_id:
        raise InputError(
            f"{plan.model} has taken this quiz again since run {run_id}; resume the newer run."
        )
    resolve(plan.model, settings.load())
    # A limit below the plan takes nothing from it: 1 means "no more than was planned".
    _start(store, run_id, plan.quiz_id, plan.model, None if all_of_it else 1)


def _start(store: Store, run_id: str, quiz_id: str, model: str, limit: int | None) -> None:
    store.runs_folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "dcq", "run", quiz_id, "--model", model, "--resume"]
    with (store.runs_folder / f"{run_id}.log").open("ab") as output:
        process = subprocess.Popen(  # noqa: S603  (our own program; the model is one argument)
            command + (["--limit", str(limit)] if limit else []),
            cwd=ROOT,
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
