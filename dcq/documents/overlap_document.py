"""The outcome of a search or a scan, as JSON for the command line and in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dcq.asking.chain import ChainOutcome
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult, of_run
from dcq.overlap.search.providers import max_documents
from dcq.store import Store, overlaps, run_progress, runs
from dcq.store.runs import Event
from dcq.words import listed, percent, usd_words


def document(store: Store, asked_outcome: ChainOutcome) -> dict[str, Any]:
    """``found`` counts instances on pages or in documents that count, ``searched`` those that were
    looked for. ``stopped`` says why the run ended early, None if it did not."""
    overlap = of_run(store, asked_outcome.run)
    coverage, calls = overlap.coverage, _calls(store, asked_outcome)
    kinds = [row.category for row in overlap.rows]
    window = overlap.window
    return {
        "run": asked_outcome.run,
        "crawl_run": asked_outcome.follower,
        "sample": overlap.sample,
        "partition": overlap.partition,
        "source": overlap.source,
        "window": [str(window.start), str(window.end)] if window else None,
        "total": coverage.total,
        "searched": coverage.searched,
        "found": coverage.found,
        "input_only": kinds.count(Category.INPUT_ONLY),
        "input_and_label": kinds.count(Category.INPUT_AND_LABEL),
        "not_crawled": _not_crawled(overlap),
        "skipped": dict(coverage.skipped),
        "documents": overlap.corpus.documents if overlap.corpus else None,
        "bytes": overlap.corpus.bytes if overlap.corpus else None,
        "read": dict(overlap.corpus.read) if overlap.corpus else {},
        "broken": dict(overlap.corpus.broken) if overlap.corpus else {},
        "unread": dict(overlap.corpus.unread) if overlap.corpus else {},
        "missed": {path: dict(counts) for path, counts in overlap.corpus.missed.items()}
        if overlap.corpus
        else {},
        "calls": calls,
        "cost_usd": _cost(store, asked_outcome, calls),
        "stopped": None
        if asked_outcome.ended.event is Event.FINISHED
        else asked_outcome.ended.detail,
        "rows": [
            {
                "instance_id": row.instance_id,
                "category": row.category,
                "score": None if math.isnan(row.score) else row.score,
                "sources": list(dict.fromkeys(hit.source for hit in row.hits)),
                "queries": row.queries if overlap.method == "search" else None,
            }
            for row in overlap.rows
        ],
    }


def sentence(store: Store, asked_outcome: ChainOutcome) -> str:
    """The outcome as a sentence for people."""
    overlap = of_run(store, asked_outcome.run)
    coverage, calls = overlap.coverage, _calls(store, asked_outcome)
    where = "in the corpus" if overlap.method == "scan" else f"with {overlap.source}"
    kinds = [row.category for row in overlap.rows]
    share = f" ({percent(coverage.share, 1)})" if coverage.share is not None else ""
    lines = [
        f"{overlap.place}: {coverage.found:,} of {coverage.searched:,} "
        f"instances{share} were found {where}, {kinds.count(Category.INPUT_AND_LABEL):,} of them "
        f"with their label. (Run {overlap.run}.)"
    ]
    if dropped := _not_crawled(overlap):
        lines.append(f"On pages that no crawl in the window has, and so not counted: {dropped:,}.")
    for reason, count in coverage.skipped:
        lines.append(f"Not searched: {count:,}, because: {reason}.".replace("..", "."))
    lines += unread(overlap)
    if overlap.method == "search":
        cost = _cost(store, asked_outcome, calls)
        paid = "" if cost is None else f", {usd_words(cost)}"
        lines.append(f"Calls: {calls:,}{paid}; {queries_asked(overlap)}.")
    if overlap.window is None and overlap.method == "search" and not is_corpus(overlap):
        lines.append("It was not looked up whether a crawl has the pages.")
    return "\n".join(lines)


def _not_crawled(overlap: OverlapResult) -> int:
    """Instances that are clean only because no crawl has their pages."""
    return sum(row.category is Category.CLEAN and bool(row.hits) for row in overlap.rows)


def _calls(store: Store, asked_outcome: ChainOutcome) -> int:
    """Of the service, retries included; not those of the archive, which are free."""
    [progress] = run_progress.progress(store, [asked_outcome.run])
    return progress.calls


def _cost(store: Store, asked_outcome: ChainOutcome, calls: int) -> float | None:
    price = overlaps.load(
        store, runs.load(store, asked_outcome.run).plan.subject
    ).asked.usd_per_call
    return None if price is None else price * calls


_NAMED = 4  # files named in a sentence


def opening(overlap: OverlapResult) -> str:
    """How many instances stand there with their answer, how many without, and how many are
    unknown."""
    coverage = overlap.coverage
    where = "in the corpus" if is_corpus(overlap) else "on the web"
    counts = {kind: sum(row.category is kind for row in overlap.rows) for kind in Category}
    label_count, input_count = counts[Category.INPUT_AND_LABEL], counts[Category.INPUT_ONLY]
    left = coverage.total - coverage.searched
    if not coverage.searched:
        sentence = f"None of {_instances(coverage.total)} could be searched for"
    elif not label_count + input_count:
        verb = "stands" if coverage.searched == 1 else "stand"
        sentence = f"None of {_instances(coverage.searched)} searched for {verb} {where}"
    elif not any(row.label for row in overlap.rows):
        sentence = (
            f"{input_count:,} of {_instances(coverage.searched)} {_stand(input_count)} {where}"
        )
    else:
        sentence = (
            f"{label_count:,} of {_instances(coverage.searched)} {_stand(label_count)} {where} "
            f"with their answer, {input_count:,} more without it"
        )
    if left and coverage.searched:
        sentence += f"; {left:,} could not be searched for"
    return f"{sentence}."


def is_corpus(overlap: OverlapResult) -> bool:
    """Whether a fixed collection of texts was looked through, by us or by a service."""
    return overlap.method == "scan" or max_documents(overlap.source) is not None


def queries_asked(overlap: OverlapResult) -> str:
    """How many queries a service has answered, about how many instances."""
    asked = [row.queries for row in overlap.rows if row.queries]
    count = "1 query" if sum(asked) == 1 else f"{sum(asked):,} queries"
    return f"{count} about {_instances(len(asked))}"


def uncrawled(overlap: OverlapResult) -> str:
    """A sentence on instances that are on the web but in no crawl, and so do not count; "" where
    there is none."""
    count = sum(row.category is Category.CLEAN and bool(row.hits) for row in overlap.rows)
    if not count:
        return ""
    return (
        f"{_instances(count)[0].upper()}{_instances(count)[1:]} more {_stand(count)} on pages that "
        "no crawl of that time has, and so do not count."
    )


def unread(overlap: OverlapResult) -> list[str]:
    """Sentences on what of a corpus was read and what was not, one for each reason; empty for a
    search."""
    corpus = overlap.corpus
    if corpus is None:
        return []
    number, records = len(corpus.read), sum(corpus.read.values())
    words = "1 record" if records == 1 else f"{records:,} records"
    lines = [f"Read: {'1 file' if number == 1 else f'{number:,} files'}, {words}."]
    if corpus.broken:
        broken, names = sum(corpus.broken.values()), listed(_names(corpus.broken), _NAMED)
        lines.append(f"Records that could not be read and were skipped: {broken:,}, in {names}.")
    for path, counts in corpus.missed.items():
        parts = listed([f"{what}: {count:,}" for what, count in counts.items()], _NAMED)
        lines.append(f"Not read in {Path(path).name}: {parts}.")
    by_reason: dict[str, list[str]] = {}
    for path, reason in corpus.unread.items():
        by_reason.setdefault(reason, []).append(path)
    for reason, paths in by_reason.items():
        files = "1 file" if len(paths) == 1 else f"{len(paths):,} files"
        lines.append(f"Not read: {files} ({reason}): {listed(_names(paths), _NAMED)}.")
    return lines


def _names(paths: Iterable[str]) -> list[str]:
    return [Path(path).name for path in paths]


def _instances(count: int) -> str:
    return "1 instance" if count == 1 else f"{count:,} instances"


def _stand(count: int) -> str:
    return "stands" if count == 1 else "stand"
