"""Asking a model, and watching what is being asked."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Annotated, Any

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from dcq import settings
from dcq.commands.output import AsJson, complain, emit, err, percent, remark, store, table
from dcq.errors import InputError
from dcq.models.batch import BatchClient
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.limits import Limits, find_limits, pace_for
from dcq.records import Outcome
from dcq.runs import batch as batches
from dcq.runs import doctor as examine
from dcq.runs import launch, prepare, results
from dcq.runs.calls import asking, gives_logprobs
from dcq.runs.journal import Journal
from dcq.runs.reuse import reuse_answers
from dcq.runs.worker import Ended, work
from dcq.store import Store, quizzes, runs, samples
from dcq.store.runs import Event


def run(
    quiz: Annotated[str, typer.Argument(help="Id of the quiz, or its beginning.")],
    model: Annotated[
        str,
        typer.Option(
            help="embedded, gpt-4o, ollama:llama3.2:1b, NAME@https://host/v1, likelihood:embedded "
            "(scores each option), …"
        ),
    ],
    limit: Annotated[int | None, typer.Option(help="Ask the first N instances only.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Never spend more than this, in USD.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls in flight at most.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the newest run of this quiz and model.")
    ] = False,
    logprobs: Annotated[
        bool | None,
        typer.Option(
            help="Ask for the letters' log-probabilities, for the soft score. Left out, local "
            "servers that give them are asked."
        ),
    ] = None,
    reuse: Annotated[
        bool,
        typer.Option("--reuse", help="Take stored answers to identical requests; ask the rest."),
    ] = False,
    rpm: Annotated[float | None, typer.Option(help="Requests a minute at most.")] = None,
    tpm: Annotated[
        float | None, typer.Option(help="Tokens a minute at most, in and out, by estimate.")
    ] = None,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="By OpenAI's Batch API: half the price, within a day."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a model the questions of a quiz; what is answered is kept as it lands."""
    shelf = store()
    endpoint = resolve(model, settings.load())
    limits = find_limits(endpoint)
    limits = Limits(
        limits.requests_per_minute if rpm is None else rpm,
        limits.tokens_per_minute if tpm is None else tpm,
    )
    quiz_id = quizzes.load(shelf, quiz).id
    run_id = runs.newest(shelf, quiz_id, endpoint.name) if resume else None
    if batch and run_id and not batches.is_batch(shelf, run_id):
        raise InputError(
            f"Run {run_id} is not asked by batch; resume it without --batch, or leave --resume out "
            "to start a new one."
        )
    if run_id is None and batch:
        run_id = asyncio.run(
            batches.plan_run(shelf, quiz_id, endpoint, limit=limit, budget_usd=budget)
        )
    elif run_id is None:
        run_id = prepare.plan_run(
            shelf, quiz_id, endpoint, limit=limit, budget_usd=budget, concurrency=concurrency
        )
    else:
        prepare.amend(shelf, run_id, limit=limit, budget_usd=budget, concurrency=concurrency)
    wanted = gives_logprobs(endpoint) if logprobs is None else logprobs
    if reuse:
        taken = reuse_answers(shelf, run_id, logprobs=wanted)
        remark(f"{taken} answers are reused from earlier runs; the rest is asked.")
    ended = asyncio.run(_work(shelf, run_id, endpoint, wanted, limits))
    document = _report(shelf, run_id)
    found = ", ".join(f"{count} {name}" for name, count in document["outcomes"].items() if count)
    emit(
        document,
        as_json,
        f"Run {run_id}: {ended.event}. {found or 'Nothing answered'}."
        + (f" Original chosen in {document['correct']}." if document["correct"] is not None else "")
        + " Next: python -m dcq results",
    )
    if ended.event is not Event.FINISHED:
        complain(ended.detail)
        sys.exit(1)


async def _work(
    shelf: Store, run_id: str, endpoint: Endpoint, logprobs: bool, limits: Limits
) -> Ended:
    plan = runs.load(shelf, run_id).plan
    pace = pace_for(endpoint, plan.concurrency, limits)
    journal = Journal(shelf, run_id, pace)
    cancelled = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        cancelled.set()
        loop.remove_signal_handler(signal.SIGINT)  # a second Ctrl-C does not wait
        err.print("Stopping: waiting for the calls in flight. Press Ctrl-C again to leave now.")

    loop.add_signal_handler(signal.SIGINT, stop)
    loop.add_signal_handler(signal.SIGTERM, stop)
    with Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    ) as progress:
        done, _ = runs.settled(shelf, run_id)
        bar = progress.add_task(endpoint.name, total=plan.items, completed=len(done))
        async with asking(
            endpoint,
            temperature=plan.temperature,
            max_tokens=plan.max_tokens,
            logprobs=logprobs,
            pace=pace,
            on_retry=journal.retry,
        ) as ask:
            if batches.is_batch(shelf, run_id):

                def tell(news: str) -> None:
                    remark(news)
                    journal.write("news", detail=news)

                async with BatchClient(endpoint) as client:
                    return await batches.work(
                        shelf,
                        run_id,
                        ask,
                        client,
                        cancelled=cancelled,
                        on_answers=lambda count: progress.advance(bar, count),
                        on_news=tell,
                    )
            return await work(
                shelf,
                run_id,
                ask,
                cancelled=cancelled,
                on_answers=lambda count: progress.advance(bar, count),
                journal=journal,
            )


def _report(shelf: Store, run_id: str) -> dict[str, Any]:
    row = runs.progress(shelf, [run_id]).iloc[0].to_dict()
    found = [r for r in results.table(shelf, every_run=True) if r.run == run_id]
    cost = results.cost_usd(row)
    return {
        "run": run_id,
        "quiz": str(row["quiz"]),
        "model": str(row["model"]),
        "outcomes": dict(found[0].outcomes) if found else {str(o): 0 for o in Outcome},
        "correct": found[0].correct if found else 0,
        "n": found[0].n if found else 0,
        "tokens_in": int(row["tokens_in"]),
        "tokens_out": int(row["tokens_out"]),
        "cost_usd": cost,
    }


def status(as_json: AsJson = False) -> None:
    """Show samples, quizzes and the newest runs, with those in progress first."""
    shelf = store()
    progress = runs.progress(shelf, runs.listing(shelf))
    listed = [
        {
            "run": row["run"],
            "model": row["model"],
            "partition": row["partition"],
            "kind": row["kind"],
            "mode": row["mode"],
            "state": launch.state(shelf, row["run"], Event(row["event"]), row["event_at"]).value,
            "done": int(row["done"]),
            "items": int(row["items"]),
            "errors": int(row["errors"]),
            "detail": row["detail"],
        }
        for row in progress.to_dict("records")
    ]
    kept_samples = samples.listing(shelf)[["sample", "partition", "n", "with_variants"]]
    kept_quizzes = quizzes.listing(shelf)[["quiz", "sample", "partition", "kind", "items"]]
    document = {
        "runs": listed,
        "quizzes": kept_quizzes.to_dict("records"),
        "samples": kept_samples.to_dict("records"),
    }
    if as_json:
        emit(document, True, "")
        return
    for title, frame_columns, rows in (
        ("Samples", list(kept_samples.columns), kept_samples.to_numpy().tolist()),
        ("Quizzes", list(kept_quizzes.columns), kept_quizzes.to_numpy().tolist()),
        (
            "Runs",
            ["run", "model", "partition", "kind", "mode", "state", "done", "share", "detail"],
            [
                [
                    r["run"],
                    r["model"],
                    r["partition"],
                    r["kind"],
                    r["mode"],
                    r["state"],
                    f"{r['done']}/{r['items']}",
                    percent(r["done"] / r["items"]),
                    r["detail"],
                ]
                for r in listed
            ],
        ),
    ):
        emit(None, False, f"{title}: {'none yet' if not rows else len(rows)}")
        if rows:
            emit(None, False, table(frame_columns, rows))


def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, reachable and set; never a key's value."""
    found = examine.examine(store())
    emit(
        [{"check": c.name, "ok": c.ok, "detail": c.detail} for c in found],
        as_json,
        table(["check", "", "detail"], [[c.name, "ok" if c.ok else "–", c.detail] for c in found]),
    )
