"""Asking models about samples by any method of the list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

from dcq import methods
from dcq.asking import exclusive
from dcq.asking.chain import go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import pick_up, plan_pairs
from dcq.asking.task import Ended, Method
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
    ask_each,
    leave_if_stopped,
)
from dcq.commands.output import AsJson, emit, open_store
from dcq.detection import DetectionMethod
from dcq.documents.run_document import usage
from dcq.errors import InputError
from dcq.judging import every_method
from dcq.judging.study import judged_results
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.limits import Limits
from dcq.store import Store, runs, samples


def ask(
    method: Annotated[str, typer.Argument(help="A method without a command of its own.")],
    sample: Annotated[list[str] | None, typer.Argument(help="Ids of samples.")] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model, named as for `run`; may be repeated.")
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
    """Ask models about samples by a method that has no command of its own, and what follows its
    runs; print what it shows."""
    store, detection_method = open_store(), methods.named(method)
    kind = detection_method.kinds[0]
    if kind.command != f"ask {kind.name}":
        raise InputError(
            f"{detection_method.title} has a command of its own: python -m dcq {kind.command}"
        )
    terms = Terms(limit, budget, max_calls, concurrency)
    choice = RunChoice(sample, model, continued, resume)
    planned = plan_chosen(store, kind, partial(detection_method.subject, store), choice, terms)

    async def one(watch: Watch, run_id: str) -> Ended:
        options = Options(terms, reuse, limits=Limits(rpm, tpm), watch=watch)
        return (await go_on(store, detection_method.kinds, run_id, options)).ended

    run_ids = [run_id for run_id, _ in planned]
    ended, left_by = ask_each(run_ids, one, detection_method.title)
    documents = _documents(store, detection_method, run_ids)
    if as_json:
        emit(documents, True, "")
    else:
        for document in documents:
            emit(None, False, f"Run {document['run']}. {document['finding']}")
        emit(None, False, "Next: python -m dcq answer")
    names = [f"run {run_id} of {endpoint.name}" for run_id, endpoint in planned]
    leave_if_stopped(list(zip(names, ended, strict=True)), left_by)


@dataclass(frozen=True)
class RunChoice:
    """What a person names: samples and models, or runs to go on with."""

    sample: Sequence[str] | None
    model: Sequence[str] | None
    continued: Sequence[str] | None
    resume: bool

    def check(self) -> None:
        """Raise InputError where it names both samples and runs, or neither."""
        if self.continued:
            if self.sample or self.model or self.resume:
                raise InputError(
                    "A run has its sample and its model already; give --run alone, or SAMPLE and "
                    "--model."
                )
        elif not self.sample or not self.model:
            raise InputError("Name a sample and a model with --model, or a run with --run.")


def plan_chosen(
    store: Store, kind: Method, subject: Callable[[str], str], choice: RunChoice, terms: Terms
) -> list[tuple[str, Endpoint]]:
    """The runs that a choice names, each with its endpoint; ``subject`` is what is asked of a
    sample. Raises InputError as ``choice.check``."""
    choice.check()
    if choice.continued:
        return pick_up(store, kind, choice.continued, terms)
    chosen = list(dict.fromkeys(samples.load(store, name).id for name in choice.sample or ()))
    models = choice.model or ()
    endpoints = {endpoint.name: endpoint for endpoint in map(kind.endpoint, models)}.values()
    pairs = [(sample_id, endpoint) for sample_id in chosen for endpoint in endpoints]
    return plan_samples(store, kind, subject, pairs, terms, resume=choice.resume)


def plan_samples(
    store: Store,
    kind: Method,
    subject: Callable[[str], str],
    pairs: Sequence[tuple[str, Endpoint]],
    terms: Terms,
    *,
    resume: bool,
    at_least: bool = False,
) -> list[tuple[str, Endpoint]]:
    """Plan a run for each sample and model, about the ``subject`` of each sample; with ``resume``,
    the newest existing run is taken instead. ``at_least`` is as in ``pick_up``."""
    existing_runs, new = [], []
    for sample, endpoint in pairs:
        newest = (
            runs.newest_run(store, kind.name, endpoint.name, sample_id=sample) if resume else None
        )
        if newest is None:
            exclusive.check_unasked(store, kind.name, sample, endpoint)  # before anything is frozen
            new.append((sample, endpoint))
        else:
            existing_runs.append(newest)
    subjects = {sample: subject(sample) for sample, _ in new}
    asked = [(subjects[sample], endpoint) for sample, endpoint in new]
    return [
        *(pick_up(store, kind, existing_runs, terms, at_least=at_least) if existing_runs else ()),
        *asyncio.run(plan_pairs(store, kind, asked, terms)),
    ]


def _documents(
    store: Store, detection_method: DetectionMethod[Any], run_ids: Sequence[str]
) -> list[dict[str, Any]]:
    """What runs show, with the keys of ``results`` where they have any answer."""
    judged = {
        result.evidence.run: result
        for result in judged_results(store, detection_method.name, every_run=True)
    }
    documents = []
    for run_id in run_ids:
        plan, judged_result = runs.load(store, run_id).plan, judged.get(run_id)
        documents.append(
            {
                "run": run_id,
                "sample": plan.sample_id,
                "model": plan.model,
                **(
                    every_method.of_judged(judged_result)
                    if judged_result
                    else {"method": detection_method.name}
                ),
                "finding": judged_result.sentence if judged_result else "Nothing answered yet.",
                **usage(store, run_id),
            }
        )
    return documents
