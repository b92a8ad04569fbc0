"""One worker for each run: a lock that the operating system releases however its holder dies."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from filelock import FileLock, Timeout, lock_descriptor

from dcq.errors import AskedAlreadyError, StoreLockedError, StoreReadOnlyError
from dcq.store import Store

TIMEOUT = 15.0  # seconds
TRY_AGAIN = 0.02  # seconds
LOOK_AGAIN = 0.001  # seconds; a look takes some microseconds
_HELD = threading.local()  # ``paths``: what this thread holds by ``wait_for``


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
    """Hold the lock of a run for this process; AskedAlreadyError if another has it, who and since
    when. ``busy`` is the sentence before that, if the lock is not a run's."""
    with _open(store, run_id) as file:
        with _one_at_a_time(store):
            has_lock = lock_descriptor(file.fileno(), blocking=False)
        if not has_lock:
            who = _describe(file)
            raise AskedAlreadyError(
                f"{busy} (It is {who}.)"
                if busy
                else f"Run {run_id} is already being worked on by {who}; "
                "watch it with `python -m dcq status`, or cancel it first."
            )
        _note_holder(file)
        yield


@contextmanager
def wait_for(store: Store, name: str) -> Iterator[None]:
    """Hold the lock ``name`` for a moment, waiting for others who hold it; StoreLockedError if they
    do not release it. A thread that has it may take it again."""
    path = _path(store, name)
    mine: set[Path] = _HELD.__dict__.setdefault("paths", set())
    if path in mine:
        yield
        return
    with writing(store):
        try:
            file_lock = FileLock(
                path,
                timeout=TIMEOUT,
                poll_interval=TRY_AGAIN,
                fallback_to_soft=False,
            ).acquire()
        except Timeout:
            raise StoreLockedError(
                "Someone else is starting runs on this store; try again in a minute."
            ) from None
    mine.add(path)
    try:
        with file_lock:
            yield
    finally:
        mine.discard(path)


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


def describe_holder(store: Store, name: str) -> str:
    """Who holds a lock, as ``PID 4711 (python -m dcq run), since 09:30:00 UTC``; what was written
    there last if nobody does, and empty if nothing ever was."""
    with contextlib.suppress(OSError), _path(store, name).open("rb", buffering=0) as file:
        return _describe(file)
    return ""


def is_of_command(store: Store, name: str) -> bool:
    """Whether whoever holds a lock, or held it last, is a command of ours, and no other program
    that uses dcq."""
    with contextlib.suppress(OSError), _path(store, name).open("rb", buffering=0) as file:
        file.seek(1)
        return bool(re.match(rb"\d+\ndcq", file.read(80)))
    return False


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
    file.write(f" {os.getpid()}\n{_own_command()}\n".encode("ascii"))


def _own_command() -> str:
    """The command that this process is, such as ``dcq run``; empty for another program."""
    program, words = sys.argv[0], sys.argv[1:]
    if Path(program).parent.name != "dcq" and Path(program).stem != "dcq":
        return ""
    return f"dcq {words[0]}" if words and re.fullmatch("[a-z0-9]{1,20}", words[0]) else "dcq"


def _read_holder(file: FileIO) -> int | None:
    file.seek(1)
    match = re.match(rb"(\d+)\n", file.read(20))
    return int(match[1]) if match else None


def _describe(file: FileIO) -> str:
    """Who holds a lock: the process, its command if that is known, and since when."""
    file.seek(1)
    number, _, rest = file.read(80).decode("ascii", "replace").partition("\n")
    command = rest.partition("\n")[0]
    since = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
    what = f" (python -m {command})" if re.fullmatch("dcq[a-z0-9 ]*", command) else ""
    return f"PID {number if number.isdigit() else 'unknown'}{what}, since {since:%H:%M:%S} UTC"


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
