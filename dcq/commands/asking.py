"""What commands that ask a model share: a progress bar, and Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterable

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from dcq.commands.output import err


def make_progress() -> Progress:
    """Bars on stderr, gone when they are done."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    )


def stop_on_signals(stops: Iterable[asyncio.Event], left_by: list[signal.Signals]) -> None:
    """Set these events at Ctrl-C, a polite kill or a closed terminal, and add the signal to
    ``left_by``; a second one does not wait."""
    events = list(stops)
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        left_by.append(number)
        for event in events:
            event.set()
        for caught in catching:
            loop.remove_signal_handler(caught)
        err.print("Stopping: waiting for the calls in flight. Press Ctrl-C again to leave now.")

    # One that is ignored, as under nohup, is to stay so. Windows knows no SIGHUP.
    catching = [
        number
        for number in signal.Signals
        if number.name in {"SIGINT", "SIGTERM", "SIGHUP"}
        and signal.getsignal(number) is not signal.SIG_IGN
    ]
    # Event loops on Windows have no handlers: there Ctrl-C ends the run at once, as a kill does.
    with contextlib.suppress(NotImplementedError):
        for number in catching:
            loop.add_signal_handler(number, stop, number)
