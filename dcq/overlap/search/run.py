"""Search for instances: each piece once, kept on disk, and what was found judged."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dcq.errors import EndpointRefusedError, RequestRejectedError
from dcq.overlap.match import Category, best_match
from dcq.overlap.meteor import Reference, Settings
from dcq.overlap.query import Query, cut
from dcq.overlap.search.service import Page, Send, Service, Window
from dcq.overlap.words import split


class Cache:
    """Pages by service, query and window, a file each, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, service: Service, query: str, window: Window | None) -> list[Page] | None:
        """What was found before; None if it was not asked, or its file is damaged."""
        try:
            rows = json.loads(self._path(service, query, window).read_text("utf-8"))["pages"]
            return [
                Page(r["url"], r["title"], tuple(r["fragments"]), tuple(r["marked"])) for r in rows
            ]
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def put(
        self, service: Service, query: str, window: Window | None, pages: Sequence[Page]
    ) -> None:
        """Keep what was found; whole or not at all, even if this process is killed."""
        path = self._path(service, query, window)
        path.parent.mkdir(parents=True, exist_ok=True)
        document: dict[str, Any] = {"query": query, "pages": [asdict(page) for page in pages]}
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(document, ensure_ascii=False), "utf-8", errors="replace")
        draft.replace(path)

    def _path(self, service: Service, query: str, window: Window | None) -> Path:
        days = [window.start.isoformat(), window.end.isoformat()] if window else []
        name = json.dumps([service.name, query, *days])
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()}.json"


@dataclass(frozen=True)
class Cost:
    """What a search takes: calls that are not answered by the cache, and USD for them, None where
    no price was given."""

    calls: int
    cached: int
    usd: float | None


def estimate(
    service: Service,
    queries: Iterable[Query],
    window: Window | None,
    cache: Cache,
    usd_per_call: float | None = None,
) -> Cost:
    """The cost of a search before it starts; prices are of a person's plan."""
    pieces = {piece for query in queries for piece in _pieces(service, query)}
    cached = sum(cache.get(service, piece, window) is not None for piece in pieces)
    calls = len(pieces) - cached
    return Cost(calls, cached, None if usd_per_call is None else calls * usd_per_call)


@dataclass(frozen=True)
class Searched:
    """The pages of each query that was searched for, by its id; the ids that were rejected, with
    the reason; and why the search stopped early, None if it did not."""

    pages: dict[str, tuple[Page, ...]]
    rejected: dict[str, str]
    stopped: str | None


def search(
    service: Service,
    queries: Sequence[Query],
    window: Window | None,
    cache: Cache,
    send: Send,
    progress: Callable[[int], None] = lambda done: None,
) -> Searched:
    """Search for every query, in pieces where it is longer than the service allows.

    A refused key or an empty quota stops the search; what was found is in the cache, so that the
    same call goes on from there. Passing trouble that lasts is raised as ``EndpointBusyError``.
    """
    found: dict[str, tuple[Page, ...]] = {}
    rejected: dict[str, str] = {}
    for done, query in enumerate(queries):
        progress(done)
        pages: list[Page] = []
        try:
            for piece in _pieces(service, query):
                known = cache.get(service, piece, window)
                if known is None:
                    known = service.search(send, piece, window)
                    cache.put(service, piece, window, known)
                pages += known
        except RequestRejectedError as error:
            rejected[query.id] = str(error)
            continue
        except EndpointRefusedError as error:
            return Searched(found, rejected, str(error))
        found[query.id] = tuple(pages)
    progress(len(queries))
    return Searched(found, rejected, None)


def _pieces(service: Service, query: Query) -> tuple[str, ...]:
    return cut(query.text, service.characters, service.words)


@dataclass(frozen=True)
class Judged:
    """What the pages say of an instance: the category, the best score, and the pages from the
    threshold on, with their scores of query and label."""

    category: Category
    score: float
    pages: tuple[tuple[str, float, float], ...]


def judge(query: Query, pages: Iterable[Page], settings: Settings) -> Judged:
    """The category of an instance by the passages that a service shows.

    As in the authors' code: the best fragment of a page counts, the label is matched apart on the
    same page, and where a fragment has marked words these are compared. Query and fragment may both
    be parts of longer texts; a page of its own is matched by ``dcq.overlap.match.find``.
    """
    asked = Reference(split(query.text).words)
    label = Reference(split(query.label).words)
    best, kept = 0.0, []
    for page in pages:
        texts = [split(m or f) for m, f in zip(page.marked, page.fragments, strict=True)]
        score = max((best_match(asked, text, settings).score for text in texts), default=0.0)
        best = max(best, score)
        if score >= settings.threshold:
            gamma = settings.label_gamma
            scores = (best_match(label, text, settings, gamma=gamma).score for text in texts)
            kept.append((page.url, score, max(scores, default=0.0)))
    if not kept:
        return Judged(Category.CLEAN, best, ())
    both = any(of_label >= settings.threshold for _, _, of_label in kept)
    return Judged(Category.INPUT_AND_LABEL if both else Category.INPUT_ONLY, best, tuple(kept))
