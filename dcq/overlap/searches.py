"""A search or a scan in one go. A search is two runs: a service is asked about a sample, then an
archive about the pages that were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dcq.asking import launch, prepare
from dcq.asking.chain import ChainOutcome, ask_run
from dcq.asking.options import DEFAULTS, Options
from dcq.asking.plan import pick_up
from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.overlap.freeze import (
    DEFAULT,
    NONE,
    SearchDesign,
    freeze_scan,
    freeze_search,
    queries_of,
    requests_of,
)
from dcq.overlap.meteor import find_preset
from dcq.overlap.method import EXCLUSIVE, SCAN, SEARCH
from dcq.overlap.query import Query
from dcq.overlap.scan.shards import CORPUS
from dcq.overlap.search.asking import write_query
from dcq.overlap.search.providers import find_service
from dcq.overlap.search.service import Scope
from dcq.store import Store, answers, overlaps, runs, samples


async def search(
    store: Store,
    sample_id: str,
    source: str,
    design: SearchDesign,
    options: Options = DEFAULTS,
    *,
    resume: bool = False,
) -> ChainOutcome:
    """Search for a sample with the service ``source``, and look up the pages in an archive. The cap
    on calls is for both together, the limit counts instances. ``resume`` goes on with the newest
    run of this sample and service, if there is one, as it was frozen. Raises InputError, before
    anything is asked, if the service cannot be asked, or is being asked about the sample
    already."""
    sample = samples.load(store, sample_id)
    endpoint = SEARCH.endpoint(source)
    with EXCLUSIVE.hold(store, sample.id, endpoint.name):
        run = (
            runs.newest_run(store, SEARCH.name, endpoint.name, sample_id=sample.id)
            if resume
            else None
        )
        if run is None:
            prepare.check_price(endpoint, options.terms)
            frozen = freeze_search(store, sample.id, find_service(source), design, options.author)
            run = prepare.plan_run(store, SEARCH, frozen, endpoint, options.terms)
        else:
            window = design.window
            _check_as_frozen(
                store,
                run,
                window_start=window.start if window else None,
                window_end=window.end if window else None,
                archive=None if design.archive == DEFAULT else design.archive,
                usd_per_call=design.usd_per_call,
                preset=None if design.preset == SearchDesign().preset else design.preset,
                threshold=design.threshold,
            )
            pick_up(store, SEARCH, [run], options.terms)
        return await ask_run(store, SEARCH, run, endpoint, options)


async def scan(
    store: Store,
    sample_id: str,
    corpus: Sequence[Path],
    options: Options = DEFAULTS,
    *,
    preset: str = "paper",
    threshold: float | None = None,
    resume: bool = False,
) -> ChainOutcome:
    """Look for a sample in a corpus; the concurrency of the terms is how many processes there may
    be. ``resume`` goes on with the newest scan for this sample, if there is one, in the corpus that
    it was planned for. Raises InputError as ``freeze_scan``, or if a corpus is being scanned for
    the sample already."""
    sample = samples.load(store, sample_id)
    endpoint = SCAN.endpoint(CORPUS)
    with EXCLUSIVE.hold(store, sample.id, CORPUS):
        run = runs.newest_run(store, SCAN.name, CORPUS, sample_id=sample.id) if resume else None
        if run is None:
            frozen = freeze_scan(
                store, sample.id, corpus, preset=preset, threshold=threshold, author=options.author
            )
            run = prepare.plan_run(store, SCAN, frozen, endpoint, options.terms)
        else:
            _check_as_frozen(
                store,
                run,
                corpus=tuple(str(path.expanduser().absolute()) for path in corpus) or None,
                preset=None if preset == SearchDesign().preset else preset,
                threshold=threshold,
            )
            pick_up(store, SCAN, [run], options.terms)
        return await ask_run(store, SCAN, run, endpoint, options)


def _check_as_frozen(store: Store, run: str, **given: object) -> None:
    """Raise InputError where a run that goes on was frozen with another value than one that is
    ``given``, by the fields of ``OverlapDesign``; None stands for one that is not given."""
    frozen = overlaps.load(store, runs.load(store, run).plan.subject).asked
    for name, value in given.items():
        stored = getattr(frozen, name)
        if value is not None and value != (stored or NONE if name == "archive" else stored):
            what = name.split("_", maxsplit=1)[0].replace("usd", "price")
            raise InputError(
                f"Run {run} goes on with the {what} that it was planned with; leave yours out, or "
                "start a new run without --resume."
            )


def start_search(
    store: Store,
    sample_id: str,
    source: str,
    design: SearchDesign,
    options: Options = DEFAULTS,
) -> str:
    """As ``search``, in a process of its own; returns the id of the run. Raises InputError, and
    starts nothing, where that does."""
    endpoint = SEARCH.endpoint(source)
    sample = samples.load(store, sample_id)
    EXCLUSIVE.check_free(store, sample.id, endpoint.name)  # before anything is frozen
    frozen = freeze_search(store, sample.id, find_service(source), design, options.author)
    return launch.begin(store, SEARCH, [frozen], [endpoint.name], options)[0]


def start_scan(
    store: Store,
    sample_id: str,
    corpus: Sequence[Path],
    *,
    preset: str = "paper",
    threshold: float | None = None,
    author: str = "",
) -> str:
    """As ``scan``, in a process of its own; returns the id of the run. Raises InputError, and
    starts nothing, where that does."""
    sample = samples.load(store, sample_id)
    EXCLUSIVE.check_free(store, sample.id, CORPUS)
    frozen = freeze_scan(
        store, sample.id, corpus, preset=preset, threshold=threshold, author=author
    )
    return launch.begin(store, SCAN, [frozen], [CORPUS])[0]


@dataclass(frozen=True)
class SearchEstimate:
    """The estimate of a search: ``requests`` about ``instances``, of which ``reusable`` have been
    asked before, at most so many ``calls`` for the others, and USD for these, None where the price
    is unknown. Looking pages up in an archive is not part of it, and costs nothing."""

    instances: int
    requests: int
    reusable: int
    calls: int
    usd: float | None


def estimate(
    store: Store,
    sample_id: str,
    source: str,
    design: SearchDesign,
    *,
    limit: int | None = None,
    reuse: bool = False,
) -> SearchEstimate:
    """The estimate of a search, without using a key. Raises InputError for an unknown name."""
    service = find_service(source)
    sample = samples.load(store, sample_id)
    queries = [query for query in queries_of(sample) if isinstance(query, Query)][:limit]
    requests = requests_of(queries, service, find_preset(design.preset, design.threshold))
    scope = Scope(design.window, sample.partition.language)
    hashes = [sha256(write_query(request.text, scope)) for request in requests]
    stored_hashes = answers.stored_prompts(store, service.name, service.address, hashes)
    stored_count = sum(digest in stored_hashes for digest in hashes)
    calls = (len(requests) - (stored_count if reuse else 0)) * service.calls
    price = design.usd_per_call
    return SearchEstimate(
        len(queries), len(requests), stored_count, calls, None if price is None else calls * price
    )
