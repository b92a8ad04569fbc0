"""A search or a scan in one go. A search is two runs: a service is asked about a sample, then an
archive about the pages that were found.

What belongs together is in the store, so if a process is killed at any moment, another can continue
from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dcq.asking import prepare
from dcq.asking.plan import pick_up
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.asking.rest import NOBODY, Watch, ask_rest
from dcq.asking.task import Ended, Method
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.limits import Limits
from dcq.overlap.freeze import CORPUS, freeze_scan, freeze_search
from dcq.overlap.method import CRAWL, METHODS, SCAN, SEARCH, list_for_crawl
from dcq.overlap.search.providers import find_archive, find_service
from dcq.overlap.search.service import Window
from dcq.records import fingerprint
from dcq.store import Store, overlaps, runs, samples
from dcq.store.runs import Event

BUSY = "This sample is being searched for there already; wait, or cancel its run."
NONE, DEFAULT = "none", "default"


@dataclass(frozen=True)
class Whole:
    """The ``run`` of a search or scan, that of the archive, None where none was asked, and how the
    last of them ``ended``."""

    run: str
    crawl_run: str | None
    ended: Ended


@dataclass(frozen=True)
class Wanted:
    """What a search is to be: within which days, with which preset, its pages looked up in which
    archive (``none``, or by ``default`` Common Crawl where there is a window), the price of a call
    in the person's plan, None where it is not known, and from which score on a page counts, None
    for the preset's."""

    window: Window | None = None
    preset: str = "paper"
    archive: str = DEFAULT
    usd_per_call: float | None = None
    author: str = ""
    threshold: float | None = None


def lock_name(sample_id: str, source: str) -> str:
    """The name of the lock that is held while a sample is searched for."""
    return f"overlap-{fingerprint(sample_id, source)}"


def choose_archive(wanted: Wanted, *, live: bool) -> str:
    """The archive that pages are looked up in, "" for none. A crawl means something only by a day,
    so without a window there is none by default."""
    if wanted.archive == DEFAULT:
        return "common-crawl" if live and wanted.window is not None else ""
    if wanted.archive == NONE:
        return ""
    if not live:
        raise InputError("What this service has is a crawl itself; look nothing up in archives.")
    return find_archive(wanted.archive).name


def freeze_wanted(store: Store, sample_id: str, source: str, wanted: Wanted) -> str:
    """Keep what is searched for; returns the id of the overlap. Raises InputError as
    ``freeze_search``."""
    service = find_service(source)
    return freeze_search(
        store,
        sample_id,
        service,
        window=wanted.window,
        archive=choose_archive(wanted, live=service.live),
        preset=wanted.preset,
        threshold=wanted.threshold,
        usd_per_call=wanted.usd_per_call,
        author=wanted.author,
    )


async def search(
    store: Store,
    sample_id: str,
    source: str,
    wanted: Wanted,
    terms: Terms = NO_TERMS,
    *,
    resume: bool = False,
    reuse: bool = False,
    watch: Watch = NOBODY,
) -> Whole:
    """Search for a sample with the service ``source``, and look up what was found.

    The cap on calls of ``terms`` is for both together, its limit counts instances. ``resume`` goes
    on with the newest run of this sample and service, if there is one, as it was frozen. Raises
    InputError, before anything is asked, if the service cannot be asked so, or it is being asked
    about the sample already.
    """
    sample = samples.load(store, sample_id)
    who = SEARCH.endpoint(source)
    with lock.hold(store, lock_name(sample.id, who.name), BUSY):
        known = overlaps.newest_run(store, sample.id, SEARCH.name, who.name) if resume else None
        if known:
            pick_up(store, SEARCH, [known], terms)
        else:
            prepare.check_price(who, terms)
            frozen = freeze_wanted(store, sample.id, source, wanted)
            known = prepare.plan_run(store, SEARCH, frozen, who, terms)
        return await _search(store, known, who, reuse=reuse, watch=watch)


async def scan(
    store: Store,
    sample_id: str,
    corpus: Sequence[Path],
    terms: Terms = NO_TERMS,
    *,
    preset: str = "paper",
    threshold: float | None = None,
    author: str = "",
    resume: bool = False,
    watch: Watch = NOBODY,
) -> Whole:
    """Look for a sample in a corpus; the concurrency of ``terms`` is how many processes there may
    be. ``resume`` goes on with the newest scan for this sample, if there is one, in the corpus that
    it was planned for. Raises InputError as ``freeze_scan``, or if a corpus is being scanned for
    the sample already."""
    sample = samples.load(store, sample_id)
    who = SCAN.endpoint(CORPUS)
    with lock.hold(store, lock_name(sample.id, CORPUS), BUSY):
        known = overlaps.newest_run(store, sample.id, SCAN.name, CORPUS) if resume else None
        if known:
            pick_up(store, SCAN, [known], terms)
        else:
            frozen = freeze_scan(
                store, sample.id, corpus, preset=preset, threshold=threshold, author=author
            )
            known = prepare.plan_run(store, SCAN, frozen, who, terms)
        return await _one(store, SCAN, known, who, reuse=False, watch=watch)


async def go_on(
    store: Store,
    run_id: str,
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    watch: Watch = NOBODY,
) -> Whole:
    """Ask what is left of a run of any of the methods in ``METHODS``; the pages that a search found
    are looked up as it was frozen. Raises InputError as ``search``, and for a run of another
    method."""
    stored = runs.load(store, run_id)
    method = METHODS.get(stored.plan.method)
    if method is None:
        raise InputError(
            f"Run {stored.id} is a {stored.plan.method} run; it is resumed by the command that "
            "started it."
        )
    if method is CRAWL:
        list_for_crawl(store, stored.plan.subject)  # the search may have gone on
        [(known, who)] = pick_up(store, CRAWL, [stored.id], terms)
        done = await _one(store, CRAWL, known, who, reuse=reuse, watch=watch)
        return Whole(stored.plan.subject, known, done.ended)
    with lock.hold(store, lock_name(stored.plan.sample_id, stored.plan.model), BUSY):
        [(known, who)] = pick_up(store, method, [stored.id], terms)
        if method is SEARCH:
            return await _search(store, known, who, reuse=reuse, watch=watch)
        return await _one(store, method, known, who, reuse=reuse, watch=watch)


async def _search(store: Store, run_id: str, who: Endpoint, *, reuse: bool, watch: Watch) -> Whole:
    """Ask what is left, first of the service and then of the archive."""
    done = await _one(store, SEARCH, run_id, who, reuse=reuse, watch=watch)
    plan = runs.load(store, run_id).plan
    archive = overlaps.load(store, plan.subject).asked.archive
    known = runs.newest(store, run_id, archive, method=CRAWL.name) if archive else None
    if done.ended.event is not Event.FINISHED or not archive:
        return Whole(run_id, known, done.ended)
    if not list_for_crawl(store, run_id):
        return Whole(run_id, known, done.ended)
    if watch.cancelled is not None and watch.cancelled.is_set():
        words = "cancelled; the pages that were found are not looked up in the archive"
        return Whole(run_id, known, Ended(Event.CANCELLED, words))
    calls = None
    if plan.max_calls is not None:
        calls = plan.max_calls - runs.spent(store, run_id).calls
        if calls < 1:
            words = f"The {plan.max_calls:,} calls are made for the search; allow more and resume."
            return Whole(run_id, known, Ended(Event.STOPPED, words))
    asked = CRAWL.endpoint(archive)
    terms = Terms(max_calls=calls)
    if known is None:
        known = prepare.plan_run(store, CRAWL, run_id, asked, terms)
    else:
        pick_up(store, CRAWL, [known], terms)
    last = await _one(store, CRAWL, known, asked, reuse=reuse, watch=watch)
    return Whole(run_id, known, last.ended)


async def _one(
    store: Store, method: Method, run_id: str, who: Endpoint, *, reuse: bool, watch: Watch
) -> Whole:
    """Ask what is left of one run, at the pace that its source allows."""
    if method is SCAN:
        limits = Limits()
    else:
        source = find_archive(who.name) if method is CRAWL else find_service(who.name)
        limits = Limits(requests_per_minute=60 / source.pause)
    ended = await ask_rest(store, method, run_id, who, reuse=reuse, limits=limits, watch=watch)
    return Whole(run_id, None, ended)
