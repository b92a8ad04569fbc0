"""What a search or a scan found, in a sentence that can be read aloud."""

from __future__ import annotations

from dcq.overlap.match import Category
from dcq.report.overlap import OverlapResult


def opening(found: OverlapResult) -> str:
    """How many instances are there with their answer, how many without, and what is not known."""
    coverage = found.coverage
    where = "on the web" if found.method == "search" else "in the corpus"
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


def uncrawled(found: OverlapResult) -> str:
    """What is on the web but was in no crawl, and so does not count; "" where there is none."""
    count = sum(row.category is Category.CLEAN and bool(row.hits) for row in found.rows)
    if not count:
        return ""
    return (
        f"{_instances(count)[0].upper()}{_instances(count)[1:]} more {_stand(count)} on pages that "
        "no crawl of that time has, and so do not count."
    )


def _instances(count: int) -> str:
    return "1 instance" if count == 1 else f"{count:,} instances"


def _stand(count: int) -> str:
    return "stands" if count == 1 else "stand"
