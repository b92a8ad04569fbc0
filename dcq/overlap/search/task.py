"""Searches as runs of the engine: the requests to a service about a sample's queries, and to an
archive about the pages that were found; and how their replies are judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dcq.asking.prompt import Prompt
from dcq.overlap.match import WindowMatch, best_match, find
from dcq.overlap.meteor import MeteorSettings, Reference, settings_of
from dcq.overlap.query import cut
from dcq.overlap.search.asking import read_pages, write_page, write_query
from dcq.overlap.search.exact import doubt
from dcq.overlap.search.providers import max_documents
from dcq.overlap.search.scope import scope_of
from dcq.overlap.search.service import WebPage, Window
from dcq.overlap.tokens import Splitter, splitter_for
from dcq.records import Outcome, Reading, Reply
from dcq.store import Store, overlap_hits
from dcq.store.overlap_hits import StoredHit
from dcq.store.overlaps import Overlap

# Nothing is worded: a request is the query itself, and a reply has no tokens.
SEARCH_PROMPT = Prompt("search", "v1", "", 0.0, 0)
CRAWL_PROMPT = Prompt("crawl", "v1", "", 0.0, 0)

_PART = 1000  # characters of a long instance that one document shows for sure


@dataclass(frozen=True)
class SearchTask:
    """The requests of a search: the pieces of an overlap's queries, query by query."""

    overlap: Overlap

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return len(self.overlap.requests)

    def count_first(self, limit: int) -> int:
        """How many pieces the first ``limit`` instances have, skipped instances aside."""
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
    """The requests to an archive: the pages that are looked up."""

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
        is_archived = reply.text == "true"
        return Reading(Outcome.ANSWERED, "yes" if is_archived else "no", "")


def judge_replies(store: Store, overlap: Overlap, positions: Iterable[int] | None) -> None:
    """Store the matches that follow from the replies to these requests, of all if None; a query is
    judged once, when the replies to all its pieces are there."""
    by_query: dict[int, list[int]] = defaultdict(list)
    for position, request in enumerate(overlap.requests):
        by_query[request.query].append(position)
    if positions is None:
        stored_scores = overlap_hits.scores(store, overlap.id)
        queries = set(by_query) - set(stored_scores)
    else:
        queries = {overlap.requests[position].query for position in positions}
    asked = [position for query in queries for position in by_query[query]]
    replies = overlap_hits.replies(store, overlap.id, asked)
    scores: dict[int, float] = {}
    hits: list[StoredHit] = []
    for query in sorted(queries):
        if all(position in replies for position in by_query[query]):
            scores[query], stored_hits = _judge(overlap, query, by_query[query], replies)
            hits += stored_hits
    overlap_hits.add_judged(store, overlap.id, scores, hits)


def _judge(
    overlap: Overlap, query: int, positions: Sequence[int], replies: dict[int, str]
) -> tuple[float, list[StoredHit]]:
    pages = [page for position in positions for page in read_pages(replies[position])]
    pages_match = judge(
        _versions(overlap, query, positions),
        overlap.queries[query].label,
        pages,
        settings_of(overlap.asked),
        documents=max_documents(overlap.asked.source) is not None,
    )
    return pages_match.score, [
        StoredHit(
            query,
            passage.url,
            None,
            None,
            None,
            passage.text,
            passage.marks,
            passage.score,
            passage.label_score,
        )
        for passage in pages_match.passages
    ]


def _versions(overlap: Overlap, query: int, positions: Sequence[int]) -> list[Sequence[str]]:
    """The texts that pages are compared with: those that were asked, in their pieces. Strings that
    were asked to the letter only lead to documents; these are compared with the input, as in a
    scan, whole, or a part at a time where it is longer than what is shown of a document."""
    if max_documents(overlap.asked.source) is not None:
        alone = overlap.queries[query].input
        return list(dict.fromkeys([(alone,), cut(alone, _PART)]))
    versions: dict[bool, list[str]] = defaultdict(list)
    for position in positions:
        request = overlap.requests[position]
        versions[request.of_input].append(request.text)
    return list(versions.values())


def doubts(store: Store, overlap: Overlap, queries: Iterable[int]) -> dict[int, str]:
    """For ``queries`` that were asked and not found: why some may be there all the same, by place.
    A service that ranks pages is believed, as in the report."""
    most = max_documents(overlap.asked.source)
    candidates = set() if most is None else set(queries)
    asked = [n for n, request in enumerate(overlap.requests) if request.query in candidates]
    pages_by_query: dict[int, dict[str, list[WebPage]]] = defaultdict(dict)
    for position, reply in overlap_hits.replies(store, overlap.id, asked).items():
        request = overlap.requests[position]
        pages_by_query[request.query][request.text] = read_pages(reply)
    reasons = {
        query: doubt(_whole(overlap, query), strings, most or 0)
        for query, strings in pages_by_query.items()
    }
    return {query: reason for query, reason in reasons.items() if reason}


def _whole(overlap: Overlap, query: int) -> tuple[str, str]:
    return overlap.queries[query].text, overlap.queries[query].input


def pages_to_look_up(store: Store, overlap: Overlap) -> list[str]:
    """The addresses with matches that an archive can be asked about."""
    sources = (hit.source for hit in overlap_hits.hits(store, overlap.id))
    return list(dict.fromkeys(url for url in sources if url.startswith(("http://", "https://"))))


@dataclass(frozen=True)
class Passage:
    """A page from the threshold on: its best ``text``, the ``marks`` in it (characters of the words
    that match), and the scores of query and label; ``label_score`` is None without a label."""

    url: str
    text: str
    marks: tuple[tuple[int, int], ...]
    score: float
    label_score: float | None


@dataclass(frozen=True)
class PagesMatch:
    """The best ``score`` of any page, and the passages of those from the threshold on."""

    score: float
    passages: tuple[Passage, ...]


def judge(
    versions: Sequence[Sequence[str]],
    label: str,
    pages: Iterable[WebPage],
    settings: MeteorSettings,
    *,
    documents: bool = False,
) -> PagesMatch:
    """What is found of an instance by the passages that a service shows.

    As in the authors' code: the best fragment of a page counts, the label is matched apart on the
    same page, and where a fragment has marked words these are compared. ``versions`` are the texts
    that were searched for, each in its pieces; the best version of a page counts. A version in
    several pieces, which the authors' code leaves out, scores the mean of its pieces, each weighed
    by its words; that is ours. Of ``documents``, which are longer than snippets, the label counts
    near the query, as in a scan.
    """
    cut = splitter_for("".join(piece for pieces in versions for piece in pieces), settings)
    references = [[Reference(cut(piece).words) for piece in pieces] for pieces in versions]
    answer = Reference(cut(label).words)
    best, passages = 0.0, []
    for url, fragments in _by_url(pages).items():
        score, best_fragment = max(
            (_version_score(pieces, fragments, settings, cut) for pieces in references),
            key=lambda version: version[0],
            default=(0.0, None),
        )
        best = max(best, score)
        if best_fragment is None or score < settings.threshold:
            continue
        text, reference = best_fragment
        words = cut(text)
        places = best_match(reference, words, settings).words
        marks = tuple((words.starts[place], words.ends[place]) for place in places)
        if not len(answer):
            label_score = None
        elif documents:
            label_score = find(reference, answer, words, settings).label_score or 0.0
        else:
            label_score = _label_score(answer, fragments, settings, cut)
        passages.append(Passage(url, text, marks, score, label_score))
    return PagesMatch(best, tuple(passages))


_Fragments = dict[str, str]  # of one page: as it is shown → what is compared


def _by_url(pages: Iterable[WebPage]) -> dict[str, _Fragments]:
    """A page may come with several pieces of one query, each time with other fragments."""
    fragments_by_url: dict[str, _Fragments] = {}
    for page in pages:
        fragments = fragments_by_url.setdefault(page.url, {})
        for fragment, marked in zip(page.fragments, page.marked, strict=True):
            fragments.setdefault(fragment, marked or fragment)
    return fragments_by_url


def _version_score(
    pieces: Sequence[Reference], fragments: _Fragments, settings: MeteorSettings, cut: Splitter
) -> tuple[float, tuple[str, Reference] | None]:
    """The score of a page, and the fragment that says most, with the piece that it has."""
    total = weight = 0.0
    best_fragment: tuple[str, Reference] | None = None
    most = 0.0
    for piece in pieces:
        scores = {
            fragment: best_match(piece, cut(text), settings).score
            for fragment, text in fragments.items()
        }
        score = max(scores.values(), default=0.0)
        total, weight = total + score * len(piece), weight + len(piece)
        if score * len(piece) > most:
            most = score * len(piece)
            best_fragment = max(scores, key=lambda fragment: scores[fragment]), piece
    return (total / weight if weight else 0.0), best_fragment


def _label_score(
    label: Reference, fragments: _Fragments, settings: MeteorSettings, cut: Splitter
) -> float:
    matches: Iterable[WindowMatch] = (
        best_match(label, cut(text), settings, gamma=settings.label_gamma)
        for text in fragments.values()
    )
    return max((match.score for match in matches), default=0.0)
