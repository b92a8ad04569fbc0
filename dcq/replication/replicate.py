"""A replication in one go: pieces are frozen, completed by one model, and judged by another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.asking import launch, prepare
from dcq.asking.chain import ChainOutcome, ask_run, go_on
from dcq.asking.options import DEFAULTS, Options
from dcq.asking.plan import pick_up
from dcq.replication.freeze import PAIRED, freeze
from dcq.replication.method import CHEAT, EXCLUSIVE, JUDGE, METHODS, REPLICATION
from dcq.replication.pieces import AS_RELEASED, CutRange
from dcq.replication.prompts import Instruction, Version
from dcq.store import Store, runs, samples


@dataclass(frozen=True)
class Design:
    """The settings of a replication: the ``version`` of the wordings, the ``instructions``, the
    ``cut_range`` in which texts are cut (``dcq.replication.freeze.preview``), and the model that
    judges the guided completions that do not equal their reference, None for no judge."""

    judge: str | None = None
    version: Version = Version.PAPER
    instructions: Sequence[Instruction] = PAIRED
    cut_range: CutRange = AS_RELEASED


PUBLISHED = Design()


async def replicate(
    store: Store,
    sample_id: str,
    model: str,
    design: Design = PUBLISHED,
    options: Options = DEFAULTS,
    *,
    resume: bool = False,
) -> ChainOutcome:
    """Have a sample completed and judged. Budget and cap on calls are for both together, the limit
    counts instances. ``resume`` goes on with the newest run of this model on this sample, if there
    is one, as it was frozen and, unless another is named, with its judge. Raises InputError, before
    anything is asked, if one of the models cannot be asked, or this one is replicating the sample
    already."""
    sample, terms = samples.load(store, sample_id), options.terms
    endpoint = REPLICATION.endpoint(model)
    judge = JUDGE.endpoint(design.judge) if design.judge else None
    if judge:
        prepare.check_price(judge, terms)
    with EXCLUSIVE.hold(store, sample.id, endpoint.name):
        run = (
            runs.newest_run(store, REPLICATION.name, endpoint.name, sample_id=sample.id)
            if resume
            else None
        )
        if run:
            pick_up(store, REPLICATION, [run], terms)
        else:
            prepare.check_price(endpoint, terms)
            frozen = freeze_design(store, sample.id, design, options.author)
            run = prepare.plan_run(store, REPLICATION, frozen, endpoint, terms)
        followers = REPLICATION.followers(store, run, judge)
        return await ask_run(store, REPLICATION, run, endpoint, options, followers)


async def ask_for_first_instances(
    store: Store,
    sample_id: str,
    model: str,
    options: Options = DEFAULTS,
    *,
    resume: bool = False,
) -> ChainOutcome:
    """Ask for the first instances of a sample's split, in one call. ``resume`` goes on with the
    newest such run of this model, if there is one. Raises InputError if it cannot be asked."""
    sample = samples.load(store, sample_id)
    endpoint = CHEAT.endpoint(model)
    run = runs.newest_run(store, CHEAT.name, endpoint.name, subject=sample.id) if resume else None
    if run is None:
        prepare.check_price(endpoint, options.terms)
        run = prepare.plan_run(store, CHEAT, sample.id, endpoint, options.terms)
    return await go_on(store, METHODS.values(), run, options)


def start(
    store: Store,
    sample_id: str,
    models: Sequence[str],
    design: Design = PUBLISHED,
    options: Options = DEFAULTS,
) -> list[str]:
    """As ``replicate``, for each model, in one process of their own; returns the ids of the runs.
    The terms hold for each model with its judge. Raises InputError, and starts none, if one of the
    models cannot be asked, or is completing the sample already."""
    sample = samples.load(store, sample_id)
    endpoints = [REPLICATION.endpoint(model) for model in dict.fromkeys(models)]
    judge = JUDGE.endpoint(design.judge) if design.judge else None
    for endpoint in (*endpoints, *((judge,) if judge else ())):
        prepare.check_price(endpoint, options.terms)
    names = [endpoint.name for endpoint in endpoints]
    for name in names:  # before anything is frozen
        EXCLUSIVE.check_free(store, sample.id, name)
    frozen = freeze_design(store, sample.id, design, options.author)
    return launch.begin(store, REPLICATION, [frozen], names, options)


def start_first_instances(store: Store, sample_id: str, models: Sequence[str]) -> list[str]:
    """As ``ask_for_first_instances``, for each model, in one process of their own; returns the ids
    of the runs."""
    return launch.begin(store, CHEAT, [samples.load(store, sample_id).id], models)


def freeze_design(store: Store, sample_id: str, design: Design, author: str = "") -> str:
    """The id of a new replication of a sample."""
    return freeze(
        store,
        sample_id,
        version=design.version,
        instructions=design.instructions,
        cut_range=design.cut_range,
        judge=JUDGE.endpoint(design.judge).name if design.judge else "",
        author=author,
    )
