"""A run's structured log: one JSON object a line, in ``<store>.runs/<run>.jsonl``.

It tells how a run went, for whoever looks into a slow or broken one; what a run came to is in the
store. Lines hold counts, times and our own sentences, never a prompt, a reply or a key.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from dcq.models.client import Retry
from dcq.models.pace import Pace
from dcq.records import Answer
from dcq.store import Store


class Journal:
    """Appends to a run's log. ``pace``, if there is one, is told of with each batch."""

    def __init__(self, store: Store, run_id: str, pace: Pace | None = None) -> None:
        self.path: Path = store.runs_folder / f"{run_id}.jsonl"
        self._pace = pace

    def write(self, event: str, **facts: object) -> None:
        """One line: the time in UTC, the process, the event and its facts."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": now, "pid": os.getpid(), "event": event, **facts})
        with contextlib.suppress(OSError):  # a log that cannot be written must not end a run
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")  # in one piece: a process that dies leaves whole lines

    def batch(self, answers: Sequence[Answer]) -> None:
        """Answers that were just stored, with the calls in flight and how many there may be."""
        facts: dict[str, object] = {
            "answers": len(answers),
            "outcomes": dict(Counter(str(answer.outcome) for answer in answers)),
        }
        if self._pace is not None:
            facts |= {"in_flight": self._pace.in_flight, "slots": self._pace.limit}
        self.write("batch", **facts)

    def retry(self, retry: Retry) -> None:
        """A call that will be made again."""
        self.write(
            "retry",
            number=retry.number,
            wait_seconds=round(retry.wait, 3),
            status=retry.error.status,
            cause=str(retry.error),
        )
