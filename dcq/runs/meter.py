"""A cap on the calls of a run, retries included."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from dcq.errors import CallsUsedUpError
from dcq.store import Store, runs


class CallMeter:
    """Counts calls before they are made and refuses the one past ``most`` (None: no cap); ``made``
    is how many the run has made before.

    ``file`` is told of each call: a process that is killed leaves no answers of the calls in
    flight, but a file outlives it.
    """

    def __init__(self, most: int | None, made: int = 0, file: int | None = None) -> None:
        self._most = most
        self._file = file
        self.made = made

    def take(self) -> None:
        """Count one call, or raise CallsUsedUpError."""
        if self._most is not None and self.made >= self._most:
            raise CallsUsedUpError(
                f"The {self._most:,} calls that the run may make are made; allow more and resume."
            )
        self.made += 1
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk: the count is kept when the run ends
                os.pwrite(self._file, b"%12d" % self.made, 0)


@contextmanager
def metered(store: Store, run_id: str, most: int | None) -> Iterator[CallMeter]:
    """The meter of a run; where there is a cap, what is counted is kept in the store at the end."""
    made = runs.spent(store, run_id).calls
    if most is None:
        yield CallMeter(None, made)
        return
    path = store.runs_folder / f"{run_id}.calls"
    with contextlib.ExitStack() as opened:
        file = None
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            opened.callback(os.close, file)
        counted = _read(file)
        if counted > made:  # a process was killed
            runs.note_calls(store, run_id, counted)
        meter = CallMeter(most, max(made, counted), file)
        before = meter.made
        try:
            yield meter
        finally:
            if meter.made > before:
                runs.note_calls(store, run_id, meter.made)


def _read(file: int | None) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(os.pread(file, 12, 0)) if file is not None else 0
    return 0
