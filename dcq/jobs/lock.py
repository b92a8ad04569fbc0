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

from dcq.errors import InputError, StoreLockedError, StoreReadOnlyError
from dcq.store import Store

LOOKS = 5
LOOK_AGAIN = 0.02  # seconds
TIMEOUT = 15.0  # seconds


def _path(store: Store, name: str) -> Path:
    return store.runs_folder / f"{name}.lock"


@contextmanager
def writing(store: Store) -> Iterator[None]:
    """Turn what the folder beside the store refuses into StoreReadOnlyError."""
    try:
        yield
    except OSError as error:
        raise StoreReadOnlyError(
            f"{store.runs_folder} cannot be written ({error.strerror}); "
            "make it a folder that you may write in."
        ) from error


@contextmanager
def hold(store: Store, run_id: str, busy: str = "") -> Iterator[None]:
    """Hold the run for this process; InputError if another has it. ``busy`` is what to say then,
    if it is something else than a run."""
    with _open(store, run_id) as file:
        try:
            _take(file)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise InputError(
                busy
                or f"Run {run_id} is already being worked on (PID {holder}); "
                "watch it with `python -m dcq status`, or cancel it first."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def wait_for(store: Store, name: str) -> Iterator[None]:
    """Hold ``name`` for a moment, waiting for others who do; StoreLockedError if they stay."""
    deadline = time.monotonic() + TIMEOUT
    with _open(store, name) as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StoreLockedError(
                        "Someone else is starting runs on this store; try again in a minute."
                    ) from None
            time.sleep(LOOK_AGAIN)
        yield


def announce(store: Store, name: str) -> None:
    """Say that a process which will hold ``name`` has been asked to start."""
    with _open(store, name) as file:
        file.truncate(0)
        os.utime(file.fileno())


def expected(store: Store, name: str, seconds: float) -> bool:
    """True while some process holds ``name``, and for ``seconds`` after one was announced that has
    not come yet."""
    if held(store, name):
        return True
    try:
        known = _path(store, name).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    # Whoever has held it leaves its number behind.
    return known.st_size == 0 and time.time() - known.st_mtime < seconds


def _open(store: Store, name: str) -> IO[str]:
    path = _path(store, name)
    with writing(store):
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+")


def _take(file: IO[str]) -> None:
    """Take the lock; whoever only looks at it (``held``) has it for a moment, which is waited
    out."""
    for _ in range(LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(LOOK_AGAIN)
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
    except (FileNotFoundError, NotADirectoryError):
        return False
    except BlockingIOError:
        return True
    return False
