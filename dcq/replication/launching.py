"""Replications in processes of their own; see ``dcq.asking.launch``."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.asking import launch, prepare
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.state import state_of
from dcq.replication.freeze import PAIRED, freeze
from dcq.replication.method import CHEAT, JUDGE, METHODS, REPLICATION
from dcq.replication.prompts import Instruction, Version
from dcq.replication.replicate import BUSY, lock_name
from dcq.store import Store, replications, runs, samples


def start(
    store: Store,
    sample_id: str,
    models: Sequence[str],
    terms: Terms = NO_TERMS,
    *,
    judge: str | None = None,
    version: Version = Version.PAPER,
    instructions: Sequence[Instruction] = PAIRED,
    author: str = "",
    reuse: bool = False,
) -> list[str]:
    """Start having each model complete a sample, and the ``judge`` judge it, in one process;
    returns the ids of the runs. The terms hold for each model with its judge.

    Raises InputError, and starts none, if one of the models cannot be asked so, or is completing
    the sample already.
    """
    sample = samples.load(store, sample_id)
    endpoints = [REPLICATION.endpoint(model) for model in dict.fromkeys(models)]
    arbiter = JUDGE.endpoint(judge) if judge else None
    for endpoint in (*endpoints, *((arbiter,) if arbiter else ())):
        prepare.check_price(endpoint, terms)
    with lock.wait_for(store, f"starting-replicate-{sample.id}"):
        for endpoint in endpoints:
            newest = replications.newest_run(store, sample.id, endpoint.name)
            if lock.held(store, lock_name(sample.id, endpoint.name)) or _is_live(store, newest):
                raise InputError(BUSY)
        frozen = freeze(
            store,
            sample.id,
            version=version,
            instructions=instructions,
            judge=arbiter.name if arbiter else "",
            author=author,
        )
        names = [endpoint.name for endpoint in endpoints]
        return launch.begin(store, REPLICATION, [frozen], names, terms, reuse=reuse)


def ask_for_first_instances(store: Store, sample_id: str, models: Sequence[str]) -> list[str]:
    """Start asking each model for the first instances of the sample's split, one call each; returns
    the ids of the runs. Raises InputError if a model cannot be asked."""
    return launch.begin(store, CHEAT, [samples.load(store, sample_id).id], models)


def resume(store: Store, run_id: str, terms: Terms = NO_TERMS, *, all_of_it: bool = False) -> None:
    """Go on with a run of any of the methods in ``METHODS``, to the end of its plan or, if
    ``all_of_it``, of its subject; ``terms`` may allow it more money and calls. Raises InputError if
    it is under way."""
    plan = runs.load(store, run_id).plan
    if plan.method == REPLICATION.name and lock.held(store, lock_name(plan.sample_id, plan.model)):
        raise InputError(BUSY)
    launch.resume(store, METHODS[plan.method], run_id, terms, all_of_it=all_of_it)


def _is_live(store: Store, run_id: str | None) -> bool:
    if run_id is None:
        return False
    run = runs.load(store, run_id)
    return state_of(store, run_id, run.event, run.event_at).live
