"""Asking models originals and rewordings, for the effect on scores."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from dcq import settings
from dcq.asking.options import Options, Terms
from dcq.asking.plan import RunJob
from dcq.commands.ask import RunChoice, plan_chosen
from dcq.commands.asking import (
    Budget,
    Concurrency,
    Limit,
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
from dcq.commands.matter import print_findings
from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.effect.method import METHOD, check_roles
from dcq.effect.questions import NAME, freeze, role_of
from dcq.effect.scores import ModelRole
from dcq.errors import DcqError, InputError
from dcq.models.pacing.limits import Limits
from dcq.store import Store, frozen, run_progress, runs, samples
from dcq.store.studies import Study


def score(
    sample: Annotated[
        list[str] | None,
        typer.Argument(help="Id of a sample with accepted rewordings, or its beginning."),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model, named as for `run`; may be repeated.")
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(help="A reference model, clean by its date, asked as well; may be repeated."),
    ] = None,
    continued: Runs = None,
    limit: Limit = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    resume: Resume = False,
    reuse: Reuse = False,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    as_json: AsJson = False,
) -> None:
    """Ask models originals and their rewordings, keep the scores beside those kept before, and
    print what `matter` finds in them."""
    store = open_store()
    terms = Terms(limit, budget, max_calls, concurrency)
    check_roles(model or (), reference or ())
    references = {METHOD.endpoint(name).name for name in reference or ()}
    subject = partial(freeze, store, references=sorted(references), author=settings.load().author)
    choice = RunChoice(sample, [*(model or ()), *(reference or ())], continued, resume)
    choice.check()
    partition = _partition(store, choice)
    if resume:
        _check_resumed(store, choice, references)
    jobs = [
        RunJob(run_id, endpoint, METHOD)
        for run_id, endpoint in plan_chosen(store, METHOD, subject, choice, terms)
    ]

    options = Options(terms, reuse, limits=Limits(rpm, tpm))
    ended, left_by = ask_jobs(store, jobs, options, "Scores")
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    _show(store, partition, [job.run for job in jobs], as_json=as_json)
    leave_if_stopped(list(zip(names_of(jobs), ended, strict=True)), left_by)


def _partition(store: Store, choice: RunChoice) -> str:
    """The partition of the sample that is asked about, before anything is planned."""
    sample_ids = [
        *(runs.load(store, run_id).plan.sample_id for run_id in choice.continued or ()),
        *(choice.sample or ()),
    ]
    partitions = dict(samples.find(store, sample_id) for sample_id in sample_ids)
    if len(partitions) > 1:
        raise InputError("Scores are of one sample at a time; name it or its runs alone.")
    [partition] = partitions.values()
    return partition.id


def _check_resumed(store: Store, choice: RunChoice, references: set[str]) -> None:
    """A run that goes on has the role in which it began."""
    for sample_id in (samples.find(store, name)[0] for name in choice.sample or ()):
        for name in (METHOD.endpoint(model).name for model in choice.model or ()):
            run = runs.newest_run(store, NAME, name, sample_id=sample_id)
            if run is None:
                continue
            role = role_of(frozen.design_of(store, runs.load(store, run).plan.subject), name)
            if (role is ModelRole.REFERENCE) != (name in references):
                raise InputError(
                    f"Run {run} asked {name} as a {role}; start a new one without --resume (with "
                    "--reuse its answers cost nothing), or name it as before."
                )


def _show(store: Store, partition: str, run_ids: list[str], *, as_json: bool) -> None:
    from dcq.effect import asked, stored, wording  # here: the judge loads much

    asked.keep_runs(store, run_ids, settings.load().author)
    for run in run_progress.progress(store, run_ids):
        if run.refused or run.invalid:
            remark(
                f"{run.model}: {run.refused:,} refused and {run.invalid:,} unusable replies count "
                "as wrong."
            )
    effects = stored.all_stored(store, Study("", partitions=(partition,)))
    if not effects:
        emit([], as_json, "No instance is answered in both wordings yet.")
    for effect in effects:
        for complaint in wording.complaints(effect.scores):
            remark(complaint)
        print_findings(effect.findings, effect.over_time, effect.silent, as_json=as_json)
