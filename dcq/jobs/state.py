"""The state of a run."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from dcq.jobs import lock
from dcq.store import Store, run_progress, runs
from dcq.store.connect import utc_now
from dcq.store.runs import Event

START_SECONDS = 60.0  # a process that has not begun by then has died


class RunState(StrEnum):
    """The state of a run, by its newest event and by who holds its lock."""

    PLANNED = "planned"
    RUNNING = "running"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # its process died; resuming goes on where it was
    STOPPED = "stopped"
    FINISHED = "finished"

    @property
    def live(self) -> bool:
        """True while the state may still change by itself."""
        return self in {RunState.PLANNED, RunState.RUNNING, RunState.CANCELLING}


def state_of(store: Store, run_id: str, event: Event, at: datetime) -> RunState:
    """The state of a run whose newest event is ``event``, of time ``at`` (UTC)."""
    if event is Event.PLANNED:
        fresh = (utc_now() - at).total_seconds() < START_SECONDS
        return RunState.PLANNED if fresh or lock.is_held(store, run_id) else RunState.INTERRUPTED
    if event in {Event.STARTED, Event.CANCEL_REQUESTED}:
        if not lock.is_held(store, run_id):
            # It may have ended since ``event`` was read; its last event comes before it lets go.
            now = runs.load(store, run_id)
            if now.event is event:
                return RunState.INTERRUPTED
            return state_of(store, run_id, now.event, now.event_at)
        return RunState.RUNNING if event is Event.STARTED else RunState.CANCELLING
    return RunState(event)


def any_running(store: Store) -> bool:
    """Whether a process is at work on a run of the store."""
    return any(
        state_of(store, newest.run, newest.event, newest.at).live
        for newest in run_progress.begun(store)
    )
