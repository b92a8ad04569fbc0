"""What commands that ask a model share: options, a progress bar, and Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from dcq.asking.chain import ChainOutcome
from dcq.asking.options import Options, Watch
from dcq.asking.plan import RunJob, ask_rest
from dcq.asking.task import Ended
from dcq.commands import no_effect
from dcq.commands.output import complain, emit, err, remark
from dcq.errors import DcqError
from dcq.store import Store
from dcq.store.runs import Event
from dcq.words import visible

Wanted = TypeVar("Wanted")
Done = TypeVar("Done")

Runs = Annotated[
    list[str] | None,
    typer.Option("--run", help="Continue this run; may be repeated."),
]
Limit = Annotated[int | None, typer.Option(help="Ask only the first N instances.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue the newest run of this sample and model.")
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


class _Name(ProgressColumn):
    """What a bar is called: a model's name, say."""

    def render(self, task: Task) -> Text:
        return Text(visible(task.description))


def check_batch(
    concurrency: int | None, requests_per_minute: float | None, tokens_per_minute: float | None
) -> None:
    """Raise InputError for a pace that is given for a batch."""
    no_effect.refuse(
        {"--concurrency": concurrency, "--rpm": requests_per_minute, "--tpm": tokens_per_minute},
        "A batch is answered at the provider's own pace",
    )


def make_progress() -> Progress:
    """Progress bars on stderr, removed when done."""
    return Progress(
        _Name(),
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


def ask_each(
    requests: Sequence[Wanted], ask: Callable[[Watch, Wanted], Awaitable[Done]], what: str
) -> tuple[list[Done | DcqError], list[signal.Signals]]:
    """Make all ``requests`` at once, each with a progress bar that is called ``what`` until its run
    begins; one that fails does not stop the others. Returns the outcome of each, and the signals
    that ended them."""
    left_by: list[signal.Signals] = []

    async def ask_all() -> list[Done | DcqError]:
        # One for each, because a run sets its own when it is cancelled in the app.
        stops = [asyncio.Event() for _ in requests]
        stop_on_signals(stops, left_by)
        with make_progress() as progress:

            async def one(stop: asyncio.Event, about: Wanted) -> Done | DcqError:
                bar = progress.add_task(what, total=None)

                def begin(name: str, done: int, items: int) -> None:
                    progress.reset(bar, description=name, total=items, completed=done)

                def advance(count: int) -> None:
                    progress.advance(bar, count)

                try:
                    return await ask(Watch(stop, begin, advance, remark), about)
                except DcqError as error:
                    return error

            ended = await asyncio.gather(*map(one, stops, requests), return_exceptions=True)
        for end in ended:
            if isinstance(end, BaseException) and not isinstance(end, DcqError):
                raise end  # a bug, raised only once the others have ended
        return [
            end for end in ended if isinstance(end, DcqError) or not isinstance(end, BaseException)
        ]

    return asyncio.run(ask_all()), left_by


def ask_jobs(
    store: Store, jobs: Sequence[RunJob], options: Options, what: str
) -> tuple[list[Ended | DcqError], list[signal.Signals]]:
    """As ``ask_each``, for what is left of planned runs."""

    async def one(watch: Watch, job: RunJob) -> Ended:
        return await ask_rest(store, job, replace(options, watch=watch))

    return ask_each(jobs, one, what)


def names_of(jobs: Sequence[RunJob]) -> list[str]:
    """What ``leave_if_stopped`` calls planned runs."""
    return [f"run {job.run} of {job.endpoint.name}" for job in jobs]


def show_chains(
    store: Store,
    ended: Sequence[ChainOutcome | DcqError],
    left_by: Sequence[signal.Signals],
    document: Callable[[Store, ChainOutcome], dict[str, Any]],
    sentence: Callable[[Store, ChainOutcome], str],
    *,
    as_json: bool,
) -> None:
    """Print the outcome of each chain, and exit with the code for how they ended. Raises the error
    of the only one."""
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    outcomes = [end for end in ended if isinstance(end, ChainOutcome)]
    documents = [document(store, outcome) for outcome in outcomes] if as_json else []
    words = [] if as_json else [sentence(store, outcome) for outcome in outcomes]
    emit(
        documents[0] if as_json and len(ended) == 1 else documents,
        as_json,
        "\n".join(words).split("\n"),
    )
    stopped = [("", end if isinstance(end, DcqError) else end.ended) for end in ended]
    leave_if_stopped(stopped, left_by)


def leave_if_stopped(
    ended: Sequence[tuple[str, Ended | DcqError]], left_by: Sequence[signal.Signals]
) -> None:
    """Unless all finished with a reply that can be used, print why each request ended (with its
    name if there are several) and end the process: with 128 plus the number of the signal that
    ended it, with the error's own code if nothing finished, else with 1."""
    codes = []
    for name, end in ended:
        if isinstance(end, Ended) and end.event is Event.FINISHED and not end.unusable:
            continue
        reason = end.unusable or end.detail if isinstance(end, Ended) else str(end)
        complain(f"{name}: {reason}" if name and len(ended) > 1 else reason)
        codes.append(1 if isinstance(end, Ended) else end.exit_code)
    if codes and left_by:
        sys.exit(128 + left_by[0])  # the convention of shells
    if codes:
        sys.exit(codes[0] if len(codes) == len(ended) else 1)
