"""Whose turn it is to open the store: a queue of the processes that want to.

A failed attempt to open a DuckDB file costs about as much as opening it, so processes that only try
again take each other's time; and readers who come and go would keep a writer out for ever. So each
waits for a lock of the operating system first, which is cheap to try and is released however its
holder dies. A writer keeps it until its work is done, a reader until the file is open: whoever
waits inside for the readers before it lets no other pass.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import lock_descriptor


@contextmanager
def wait_for_turn(folder: Path, *, deadline: float) -> Iterator[ExitStack]:
    """Hold the turn until the block ends or the stack is closed; ``deadline`` is on the monotonic
    clock. Past it, or where ``folder`` cannot be written, the block runs without it: DuckDB has a
    lock of its own, whose error names the holder."""
    with ExitStack() as turn:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            lock = turn.enter_context((folder / "store.lock").open("ab")).fileno()
            while not lock_descriptor(lock, blocking=False) and time.monotonic() < deadline:
                time.sleep(random.uniform(0.002, 0.008))  # noqa: S311  (jitter, not a secret)
        yield turn
