"""One worker a run: a lock that the operating system drops however its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dcq.errors import InputError
from dcq.store import Store

LOOKS = 5


def _path(store: Store, run_id: str) -> Path:
    return store.runs_folder / f"{run_id}.lock"


@contextmanager
def hold(store: Store, run_id: str) -> Iterator[None]:
    """Hold the run for this process; InputError if another has it."""
    path = _path(store, run_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            _take(file)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise InputError(
                f"Run {run_id} is already being worked on (PID {holder}); "
                "watch it with `python -m dcq status`, or cancel it first."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _take(file: IO[str]) -> None:
    """Take the lock; whoever only looks at it (``held``) has it for a moment, which is waited
    out."""
    for _ in range(LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.02)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def holder(store: Store, run_id: str) -> int | None:
    """The process that works on the run, None if none does."""
    if not held(store, run_id):
        return None
    written = _path(store, run_id).read_text("ascii").strip()
    return int(written) if written.isdigit() else None


def held(store: Store, run_id: str) -> bool:
    """True while some process works on the run."""
    try:
        with _path(store, run_id).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
