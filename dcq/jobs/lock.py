"""One worker for each run: a lock that the operating system releases however its holder dies."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from filelock import FileLock, Timeout, lock_descriptor

from dcq.errors import InputError, StoreLockedError, StoreReadOnlyError
from dcq.store import Store

TIMEOUT = 15.0  # seconds
TRY_AGAIN = 0.02  # seconds
LOOK_AGAIN = 0.001  # seconds; a look takes some microseconds


def _path(store: Store, name: str) -> Path:
    return store.runs_folder / f"{name}.lock"


@contextmanager
def writing(store: Store) -> Iterator[None]:
    """Turn an error of writing to the folder beside the store into StoreReadOnlyError."""
    try:
        yield
    except OSError as error:
        raise StoreReadOnlyError(
            f"{store.runs_folder} cannot be written ({error.strerror}); "
            "make it a folder that you may write in."
        ) from error


@contextmanager
def hold(store: Store, run_id: str, busy: str = "") -> Iterator[None]:
    """Hold the lock of a run for this process; InputError if another has it. ``busy`` is the
    message then, if the lock is not a run's."""
    with _open(store, run_id) as file:
        with _one_at_a_time(store):
            has_lock = lock_descriptor(file.fileno(), blocking=False)
        if not has_lock:
            holder = _read_holder(file) or "unknown"
            raise InputError(
                busy
                or f"Run {run_id} is already being worked on (PID {holder}); "
                "watch it with `python -m dcq status`, or cancel it first."
            )
        _note_holder(file)
        yield


@contextmanager
def wait_for(store: Store, name: str) -> Iterator[None]:
    """Hold the lock ``name`` for a moment, waiting for others who hold it; StoreLockedError if they
    do not release it."""
    with writing(store):
        try:
            file_lock = FileLock(
                _path(store, name),
                timeout=TIMEOUT,
                poll_interval=TRY_AGAIN,
                fallback_to_soft=False,
            ).acquire()
        except Timeout:
            raise StoreLockedError(
                "Someone else is starting runs on this store; try again in a minute."
            ) from None
    with file_lock:
        yield


def announce(store: Store, name: str) -> None:
    """Note that a process which will hold ``name`` has been started."""
    with _open(store, name) as file:
        file.truncate(0)
        os.utime(_path(store, name))


def expected(store: Store, name: str, seconds: float) -> bool:
    """True while some process holds ``name``, and for ``seconds`` after one was announced that has
    not taken it yet."""
    if is_held(store, name):
        return True
    try:
        status = _path(store, name).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if status.st_size:  # whoever has held it leaves its number behind, or has just come
        return is_held(store, name)
    return time.time() - status.st_mtime < seconds


def holder(store: Store, run_id: str) -> int | None:
    """The id of the process that works on the run, None if none does."""
    if not is_held(store, run_id):
        return None
    with _path(store, run_id).open("rb", buffering=0) as file:
        return _read_holder(file)


def is_held(store: Store, run_id: str) -> bool:
    """True while some process holds the lock."""
    try:
        with _one_at_a_time(store), _path(store, run_id).open("rb", buffering=0) as file:
            return not lock_descriptor(file.fileno(), blocking=False)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _open(store: Store, name: str) -> FileIO:
    path = _path(store, name)
    with writing(store):
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab+", buffering=0)


def _note_holder(file: FileIO) -> None:
    file.truncate(0)
    # On Windows only the holder can read the first byte of a locked file, so nothing is in it.
    file.write(f" {os.getpid()}\n".encode("ascii"))


def _read_holder(file: FileIO) -> int | None:
    file.seek(1)
    match = re.fullmatch(rb"(\d+)\n", file.read(20))
    return int(match[1]) if match else None


@contextmanager
def _one_at_a_time(store: Store) -> Iterator[None]:
    """Let nobody else try a lock meanwhile. To see whether a lock is held is to take it for a
    moment, and that must not look like a worker to anyone."""
    with contextlib.ExitStack() as door:
        with contextlib.suppress(OSError):  # a folder that is not there or cannot be written
            # Opened so that whoever may only read the folder can lock it too.
            opened = os.open(store.runs_folder / "looks.door", os.O_RDONLY | os.O_CREAT, 0o666)
            door.callback(os.close, opened)
            lock_descriptor(opened, poll_interval=LOOK_AGAIN)
        yield
