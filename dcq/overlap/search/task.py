"""Searches on the engine: what a service is asked about the queries of a sample, and an archive
about the pages that were found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dcq.asking.prompt import Prompt
from dcq.overlap.freeze import scope_of, settings_of
from dcq.overlap.search.asking import read_pages, write_page, write_query
from dcq.overlap.search.judge import judge
from dcq.overlap.search.service import Window
from dcq.records import Outcome, Reading, Reply
from dcq.store import Store, overlap_hits
from dcq.store.overlap_hits import StoredHit
from dcq.store.overlaps import Overlap

# Nothing is worded: a request is the query itself, and a reply has no tokens.
SEARCH_PROMPT = Prompt("search", "v1", "", 0.0, 0)
CRAWL_PROMPT = Prompt("crawl", "v1", "", 0.0, 0)


@dataclass(frozen=True)
class SearchTask:
    """The pieces of an overlap's queries, query by query."""

    overlap: Overlap

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return len(self.overlap.requests)

    def count_first(self, limit: int) -> int:
        """How many pieces the first ``limit`` instances have that are searched for."""
        queries = list(dict.fromkeys(request.query for request in self.overlap.requests))
        first = set(queries[:limit])
        return sum(request.query in first for request in self.overlap.requests)

    def text(self, position: int) -> str:
        """The request as JSON."""
        return write_query(self.overlap.requests[position].text, scope_of(self.overlap.asked))

    def read(self, position: int, reply: Reply) -> Reading:
        """How many pages there are."""
        pages = len(read_pages(reply.text or "[]"))
        return Reading(Outcome.ANSWERED, str(pages), f"{pages} pages" if pages != 1 else "1 page")


@dataclass(frozen=True)
class CrawlTask:
    """The pages that are looked up in an archive."""

    pages: Sequence[str]
    window: Window

    @property
    def size(self) -> int:
        """How many pages there are."""
        return len(self.pages)

    def count_first(self, limit: int) -> int:
        """How many the first ``limit`` pages are."""
        return min(limit, self.size)

    def text(self, position: int) -> str:
        """The request as JSON."""
        return write_page(self.pages[position], self.window)

    def read(self, position: int, reply: Reply) -> Reading:
        """``yes`` or ``no``: whether the archive has the page from a day in the window."""
        there = reply.text == "true"
        return Reading(Outcome.ANSWERED, "yes" if there else "no", "")


def judge_replies(store: Store, overlap: Overlap, positions: Iterable[int] | None) -> None:
    """Keep what the replies say of the queries that these requests are pieces of, of all queries if
    None; a query is judged once, when the replies to all its pieces are there."""
    by_query: dict[int, list[int]] = defaultdict(list)
    for position, request in enumerate(overlap.requests):
        by_query[request.query].append(position)
    if positions is None:
        known = overlap_hits.scores(store, overlap.id)
        wanted = set(by_query) - set(known)
    else:
        wanted = {overlap.requests[position].query for position in positions}
    asked = [position for query in wanted for position in by_query[query]]
    replies = overlap_hits.replies(store, overlap.id, asked)
    scores: dict[int, float] = {}
    hits: list[StoredHit] = []
    for query in sorted(wanted):
        if all(position in replies for position in by_query[query]):
            scores[query], found = _judge(overlap, query, by_query[query], replies)
            hits += found
    overlap_hits.add_judged(store, overlap.id, scores, hits)


def _judge(
    overlap: Overlap, query: int, positions: Sequence[int], replies: dict[int, str]
) -> tuple[float, list[StoredHit]]:
    versions: dict[bool, list[str]] = defaultdict(list)
    for position in positions:
        request = overlap.requests[position]
        versions[request.of_input].append(request.text)
    pages = [page for position in positions for page in read_pages(replies[position])]
    found = judge(
        list(versions.values()), overlap.queries[query].label, pages, settings_of(overlap.asked)
    )
    return found.score, [
        StoredHit(query, one.url, None, None, None, one.text, one.marks, one.score, one.label_score)
        for one in found.passages
    ]


def pages_to_look_up(store: Store, overlap: Overlap) -> list[str]:
    """The addresses on which something was found that an archive can be asked about."""
    found = (hit.source for hit in overlap_hits.hits(store, overlap.id))
    return list(dict.fromkeys(url for url in found if url.startswith(("http://", "https://"))))
