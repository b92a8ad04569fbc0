"""Protocol v2 in one go."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Annotated

import typer

from dcq.asking.prepare import Terms
from dcq.asking.rest import Watch
from dcq.commands.asking import make_progress, stop_on_signals
from dcq.commands.output import AsJson, complain, emit, open_store, remark
from dcq.quiz import protocol2
from dcq.quiz import v2 as whole
from dcq.quiz.v2 import Whole
from dcq.store import Store
from dcq.store.runs import Event


def v2(
    sample: Annotated[str, typer.Argument(help="Id of the sample, or its beginning.")],
    model: Annotated[str, typer.Option(help="The model that takes it; named as for `run`.")],
    limit: Annotated[int | None, typer.Option(help="Ask only the first N instances.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Never spend more than this on all quizzes, in USD.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the newest bdq of this model, and its bcqs."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the bdq and then a bcq for each slot that the model does not prefer."""
    left_by: list[signal.Signals] = []
    done = asyncio.run(_take(open_store(), sample, model, Terms(limit, budget), resume, left_by))
    found = done.estimate
    document = {
        "sample": done.sample,
        "model": done.model,
        "non_preferred": list(found.non_preferred) if found else [],
        **(found.row() if found else {"min": None, "max": None, "kappa": None}),
        "runs": list(done.runs),
    }
    summary = protocol2.tell(found) if found else f"The bdq of {done.model} is not done yet."
    emit(document, as_json, summary)
    if done.ended.event is not Event.FINISHED:
        complain(done.ended.detail)
        sys.exit(128 + left_by[0] if left_by else 1)  # the convention of shells


async def _take(
    store: Store,
    sample: str,
    model: str,
    terms: Terms,
    resume: bool,
    left_by: list[signal.Signals],
) -> Whole:
    cancelled = asyncio.Event()
    stop_on_signals([cancelled], left_by)
    with make_progress() as progress:
        bar = progress.add_task("Protocol v2", total=None)
        return await whole.take(
            store,
            sample,
            model,
            terms,
            resume=resume,
            watch=Watch(
                cancelled,
                lambda name, done, items: progress.reset(
                    bar, description=name, total=items, completed=done
                ),
                lambda count: progress.advance(bar, count),
                remark,
            ),
        )
