"""Giving quizzes to models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from dcq.asking.calls import gives_logprobs
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import Job, ask_rest, pick_up, plan, resolve_all
from dcq.asking.task import Ended
from dcq.commands.asking import (
    Budget,
    ByBatch,
    Concurrency,
    MaxCalls,
    RequestsPerMinute,
    Reuse,
    Runs,
    TokensPerMinute,
    ask_each,
    leave_if_stopped,
)
from dcq.commands.output import AsJson, emit, open_store
from dcq.documents.run_document import run_document
from dcq.errors import DcqError, InputError
from dcq.models.pacing.limits import Limits
from dcq.quiz.method import QUIZ
from dcq.records import Kind
from dcq.store import quizzes
from dcq.store.runs import Event


def run(
    quiz: Annotated[list[str] | None, typer.Argument(help="Ids of quizzes.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A model, such as embedded, gpt-4o, ollama:llama3.2:1b, NAME@https://host/v1 or "
            "likelihood:embedded; may be repeated."
        ),
    ] = None,
    continued: Runs = None,
    limit: Annotated[int | None, typer.Option(help="Ask only the first N instances.")] = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue the newest run of this quiz and model, and ask its errors again.",
        ),
    ] = False,
    logprobs: Annotated[
        bool | None,
        typer.Option(
            help="Request the letters' log-probabilities; left out, only from local servers that "
            "give them."
        ),
    ] = None,
    reuse: Reuse = False,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    batch: ByBatch = False,
    sequential: Annotated[
        bool,
        typer.Option(
            "--sequential",
            help="Look at planned points and stop once contamination shows; needs controls.",
        ),
    ] = False,
    stop_for_futility: Annotated[
        bool,
        typer.Option(
            "--stop-for-futility",
            help="With --sequential: also stop if nothing is likely to be found.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Give each quiz to each model; answers are saved as they arrive."""
    store = open_store()
    terms = Terms(limit, budget, max_calls, concurrency, sequential, stop_for_futility)
    if sequential and reuse:
        raise InputError("Looks need new answers, so none can be reused; drop one of the two.")
    if continued:
        if quiz or model or resume or batch or sequential:
            raise InputError(
                "A run has its quiz and its model already; give --run alone, or QUIZ and --model."
            )
        planned = pick_up(store, QUIZ, continued, terms)
    elif quiz and model:
        quiz_ids = dict.fromkeys(quizzes.load(store, name).id for name in quiz)
        endpoints = resolve_all(model)
        planned = asyncio.run(
            plan(store, QUIZ, quiz_ids, endpoints, terms, resume=resume, by_batch=batch)
        )
    else:
        raise InputError("Name a quiz and a model with --model, or a run with --run.")
    jobs = [
        Job(run_id, endpoint, QUIZ, gives_logprobs(endpoint) if logprobs is None else logprobs)
        for run_id, endpoint in planned
    ]

    async def ask(watch: Watch, job: Job) -> Ended:
        options = Options(terms, reuse, limits=Limits(rpm, tpm), watch=watch)
        return await ask_rest(store, job, options)

    ended, left_by = ask_each(jobs, ask, "Quiz")
    alone = len(continued) == 1 if continued else len(quiz or []) == len(model or []) == 1
    if alone and isinstance(ended[0], DcqError):
        raise ended[0]
    documents = [run_document(store, job.run) for job in jobs]
    if as_json:
        emit(documents[0] if alone else documents, True, "")
    else:
        for document, end in zip(documents, ended, strict=True):
            emit(None, False, _sentence(document, quizzes.load(store, document["quiz"]).kind, end))
        emit(None, False, "Next: python -m dcq results")
    names = ["" if alone else f"run {job.run} of {job.endpoint.name}" for job in jobs]
    leave_if_stopped(list(zip(names, ended, strict=True)), left_by)


def _sentence(document: Mapping[str, Any], kind: Kind, end: Ended | DcqError) -> str:
    what = str(end.event) if isinstance(end, Ended) else "broken off"
    if isinstance(end, Ended) and end.event is Event.FINISHED and end.detail:
        what += f" {end.detail}"
    if isinstance(end, InputError):
        what = "not started"
    found = ", ".join(f"{count} {name}" for name, count in document["outcomes"].items() if count)
    sentence = (
        f"Run {document['run']} of {document['model']}, {kind} quiz: {what}."
        f" {found or 'Nothing answered'}."
    )
    if document["correct"] is None or not document["n"]:
        return sentence
    return f"{sentence} Original chosen in {document['correct']}."
