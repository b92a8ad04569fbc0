"""What a search or a scan came to, with the keys that the command line promises, and in a
sentence."""

from __future__ import annotations

import math
from typing import Any

from dcq.asking.chain import Asked
from dcq.documents.overlap_sentences import is_corpus, queries_asked, unread
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult, of_run
from dcq.store import Store, overlaps, run_progress, runs
from dcq.store.runs import Event
from dcq.words import percent, usd_words


def document(store: Store, asked: Asked) -> dict[str, Any]:
    """``found`` counts instances on pages or in documents that count, ``searched`` those that were
    looked for. ``stopped`` says why the run ended early, None if it did not."""
    found = of_run(store, asked.run)
    coverage, calls = found.coverage, _calls(store, asked)
    kinds = [row.category for row in found.rows]
    window = found.window
    return {
        "run": asked.run,
        "crawl_run": asked.follower,
        "sample": found.sample,
        "partition": found.partition,
        "source": found.source,
        "window": [str(window.start), str(window.end)] if window else None,
        "total": coverage.total,
        "searched": coverage.searched,
        "found": coverage.found,
        "input_only": kinds.count(Category.INPUT_ONLY),
        "input_and_label": kinds.count(Category.INPUT_AND_LABEL),
        "not_crawled": _not_crawled(found),
        "skipped": dict(coverage.skipped),
        "documents": found.corpus.documents if found.corpus else None,
        "bytes": found.corpus.bytes if found.corpus else None,
        "broken": dict(found.corpus.broken) if found.corpus else {},
        "unread": dict(found.corpus.unread) if found.corpus else {},
        "calls": calls,
        "cost_usd": _cost(store, asked, calls),
        "stopped": None if asked.ended.event is Event.FINISHED else asked.ended.detail,
        "rows": [
            {
                "instance_id": row.instance_id,
                "category": row.category,
                "score": None if math.isnan(row.score) else row.score,
                "sources": list(dict.fromkeys(hit.source for hit in row.hits)),
                "queries": row.queries if found.method == "search" else None,
            }
            for row in found.rows
        ],
    }


def sentence(store: Store, asked: Asked) -> str:
    """The same for people."""
    found = of_run(store, asked.run)
    coverage, calls = found.coverage, _calls(store, asked)
    where = "in the corpus" if found.method == "scan" else f"with {found.source}"
    kinds = [row.category for row in found.rows]
    share = f" ({percent(coverage.share, 1)})" if coverage.share is not None else ""
    lines = [
        f"{found.place}: {coverage.found:,} of {coverage.searched:,} "
        f"instances{share} were found {where}, {kinds.count(Category.INPUT_AND_LABEL):,} of them "
        f"with their label. (Run {found.run}.)"
    ]
    if dropped := _not_crawled(found):
        lines.append(f"On pages that no crawl in the window has, and so not counted: {dropped:,}.")
    for reason, count in coverage.skipped:
        lines.append(f"Not searched: {count:,}, because: {reason}.".replace("..", "."))
    lines += unread(found)
    if found.method == "search":
        cost = _cost(store, asked, calls)
        paid = "" if cost is None else f", {usd_words(cost)}"
        lines.append(f"Calls: {calls:,}{paid}; {queries_asked(found)}.")
    if found.window is None and found.method == "search" and not is_corpus(found):
        lines.append("It was not looked up whether a crawl has the pages.")
    return "\n".join(lines)


def _not_crawled(found: OverlapResult) -> int:
    """Instances that are clean only because no crawl has their pages."""
    return sum(row.category is Category.CLEAN and bool(row.hits) for row in found.rows)


def _calls(store: Store, asked: Asked) -> int:
    """Of the service, retries included; not those of the archive, which are free."""
    [progress] = run_progress.progress(store, [asked.run])
    return progress.calls


def _cost(store: Store, asked: Asked, calls: int) -> float | None:
    price = overlaps.load(store, runs.load(store, asked.run).plan.subject).asked.usd_per_call
    return None if price is None else price * calls
