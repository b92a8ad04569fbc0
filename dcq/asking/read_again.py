"""Stored replies read again by a newer version of the reader; no model is asked.

A comparison of replies that two versions have read would compare the versions, so all runs of a
store are read by the same one, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dcq.asking.task import Method, Task
from dcq.errors import AskedAlreadyError, InputError
from dcq.jobs import lock
from dcq.jobs.journal import Journal
from dcq.records import Mode, Outcome, Reading, Reply
from dcq.said import READER, read_content
from dcq.store import Store, readings, runs
from dcq.store.readings import StoredReply

# What is written where a reply was read before its limit was kept with it.
_CUT = ("token limit", "cut off", "cut at the token limit")
_AGAIN = "read again by reader"


@dataclass(frozen=True)
class ReadAgain:
    """One run whose replies were read again, and the positions of those that changed."""

    run: str
    method: str
    changed: Sequence[int]


def read_again(
    store: Store,
    methods: Mapping[str, Method],
    on_changed: Callable[[ReadAgain], None] = lambda run: None,
) -> list[ReadAgain]:
    """Read the replies of all runs that an earlier version has read. A run that is being asked is
    left for later, and so is one whose requests this release cannot write; what is no model's own
    words stays as it was read. ``on_changed`` hears of each run before the next one is read,
    because that may follow it."""
    done = []
    for run_id, method, mode in readings.read_earlier(store, READER):
        try:
            with lock.hold(store, run_id):
                again = []
                if method in methods and mode is Mode.LETTER:
                    plan = runs.load(store, run_id).plan
                    again = _otherwise(store, run_id, methods[method].reopen(store, plan))
                readings.add(store, run_id, READER, again)
        except (AskedAlreadyError, InputError):
            continue
        run = ReadAgain(run_id, method, [stored.position for stored, _ in again])
        if again:
            Journal(store, run_id).write("read again", reader=READER, changed=len(again))
            on_changed(run)
        done.append(run)
    return done


def _otherwise(store: Store, run_id: str, task: Task) -> list[tuple[StoredReply, Reading]]:
    """The replies of a run that mean something else now."""
    return [
        (stored, reading)
        for stored in readings.replies(store, run_id)
        if stored.position < task.size and (reading := read_now(task, stored)) is not None
    ]


def read_now(task: Task, stored: StoredReply) -> Reading | None:
    """How this version reads a stored reply, where that is otherwise than before; None where it is
    not. A refusal that the endpoint declared stays one: its words are no reply."""
    if stored.outcome is Outcome.REFUSED and "in words" not in stored.reason:
        return None
    cut = any(words in stored.reason for words in _CUT)
    content = read_content(stored.reply)
    reply = Reply(
        content.text,
        finish_reason="length" if cut else "stop",
        as_sent=None if content.text == stored.reply else stored.reply,
    )
    reading = task.read(stored.position, reply)
    if (reading.outcome, reading.value) == (stored.outcome, stored.value):
        return None
    reason = f"{reading.reason}; {_AGAIN} {READER}, before: {stored.outcome}"
    return replace(reading, reason=reason)
