"""Runs as processes of their own, which outlive the browser tab and the app.

What is started here is the same ``python -m dcq`` that a person types; a key reaches it through the
environment, never through its arguments.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import IO

from dcq.errors import DcqError
from dcq.jobs.lock import writing
from dcq.places import PROCESS_FOLDER, PYTHON
from dcq.store import Store, runs
from dcq.store.runs import Event

ExitCode = Callable[[], int | None]  # of a process, None while it goes on
STARTING = "starting"  # the name of the lock that lets one start at a time


def spawn_for(store: Store, run_ids: Sequence[str], words: Sequence[str]) -> None:
    """Start a process that works on these runs, which share its output. If it cannot be started,
    the runs are marked as stopped with the reason, which is raised."""
    first, *other_paths = [store.runs_folder / f"{run_id}.log" for run_id in run_ids]
    try:
        with writing(store):
            store.runs_folder.mkdir(parents=True, exist_ok=True)
            if first.is_symlink():  # it shared a process before, and now has one of its own
                first.unlink()
            for other_path in other_paths:  # they share a process, and so its output
                other_path.unlink(missing_ok=True)
                other_path.symlink_to(first.name)
            with first.open("ab") as output:
                spawn(store, words, output)
    except DcqError as error:
        for run_id in run_ids:
            runs.note(store, run_id, Event.STOPPED, str(error))
        raise


def spawn(store: Store, words: Sequence[str], output: IO[bytes]) -> ExitCode:
    """Start ``python -m dcq`` with ``words`` as a process that outlives this one, on this store."""
    process = subprocess.Popen(  # noqa: S603  (our own program; what a person gave is one argument)
        [*PYTHON, "-m", "dcq", *words],
        cwd=PROCESS_FOLDER,
        env=os.environ | {"DCQ_STORE": str(store.path.absolute())},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # Ctrl-C in the app's terminal is not for it: the first on POSIX, the second on Windows.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    # Whoever started it must collect it, or it stays in the process table when it is done.
    threading.Thread(target=process.wait, daemon=True).start()
    return process.poll


def cancel(store: Store, run_id: str) -> None:
    """Ask a run to stop; what is in flight is finished and kept."""
    runs.note(store, run_id, Event.CANCEL_REQUESTED)


def interrupt(process_id: int | None) -> None:
    """Ask one of our processes to stop, as Ctrl-C does; nothing where it has ended (None). Not by
    SIGINT, which what a shell started in the background may ignore."""
    if process_id is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGTERM)


def log_tail(store: Store, run_id: str, lines: int = 5) -> str:
    """The last lines that a run's process printed."""
    try:
        text = (store.runs_folder / f"{run_id}.log").read_text("utf-8", "replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
