"""Whose turn it is to open the store: a queue of the processes that want to.

A failed attempt to open a DuckDB file costs about as much as opening it, and readers who come and
go would keep a writer out for ever. So a process waits for a lock of the operating system first,
which is cheap to try and is released however its holder dies. Whoever has it is alone in trying to
open the file, and releases it as soon as the file is open.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

TRY_AGAIN = 0.005  # seconds


@contextmanager
def wait_for_turn(folder: Path, *, deadline: float) -> Iterator[None]:
    """Hold the first place in the queue; ``deadline`` is on the monotonic clock. Past it, or where
    ``folder`` cannot be written, the block runs without it: DuckDB has a lock of its own, whose
    error names the holder."""
    with contextlib.ExitStack() as queue:
        with contextlib.suppress(OSError):  # filelock's Timeout is one
            folder.mkdir(parents=True, exist_ok=True)
            door = FileLock(
                folder / "store.door",
                timeout=max(0.0, deadline - time.monotonic()),
                poll_interval=TRY_AGAIN,
                fallback_to_soft=False,
            )
            queue.enter_context(door)
        yield
