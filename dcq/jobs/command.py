"""Commands that the app starts in the background: the same ``python -m dcq`` that a person types.

A command outlives the browser and the app. While the app lives it knows which of its commands still
go on, and how they ended.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import AskedAlreadyError
from dcq.jobs import process
from dcq.jobs.lock import writing
from dcq.jobs.process import ExitCode, log_tail
from dcq.records import fingerprint
from dcq.store import Store

_LOCK = threading.Lock()
_STARTED: dict[tuple[str, str], ExitCode] = {}  # by store and name of the output


@dataclass(frozen=True)
class CommandState:
    """Whether a command still goes on (``live``), the exit ``code`` of one that has ended, and the
    last line that it printed."""

    live: bool
    code: int
    last_line: str


def start(store: Store, words: Sequence[str]) -> None:
    """Start ``python -m dcq`` with these words on a store. Raises AskedAlreadyError while the same
    command goes on."""
    name = _name(words)
    with _LOCK, writing(store):
        if (before := state(store, words)) is not None and before.live:
            raise AskedAlreadyError(f"This is being done already: {shlex.join(words)}.")
        store.runs_folder.mkdir(parents=True, exist_ok=True)
        with (store.runs_folder / f"{name}.log").open("wb") as output:
            _STARTED[str(store.path), name] = process.spawn(store, words, output)


def state(store: Store, words: Sequence[str]) -> CommandState | None:
    """How a command that this process started stands; None if it started none."""
    name = _name(words)
    exit_code = _STARTED.get((str(store.path), name))
    if exit_code is None:
        return None
    code = exit_code()
    return CommandState(code is None, code or 0, log_tail(store, name, lines=1).strip())


def _name(words: Sequence[str]) -> str:
    return f"command-{fingerprint(*words)}"
