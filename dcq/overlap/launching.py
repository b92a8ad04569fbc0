"""Searches and scans in processes of their own; see ``dcq.asking.launch``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dcq.asking import launch
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.state import state_of
from dcq.overlap.freeze import CORPUS, freeze_scan, queries_of, requests_of
from dcq.overlap.meteor import find_preset
from dcq.overlap.method import METHODS, SCAN, SEARCH
from dcq.overlap.query import Query
from dcq.overlap.search.asking import write_query
from dcq.overlap.search.providers import find_service
from dcq.overlap.search.service import Scope
from dcq.overlap.searching import BUSY, Wanted, freeze_wanted, lock_name
from dcq.store import Store, earlier, overlaps, runs, samples

_STARTING = "starting-overlap"  # the name of the lock that lets one start at a time


@dataclass(frozen=True)
class Estimate:
    """What a search takes: ``requests`` about ``instances``, of which ``known`` have been asked
    before and can be reused, at most so many ``calls`` for the others, and USD for these, None
    where no price is known. Looking pages up in an archive is not part of it, and costs nothing."""

    instances: int
    requests: int
    known: int
    calls: int
    usd: float | None


def estimate(
    store: Store,
    sample_id: str,
    source: str,
    wanted: Wanted,
    *,
    limit: int | None = None,
    reuse: bool = False,
) -> Estimate:
    """What a search would take; needs no key. Raises InputError for an unknown name."""
    service = find_service(source)
    sample = samples.load(store, sample_id)
    queries = [one for one in queries_of(sample) if isinstance(one, Query)][:limit]
    requests = requests_of(queries, service, find_preset(wanted.preset, wanted.threshold))
    scope = Scope(wanted.window, sample.partition.language)
    hashes = [sha256(write_query(request.text, scope)) for request in requests]
    there = earlier.known(store, service.name, service.address, hashes)
    known = sum(digest in there for digest in hashes)
    calls = (len(requests) - (known if reuse else 0)) * service.calls
    price = wanted.usd_per_call
    return Estimate(
        len(queries), len(requests), known, calls, None if price is None else calls * price
    )


def start_search(
    store: Store,
    sample_id: str,
    source: str,
    wanted: Wanted,
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
) -> str:
    """Start searching for a sample in a process of its own; returns the id of the run. Raises
    InputError as ``searching.search``, and starts nothing."""
    who = SEARCH.endpoint(source)
    sample = samples.load(store, sample_id)
    _check_free(store, sample.id, SEARCH.name, who.name)
    frozen = freeze_wanted(store, sample.id, source, wanted)
    with lock.wait_for(store, _STARTING):
        _check_free(store, sample.id, SEARCH.name, who.name)
        [run_id] = launch.begin(store, SEARCH, [frozen], [who.name], terms, reuse=reuse)
    return run_id


def start_scan(
    store: Store,
    sample_id: str,
    corpus: Sequence[Path],
    *,
    preset: str = "paper",
    threshold: float | None = None,
    author: str = "",
) -> str:
    """Start scanning a corpus for a sample in a process of its own; returns the id of the run.
    Raises InputError as ``searching.scan``, and starts nothing."""
    sample = samples.load(store, sample_id)
    _check_free(store, sample.id, SCAN.name, CORPUS)
    # Before the lock, because to list a large corpus takes longer than others can wait.
    frozen = freeze_scan(
        store, sample.id, corpus, preset=preset, threshold=threshold, author=author
    )
    with lock.wait_for(store, _STARTING):
        _check_free(store, sample.id, SCAN.name, CORPUS)
        [run_id] = launch.begin(store, SCAN, [frozen], [CORPUS])
    return run_id


def resume(store: Store, run_id: str, terms: Terms = NO_TERMS, *, all_of_it: bool = False) -> None:
    """Go on with a run of any of the methods in ``METHODS``, to the end of its plan or, if
    ``all_of_it``, of its subject; ``terms`` may allow it more calls. Raises InputError if it is
    under way."""
    plan = runs.load(store, run_id).plan
    if plan.method in {SEARCH.name, SCAN.name} and lock.held(
        store, lock_name(plan.sample_id, plan.model)
    ):
        raise InputError(BUSY)
    # A scan has no limit, and its command takes none.
    whole = all_of_it or plan.method == SCAN.name
    launch.resume(store, METHODS[plan.method], run_id, terms, all_of_it=whole)


def _check_free(store: Store, sample_id: str, method: str, source: str) -> None:
    newest = overlaps.newest_run(store, sample_id, method, source)
    known = runs.load(store, newest) if newest else None
    if lock.held(store, lock_name(sample_id, source)) or (
        known and state_of(store, known.id, known.event, known.event_at).live
    ):
        raise InputError(BUSY)
