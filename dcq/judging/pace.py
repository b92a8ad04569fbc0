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


@dataclass(frozen=True)
class _Taken:
    state: tuple[int, ...]
    at: float  # by the monotonic clock


_taken: dict[Store, _Taken] = {}
_lock = Lock()


def paced(store: Store, state: Sequence[int]) -> tuple[int, ...]:
    """``state`` of a store (``dcq.judging.snapshot.state``), or the one that was taken last: while
    a run is in progress and has written answers since, for ``SECONDS``. Whatever else was
    written counts at once, and so does the end of the run."""
    now = tuple(state)
    last = _taken.get(store)
    if (
        last is not None
        and monotonic() - last.at < SECONDS
        and results.differ_in_answers_alone(last.state, now)
        and any_running(store)
    ):
        return last.state
    with _lock:
        if (newest := _taken.get(store)) is not last and newest is not None:
            return newest.state  # of another session that came first
        if last is None or last.state != now:
            _taken[store] = _Taken(now, monotonic())
    return now
