"""Likelihood: whether a model finds originals likelier than their rewordings."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from dcq.asking.options import Options, Terms
from dcq.asking.plan import RunJob
from dcq.commands.ask import RunChoice, plan_chosen
from dcq.commands.asking import (
    Budget,
    Concurrency,
    MaxCalls,
    RequestsPerMinute,
    Resume,
    Reuse,
    Runs,
    TokensPerMinute,
    ask_jobs,
    leave_if_stopped,
    names_of,
)
from dcq.commands.output import AsJson, emit, open_store, table_of
from dcq.errors import DcqError, InputError
from dcq.likelihood import NAME
from dcq.likelihood.detection import freeze
from dcq.likelihood.measures import WITHOUT_CONTEXT, choose
from dcq.likelihood.method import METHOD
from dcq.models.pacing.limits import Limits
from dcq.store import Store


def likelihood(
    sample: Annotated[
        list[str] | None, typer.Argument(help="Ids of samples, or their beginnings.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A model that gives log-probabilities, with or without likelihood: before its "
            "name; may be repeated."
        ),
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(
            help="The measures, with commas between: mean (which decides, and is always there), "
            "zlib, mink, minkpp, recall, codec; by default "
            f"{', '.join(WITHOUT_CONTEXT)}, which need no text but the wordings."
        ),
    ] = None,
    continued: Runs = None,
    limit: Annotated[int | None, typer.Option(help="Score only the first N instances.")] = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    resume: Resume = False,
    reuse: Reuse = False,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    as_json: AsJson = False,
) -> None:
    """Score originals and their rewordings by likelihood; print what each measure shows.

    Nothing is asked of the model and nothing is written by it. It has to give the log-probabilities
    of a prompt: the embedded model, a model's folder or file, or an endpoint with echo and
    logprobs, such as vLLM's.
    """
    store = open_store()
    terms = Terms(limit, budget, max_calls, concurrency)
    if measures and (continued or resume):
        raise InputError(
            "A run goes on with the measures that it has; leave out --measures, or --run and "
            "--resume."
        )
    chosen = choose(measures.replace(" ", "").split(",") if measures else None)
    subject = partial(freeze, store, measures=chosen)
    choice = RunChoice(sample, model, continued, resume)
    planned = plan_chosen(store, METHOD, subject, choice, terms)
    jobs = [RunJob(run_id, endpoint, METHOD) for run_id, endpoint in planned]

    options = Options(terms, reuse, limits=Limits(rpm, tpm))
    ended, left_by = ask_jobs(store, jobs, options, "Likelihood")
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    _show(store, [job.run for job in jobs], as_json=as_json)
    leave_if_stopped(list(zip(names_of(jobs), ended, strict=True)), left_by)


def _show(store: Store, run_ids: list[str], *, as_json: bool) -> None:
    from dcq.documents.likelihood_document import documents, measured, of_people
    from dcq.judging.answer import conclusions_by_run, ruling_words
    from dcq.judging.answers import answers
    from dcq.judging.study import judged_results

    judged = {result.evidence.run: result for result in judged_results(store, NAME, every_run=True)}
    scored_results = [judged[run_id] for run_id in run_ids if run_id in judged]
    if as_json:
        emit([row for result in scored_results for row in documents(result)], True, "")
        return
    concluded = conclusions_by_run(answers(store))
    for result in scored_results:
        run = result.evidence.run
        emit(None, False, f"Run {run}. {ruling_words(run, concluded)}{result.sentence}")
        rows = measured(result)
        emit(None, False, table_of(of_people(rows), rows))
    for run_id in run_ids:
        if run_id not in judged:
            emit(None, False, f"Run {run_id}. Nothing scored yet.")
    emit(None, False, "Next: python -m dcq answer")
