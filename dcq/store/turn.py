"""Whose turn it is at the store: a queue of the processes that want to open it.

A failed try to open a DuckDB file costs as much as opening it, so several processes that only try
again take each other's time. Here they wait at a lock of the operating system first, which is
cheap to ask and is dropped however its holder dies.
"""

from __future__ import annotations

import contextlib
import fcntl
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def wait_for_turn(folder: Path, *, shared: bool, deadline: float) -> Iterator[None]:
    """Hold a place at the store, alone or with others who share; ``deadline`` is on the monotonic
    clock. Past it, or where ``folder`` cannot be written, the turn is taken all the same: DuckDB
    has a lock of its own, which then tells who is there."""
    with contextlib.ExitStack() as files:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            door = files.enter_context((folder / "store.door").open("ab"))
            room = files.enter_context((folder / "store.lock").open("ab"))
            # Whoever stands in the door waits for the room, and nobody passes: a writer is not
            # kept out for ever by readers who come and go.
            _lock(door, fcntl.LOCK_EX, deadline)
            _lock(room, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, deadline)
            fcntl.flock(door, fcntl.LOCK_UN)
        yield


def _lock(file: IO[bytes], kind: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return
            time.sleep(random.uniform(0.002, 0.008))  # noqa: S311  (jitter, not a secret)
        else:
            return
