"""What commands that ask a model share: options, a progress bar, and Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterable
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from dcq.commands.output import err

Runs = Annotated[
    list[str] | None,
    typer.Option("--run", help="Continue this run; may be given several times."),
]
Budget = Annotated[float | None, typer.Option(help="Never spend more than this on a run, in USD.")]
MaxCalls = Annotated[
    int | None, typer.Option(help="Never make more calls for a run, retries included.")
]
Concurrency = Annotated[
    int | None, typer.Option(help="Calls in flight at most, for each provider.")
]
Reuse = Annotated[
    bool,
    typer.Option("--reuse", help="Reuse stored answers to identical requests; ask the rest."),
]
RequestsPerMinute = Annotated[
    float | None, typer.Option("--rpm", help="Requests per minute at most, for each provider.")
]
TokensPerMinute = Annotated[
    float | None,
    typer.Option(
        "--tpm", help="Tokens per minute at most for each provider, in and out, estimated."
    ),
]
ByBatch = Annotated[
    bool,
    typer.Option("--batch", help="Use OpenAI's Batch API: half the price, within a day."),
]


def make_progress() -> Progress:
    """Progress bars on stderr, removed when done."""
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
    """Set these events on SIGINT (Ctrl-C), SIGTERM or SIGHUP, and add the signal to ``left_by``; a
    second signal ends the process at once."""
    events = list(stops)
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        left_by.append(number)
        for event in events:
            event.set()
        for caught in catching:
            loop.remove_signal_handler(caught)
        err.print("Stopping: waiting for the calls in flight. Press Ctrl-C again to leave now.")

    # A signal that is ignored, as under nohup, stays ignored.
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
