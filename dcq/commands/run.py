"""Freezing a quiz, giving quizzes to models, and protocol v2 in one go."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from dcq.asking.calls import gives_logprobs
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import RunJob, pick_up, plan, resolve_all
from dcq.asking.task import Ended
from dcq.commands.asking import (
    Budget,
    ByBatch,
    Concurrency,
    Limit,
    MaxCalls,
    RequestsPerMinute,
    Reuse,
    Runs,
    TokensPerMinute,
    ask_each,
    ask_jobs,
    check_batch,
    leave_if_stopped,
    names_of,
)
from dcq.commands.output import AsJson, conclude_words, emit, open_store, remark
from dcq.documents.run_document import run_document
from dcq.errors import DcqError, InputError
from dcq.models import embedded
from dcq.models.pacing.limits import Limits
from dcq.models.presets import EMBEDDED
from dcq.quiz import choice, freeze, protocol2
from dcq.quiz import v2 as whole
from dcq.quiz.method import QUIZ
from dcq.quiz.v2 import ProtocolPass
from dcq.records import PartitionRole, QuizKind, slot_letter
from dcq.store import Store, quizzes, runs, samples
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
    limit: Limit = None,
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
    if batch:
        check_batch(concurrency, rpm, tpm)
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
        RunJob(run_id, endpoint, QUIZ, gives_logprobs(endpoint) if logprobs is None else logprobs)
        for run_id, endpoint in planned
    ]

    options = Options(terms, reuse, limits=Limits(rpm, tpm))
    ended, left_by = ask_jobs(store, jobs, options, "Quiz")
    alone = len(continued) == 1 if continued else len(quiz or []) == len(model or []) == 1
    if alone and isinstance(ended[0], DcqError):
        raise ended[0]
    documents = [run_document(store, job.run) for job in jobs]
    if as_json:
        emit(documents[0] if alone else documents, True, "")
    else:
        for document, end in zip(documents, ended, strict=True):
            emit(None, False, _sentence(document, quizzes.load(store, document["quiz"]).kind, end))
        emit(None, False, _next(store, [job.run for job in jobs]))
    leave_if_stopped(list(zip(names_of(jobs), ended, strict=True)), left_by)


def _next(store: Store, run_ids: Sequence[str]) -> str:
    """How the replies come to a conclusion: with what it lacks of controls, or as they are where
    they are about several targets or a control."""
    plans = [runs.load(store, run_id).plan for run_id in run_ids]
    targets = {plan.sample_id for plan in plans}
    if len(targets) != 1 or _is_control(store, next(iter(targets))):
        return "Next: python -m dcq answer"
    return conclude_words(*targets, *dict.fromkeys(plan.model for plan in plans))


def _is_control(store: Store, sample_id: str) -> bool:
    return samples.partition_of(store, sample_id).role is PartitionRole.CONTROL


def _sentence(document: Mapping[str, Any], kind: QuizKind, end: Ended | DcqError) -> str:
    what = str(end.event) if isinstance(end, Ended) else "broken off"
    if isinstance(end, Ended) and end.event is Event.FINISHED and end.detail:
        what += f" {end.detail}"
    if isinstance(end, InputError):
        what = "not started"
    outcomes = ", ".join(f"{count} {name}" for name, count in document["outcomes"].items() if count)
    sentence = (
        f"Run {document['run']} of {document['model']}, {kind} quiz: {what}."
        f" {outcomes or 'Nothing answered'}."
    )
    if document["correct"] is None or not document["n"]:
        return sentence
    return f"{sentence} Original chosen in {document['correct']}."


def quiz(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    kind: Annotated[QuizKind, typer.Option(help="Which quiz to build.")] = QuizKind.STANDARD,
    slot: Annotated[
        str | None,
        typer.Option(
            help="Slot of the original in a standard quiz or a bcq, A to D. Left out, the least "
            "chosen in the newest finished modified quiz, or D; for a bcq the first that the "
            "newest finished bdq does not prefer."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model whose modified quiz or bdq proposes the slot, or whose bdq a bcq is "
            "made from."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Freeze a quiz: its questions never change again."""
    store = open_store()
    frozen_quiz = freeze.freeze(store, sample, kind, slot=slot, model=model)
    asked = "NAME" if embedded.missing() else EMBEDDED
    sample_id = samples.find(store, sample)[0]
    leads = kind in choice.KINDS and slot is None and not _is_control(store, sample_id)
    as_kind = " --kind rotated" * (kind is QuizKind.ROTATED)
    next_step = (
        conclude_words(sample_id, *([model] if model else [])) + as_kind
        if leads
        else f"Next: python -m dcq run {frozen_quiz.quiz} --model {asked}"
    )
    for sentence in frozen_quiz.notes:
        remark(sentence)
    emit(
        {
            "quiz": frozen_quiz.quiz,
            "kind": kind.value,
            "items": frozen_quiz.items,
            "slot": slot_letter(frozen_quiz.slot),
        },
        as_json,
        f"Quiz {frozen_quiz.quiz}: {frozen_quiz.items} questions ({kind}"
        + (f", original at {slot_letter(frozen_quiz.slot)}" if frozen_quiz.slot is not None else "")
        + f"). {next_step}",
    )


def v2(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    model: Annotated[list[str], typer.Option(help="A model, named as for `run`; may be repeated.")],
    limit: Limit = None,
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
    store = open_store()

    async def take(watch: Watch, name: str) -> ProtocolPass:
        options = Options(Terms(limit, budget), watch=watch)
        return await whole.take(store, sample, name, options, resume=resume)

    models = list(dict.fromkeys(model))
    ended, left_by = ask_each(models, take, "Protocol v2")
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    done = [end for end in ended if isinstance(end, ProtocolPass)]
    documents = [_document(protocol_pass) for protocol_pass in done]
    emit(
        documents[0] if len(ended) == 1 else documents,
        as_json,
        [_summary(protocol_pass) for protocol_pass in done],
    )
    stopped = [end.ended if isinstance(end, ProtocolPass) else end for end in ended]
    leave_if_stopped(list(zip(models, stopped, strict=True)), left_by)


def _document(done: ProtocolPass) -> dict[str, Any]:
    estimate = done.estimate
    return {
        "sample": done.sample,
        "model": done.model,
        "non_preferred": list(estimate.non_preferred) if estimate else [],
        **(estimate.row() if estimate else {"min": None, "max": None, "kappa": None}),
        "runs": list(done.runs),
    }


def _summary(done: ProtocolPass) -> str:
    estimate = done.estimate
    return protocol2.describe(estimate) if estimate else f"The bdq of {done.model} is not done yet."
