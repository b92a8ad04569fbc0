"""Overlap on the engine: a sample is searched for on the web, the pages found are looked up in an
archive, or a corpus is scanned.

The subject of a ``search`` or ``scan`` run is a frozen overlap, that of a ``crawl`` run the search
run whose pages are looked up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractAsyncContextManager

from dcq.asking.exclusive import Exclusive
from dcq.asking.task import ChainStep, Method, Proposal, Task
from dcq.errors import InputError
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import Hooks
from dcq.models.pacing.limits import Limits
from dcq.overlap.scan.task import (
    SCAN_PROMPT,
    ScanTask,
    asking_corpus,
    corpus_endpoint,
    keep_hits,
)
from dcq.overlap.search.asking import asking_archive, asking_service
from dcq.overlap.search.providers import (
    archive_endpoint,
    find_archive,
    find_service,
    service_endpoint,
)
from dcq.overlap.search.scope import window_of
from dcq.overlap.search.task import (
    CRAWL_PROMPT,
    SEARCH_PROMPT,
    CrawlTask,
    SearchTask,
    judge_replies,
    pages_to_look_up,
)
from dcq.records import Answer, Ask, Mode
from dcq.store import Store, overlap_hits, overlaps, runs
from dcq.store.runs import Plan

# A search and the archive that its pages are looked up in are one thing to ask.
EXCLUSIVE = Exclusive(
    "overlap-", "{who} is being searched for this sample already; wait, or cancel its run."
)


class _SearchMethod(Method):
    name = "search"
    reads_again = False
    exclusive = EXCLUSIVE
    command = "overlap search"

    def followers(self, store: Store, run_id: str) -> Iterator[ChainStep]:
        """The archive in which the pages that were found are looked up, if one was chosen."""
        archive = overlaps.load(store, runs.load(store, run_id).plan.subject).asked.archive
        if archive and CRAWL.take_up(store, run_id):
            newest_run = runs.newest_run(store, CRAWL.name, archive, subject=run_id)
            yield ChainStep(CRAWL, run_id, CRAWL.endpoint(archive), newest_run)

    def limits(self, endpoint: Endpoint) -> Limits:
        return Limits(requests_per_minute=60 / find_service(endpoint.name).pause)

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        overlap = overlaps.load(store, subject)
        return Proposal(SEARCH_PROMPT, SearchTask(overlap), overlap.asked.sample_id)

    def reopen(self, store: Store, plan: Plan) -> SearchTask:
        return SearchTask(overlaps.load(store, plan.subject))

    def on_stored(
        self, store: Store, run_id: str, task: Task, answers: Collection[Answer] | None
    ) -> None:
        assert isinstance(task, SearchTask)  # noqa: S101  (reopen() made it)
        judge_replies(store, task.overlap, _positions(answers))

    def endpoint(self, model: str) -> Endpoint:
        return service_endpoint(model)

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        return asking_service(find_service(endpoint.name), hooks)


class _Crawl(Method):
    name = "crawl"
    reads_again = False
    follows = True

    def take_up(self, store: Store, run_id: str) -> bool:
        """List the pages of a search on which something was found."""
        overlap = overlaps.load(store, runs.load(store, run_id).plan.subject)
        overlap_hits.add_to_look_up(store, run_id, pages_to_look_up(store, overlap))
        return bool(overlap_hits.to_look_up(store, run_id))

    def limits(self, endpoint: Endpoint) -> Limits:
        return Limits(requests_per_minute=60 / find_archive(endpoint.name).pause)

    @property
    def command(self) -> str:
        return SEARCH.command

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        run = runs.load(store, subject)
        if run.plan.method != SEARCH.name:
            raise InputError(f"Run {run.id} has found no pages to look up; name a search.")
        return Proposal(CRAWL_PROMPT, _crawl_task(store, run.id), run.plan.sample_id)

    def reopen(self, store: Store, plan: Plan) -> CrawlTask:
        return _crawl_task(store, plan.subject)

    def endpoint(self, model: str) -> Endpoint:
        return archive_endpoint(model)

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        return asking_archive(find_archive(endpoint.name), hooks)


class _Scan(Method):
    name = "scan"
    reads_again = False
    exclusive = EXCLUSIVE
    limited = False
    command = "overlap scan"

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        overlap = overlaps.load(store, subject)
        return Proposal(SCAN_PROMPT, ScanTask(overlap), overlap.asked.sample_id)

    def reopen(self, store: Store, plan: Plan) -> ScanTask:
        return ScanTask(overlaps.load(store, plan.subject))

    def on_stored(
        self, store: Store, run_id: str, task: Task, answers: Collection[Answer] | None
    ) -> None:
        assert isinstance(task, ScanTask)  # noqa: S101  (reopen() made it)
        keep_hits(store, task.overlap, _positions(answers))

    def endpoint(self, model: str) -> Endpoint:
        return corpus_endpoint()

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        assert isinstance(task, ScanTask)  # noqa: S101  (reopen() made it)
        return asking_corpus(task.overlap, plan, hooks)


SEARCH = _SearchMethod()
CRAWL = _Crawl()
SCAN = _Scan()
METHODS: Mapping[str, Method] = {method.name: method for method in (SEARCH, CRAWL, SCAN)}


def _positions(answers: Collection[Answer] | None) -> list[int] | None:
    return None if answers is None else [answer.position for answer in answers]


def _crawl_task(store: Store, run_id: str) -> CrawlTask:
    overlap = overlaps.load(store, runs.load(store, run_id).plan.subject)
    window = window_of(overlap.asked)
    if window is None:
        raise InputError(f"Run {run_id} has no window of time to look pages up in.")
    return CrawlTask(overlap_hits.to_look_up(store, run_id), window)
