"""A run's structured log: one JSON object a line, in ``<store>.runs/<run>.jsonl``.

It is for people who look into a slow or broken run; the results are in the store. Lines hold
counts, times and our own sentences, never a prompt, a reply or a key.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dcq.models.hooks import Retry
from dcq.models.pacing.pace import Pace
from dcq.records import Answer
from dcq.store import Store

TAIL = 16_384  # bytes of the log that tell what is going on
RECENT = 30.0  # seconds


@dataclass(frozen=True)
class Activity:
    """What a run is doing: calls in flight, of ``slots`` that there may be, and the newest retry of
    the last ``RECENT`` seconds, if any."""

    in_flight: int | None = None
    slots: int | None = None
    wait_seconds: float | None = None
    cause: str = ""


def activity(store: Store, run_id: str) -> Activity:
    """The activity that the end of a run's log shows; empty where there is no log."""
    try:
        with _path(store, run_id).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return Activity()
    facts: dict[str, Any] = {}
    for line in lines:
        try:
            entry = json.loads(line)
            at = datetime.fromisoformat(entry["at"])
            event = entry["event"]
        except (ValueError, LookupError, TypeError):  # the first line may be cut
            continue
        if event == "started":
            facts = {}
        elif event == "batch" and "slots" in entry:
            facts |= {name: entry[name] for name in ("in_flight", "slots")}
        elif event == "retry" and (datetime.now(UTC) - at).total_seconds() < RECENT:
            facts |= {name: entry[name] for name in ("wait_seconds", "cause")}
    return Activity(**facts)


def _path(store: Store, run_id: str) -> Path:
    return store.runs_folder / f"{run_id}.jsonl"


class Journal:
    """Appends to a run's log. ``pace``, if there is one, is logged with each batch."""

    def __init__(self, store: Store, run_id: str, pace: Pace | None = None) -> None:
        self.path = _path(store, run_id)
        self._pace = pace

    def write(self, event: str, **facts: object) -> None:
        """Append one line: the time in UTC, the process, the event and its facts."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": now, "pid": os.getpid(), "event": event, **facts})
        with contextlib.suppress(OSError):  # a log that cannot be written must not end a run
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")  # in one piece: a process that dies leaves whole lines

    def batch(self, answers: Sequence[Answer]) -> None:
        """Log answers that were just stored, with the calls in flight and how many there may be."""
        facts: dict[str, object] = {
            "answers": len(answers),
            "outcomes": dict(Counter(str(answer.outcome) for answer in answers)),
        }
        if self._pace is not None:
            facts |= {"in_flight": self._pace.in_flight, "slots": self._pace.limit}
        self.write("batch", **facts)

    def retry(self, retry: Retry) -> None:
        """Log that a call will be made again."""
        self.write(
            "retry",
            number=retry.number,
            wait_seconds=round(retry.wait, 3),
            status=retry.error.status,
            cause=str(retry.error),
        )
