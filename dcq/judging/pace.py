"""How often a store is judged again while a run writes answers to it.

A run may write each second, and to judge a large store takes longer. So until it ends, what was
judged last is shown for some seconds: by all sessions of a server, on all pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from dcq.jobs.state import any_running
from dcq.store import Store, results

SECONDS = 5.0


@dataclass
class _Taken:
    """A state that pages show. ``since`` is by the monotonic clock: when it was first looked at
    again, because to judge it may take longer than ``SECONDS``; None until then."""

    state: tuple[int, ...]
    since: float | None = None


_taken: dict[Store, _Taken] = {}
_lock = Lock()


def paced(store: Store, state: Sequence[int]) -> tuple[int, ...]:
    """``state`` of a store (``dcq.judging.snapshot.state``), or the one that was taken last: while
    a run is in progress and has written answers since, for ``SECONDS``. Whatever else was
    written counts at once, and so does the end of the run."""
    now = tuple(state)
    last = _taken.get(store)
    grown = last is not None and results.differ_in_answers_alone(last.state, now)
    running = grown and any_running(store)
    with _lock:
        shown = _taken.get(store)
        if running and shown is not None:
            if shown is not last:  # another session has taken a newer one
                return shown.state
            if shown.since is None:
                shown.since = monotonic()
            if monotonic() - shown.since < SECONDS:
                return shown.state
        if shown is None or shown.state != now:
            _taken[store] = _Taken(now)
    return now
