"""What a search or a scan found, in a sentence that can be read aloud."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult
from dcq.overlap.search.providers import documents_of
from dcq.words import listed

_NAMED = 4  # files named in a sentence


def opening(found: OverlapResult) -> str:
    """How many instances are there with their answer, how many without, and what is not known."""
    coverage = found.coverage
    where = "in the corpus" if is_corpus(found) else "on the web"
    counts = {kind: sum(row.category is kind for row in found.rows) for kind in Category}
    both, only = counts[Category.INPUT_AND_LABEL], counts[Category.INPUT_ONLY]
    left = coverage.total - coverage.searched
    if not coverage.searched:
        sentence = f"None of {_instances(coverage.total)} could be searched for"
    elif not both + only:
        verb = "stands" if coverage.searched == 1 else "stand"
        sentence = f"None of {_instances(coverage.searched)} searched for {verb} {where}"
    elif not any(row.label for row in found.rows):
        sentence = f"{only:,} of {_instances(coverage.searched)} {_stand(only)} {where}"
    else:
        sentence = (
            f"{both:,} of {_instances(coverage.searched)} {_stand(both)} {where} with their answer"
            f", {only:,} more without it"
        )
    if left and coverage.searched:
        sentence += f"; {left:,} could not be searched for"
    return f"{sentence}."


def is_corpus(found: OverlapResult) -> bool:
    """Whether texts of a fixed collection were looked through, by us or by a service."""
    return found.method == "scan" or documents_of(found.source) is not None


def queries_asked(found: OverlapResult) -> str:
    """How many queries a service has answered, about how many instances."""
    asked = [row.queries for row in found.rows if row.queries]
    count = "1 query" if sum(asked) == 1 else f"{sum(asked):,} queries"
    return f"{count} about {_instances(len(asked))}"


def uncrawled(found: OverlapResult) -> str:
    """What is on the web but was in no crawl, and so does not count; "" where there is none."""
    count = sum(row.category is Category.CLEAN and bool(row.hits) for row in found.rows)
    if not count:
        return ""
    return (
        f"{_instances(count)[0].upper()}{_instances(count)[1:]} more {_stand(count)} on pages that "
        "no crawl of that time has, and so do not count."
    )


def unread(found: OverlapResult) -> list[str]:
    """What of a corpus could not be read, a sentence for each reason; none for a search."""
    corpus = found.corpus
    if corpus is None:
        return []
    lines = []
    if corpus.broken:
        records, names = sum(corpus.broken.values()), listed(_names(corpus.broken), _NAMED)
        lines.append(f"Records that could not be read and were skipped: {records:,}, in {names}.")
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
