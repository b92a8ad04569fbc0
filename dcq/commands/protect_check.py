"""Checking models with the secret of a protected benchmark."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dcq.asking.options import Options, Terms
from dcq.asking.plan import RunJob, pick_up
from dcq.asking.task import Ended
from dcq.commands import no_effect
from dcq.commands.ask import plan_samples
from dcq.commands.asking import (
    Budget,
    Concurrency,
    MaxCalls,
    RequestsPerMinute,
    Reuse,
    Runs,
    TokensPerMinute,
    ask_jobs,
    leave_if_stopped,
)
from dcq.commands.output import AsJson, emit, open_store, percent, table
from dcq.commands.protect_make import open_secret
from dcq.documents.run_document import usage
from dcq.errors import DcqError, InputError
from dcq.evidence.lot import STOP, LotTest, call_models
from dcq.judging.study import judged_results
from dcq.models.endpoints import Endpoint, split_mode
from dcq.models.pacing.limits import Limits
from dcq.protect import NAME
from dcq.protect.check import OpenCheck, open_check
from dcq.protect.shuffle import LETTERED, By
from dcq.store import Store, frozen, runs
from dcq.words import counted

Secret = Annotated[Path, typer.Argument(help="private.dcqsecret.")]
HowAsked = Annotated[
    By | None,
    typer.Option(
        help="letter: four wordings as options; likelihood: all are scored. By default likelihood "
        "for a model named with likelihood:, else letter."
    ),
]
Asks = Annotated[
    int | None,
    typer.Option(
        help="Asks an item by letter, 1 to 4; 4 put each wording into each slot.",
        show_default=str(LETTERED),
    ),
]


def check(
    secret: Secret,
    model: Annotated[str | None, typer.Option(help="A model, named as for `run`.")] = None,
    continued: Runs = None,
    by: HowAsked = None,
    asks: Asks = None,
    limit: Annotated[int | None, typer.Option(help="Ask only about the first N items.")] = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the newest check of this model.")
    ] = False,
    reuse: Reuse = False,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    as_json: AsJson = False,
) -> None:
    """Ask a model which wordings it prefers, and test whether it knew the lots.

    The wordings that are sent are burnt for whoever serves the model: prefer open weights on your
    own machine, and a fresh batch for each provider.
    """
    store = open_store()
    terms = Terms(limit, budget, max_calls, concurrency)
    options = Options(terms, reuse, limits=Limits(rpm, tpm))
    if continued:
        if model or resume:
            raise InputError("A run has its model already; give --run alone, or --model.")
        if by is not None or asks is not None:
            raise InputError("A run goes on as it began; leave out --by and --asks.")
        opened = _reopen(store, secret, continued[0])
        planned = pick_up(store, opened.method, continued, terms)
    elif model:
        opened = _open(store, secret, [model], by, asks)
        planned = _plan(store, opened, model, terms, resume=resume)
    else:
        raise InputError("Name a model with --model, or a run with --run.")
    every_ended, left_by = _ask(store, opened, planned, options)
    documents = [_document(store, opened, run, _tested(store, run)[1]) for run, _ in planned]
    lines = [line for document in documents for line in _words(document)]
    emit(documents[0] if len(documents) == 1 else documents, as_json, lines)
    names = ["" if model else f"run {run}" for run, _ in planned]
    leave_if_stopped(list(zip(names, every_ended, strict=True)), left_by)


def watch(
    secret: Secret,
    model: Annotated[list[str], typer.Option(help="A model; may be repeated.")],
    by: HowAsked = None,
    asks: Asks = None,
    step: Annotated[int, typer.Option(help="Items between two looks.")] = 20,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    as_json: AsJson = False,
) -> None:
    """Check a list of models, each until its evidence is enough or its items are used up.

    The evidence E may be looked at any time. Models share the lots, so their E are averaged, never
    multiplied, and many are called by e-BH. What was asked before is not asked again.
    """
    if step < 1:
        raise InputError(f"There are no looks {step} items apart; give at least 1.")
    store = open_store()
    opened = _open(store, secret, model, by, asks)
    model_names = list(dict.fromkeys(model))
    entries = [
        _until_enough(store, opened, name, step, Terms(None, budget, max_calls, concurrency))
        for name in model_names
    ]
    called = call_models([entry["e_value"] for entry in entries])
    for entry, is_called in zip(entries, called, strict=True):
        entry["called"] = is_called
    average = sum(entry["e_value"] for entry in entries) / len(entries)
    heads = ["model", "items#", "picked#", "E#", "called"]
    rows = [
        [
            entry["model"],
            entry["items"],
            percent(entry["share"]),
            f"{entry['e_value']:.3g}",
            entry["called"],
        ]
        for entry in entries
    ]
    emit({"average_e": average, "models": entries}, as_json, table(heads, rows))


def _open(
    store: Store, path: Path, models: list[str], by: By | None, asks: int | None
) -> OpenCheck:
    if by is None:
        scored = {bool(split_mode(name)[1]) for name in models}
        if len(scored) > 1:
            raise InputError("Some models are named with likelihood: and some not; say --by.")
        by = By.LIKELIHOOD if scored == {True} else By.LETTER
    if by is By.LIKELIHOOD:
        no_effect.refuse({"--asks": asks}, "By likelihood each wording is scored once")
    opened, _ = open_secret(path)
    return open_check(store, opened, by, LETTERED if asks is None else asks)


def _reopen(store: Store, path: Path, run: str) -> OpenCheck:
    """As the run asks."""
    design = frozen.design_of(store, runs.load(store, run).plan.subject)
    if {"by", "asks"} - design.keys():
        raise InputError(
            f"Run {run} is no check of a protected benchmark; see: python -m dcq status"
        )
    return open_check(store, open_secret(path)[0], By(design["by"]), int(design["asks"]))


def _plan(
    store: Store,
    opened: OpenCheck,
    model: str,
    terms: Terms,
    *,
    resume: bool,
    at_least: bool = False,
) -> list[tuple[str, Endpoint]]:
    return plan_samples(
        store,
        opened.method,
        lambda sample: opened.subject(store, sample),
        [(opened.sample, opened.method.endpoint(model))],
        terms,
        resume=resume,
        at_least=at_least,
    )


def _ask(
    store: Store, opened: OpenCheck, planned: Sequence[tuple[str, Endpoint]], options: Options
) -> tuple[list[Ended | DcqError], list[signal.Signals]]:
    """Why each run ended, and the signals that ended it; their lots are open."""
    jobs = [RunJob(run, endpoint, opened.method) for run, endpoint in planned]
    ended, left_by = ask_jobs(store, jobs, options, "Protected benchmark")
    for run, _ in planned:
        opened.conclude(store, run)
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    return list(ended), left_by


def _until_enough(
    store: Store, opened: OpenCheck, model: str, step: int, terms: Terms
) -> dict[str, Any]:
    """Ask about more items until E is enough. Only this looks at E: what asks is told how many
    items, and learns nothing from where it ends but that it was enough."""
    asked, looks = 0, []
    while True:
        asked = min(asked + step, len(opened.sheet.items))
        options = Options(replace(terms, limit=asked))
        planned = _plan(store, opened, model, options.terms, resume=True, at_least=True)
        [(run_id, _)] = planned
        [ended], left_by = _ask(store, opened, planned, options)
        if left_by:
            leave_if_stopped([("", ended)], left_by)
        _, lot_test = _tested(store, run_id)
        looks.append({"items": lot_test.items, "e_value": lot_test.e_value} if lot_test else None)
        if lot_test is None or asked == len(opened.sheet.items) or 1 / lot_test.p_anytime >= STOP:
            break
        if isinstance(ended, DcqError) or ended.detail:
            break
    return _document(store, opened, run_id, lot_test) | {"looks": looks}


def _tested(store: Store, run_id: str) -> tuple[str, LotTest | None]:
    for result in judged_results(store, NAME, every_run=True):
        lot_test = result.evidence.figures.get("test")
        if result.evidence.run == run_id and isinstance(lot_test, LotTest):
            return result.sentence, lot_test
    return "Nothing answered yet.", None


def _document(
    store: Store, opened: OpenCheck, run_id: str, lot_test: LotTest | None
) -> dict[str, Any]:
    keys = asdict(lot_test) if lot_test else dict.fromkeys(LotTest.__dataclass_fields__)
    return {
        "benchmark": opened.sheet.title,
        **keys,
        "run": run_id,
        "model": runs.load(store, run_id).plan.model,
        "cost_usd": usage(store, run_id)["cost_usd"],
    }


def _words(document: dict[str, Any]) -> list[str]:
    if document["items"] is None:
        return ["Nothing answered yet."]
    return [
        f"{document['model']} prefers the published wording in {percent(document['share'])} of "
        f"{counted(document['items'], 'item')} (p = {document['p_value']:.3g}, E = "
        f"{document['e_value']:.3g}).",
        f"Next: python -m dcq answer --model {shlex.quote(document['model'])}",
    ]
