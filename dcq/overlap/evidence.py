"""What searches and scans say: without what each found for lists, and as evidence.

Being on the web or in a corpus is not having been seen by a model: such evidence has no model and
nothing to compare it with, so it is shown beside verdicts and changes none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dcq.evidence.interval import wilson
from dcq.evidence.record import SHARE_FOUND, Evidence, MethodEstimate
from dcq.jobs.state import State, state_of
from dcq.overlap.method import SCAN
from dcq.overlap.search.service import Window
from dcq.store import Store, overlaps
from dcq.store.runs import Event
from dcq.store.studies import OVERLAP, Study
from dcq.words import place


@dataclass(frozen=True)
class SearchedRun:
    """A run of a search or a scan. ``method`` is ``search`` or ``scan``, ``source`` the service or
    ``corpus``, ``window`` the days asked about (None: no limit)."""

    run: str
    sample: str
    partition: str
    title: str
    split_title: str
    method: str
    source: str
    window: Window | None
    made_at: datetime
    state: State

    @property
    def place(self) -> str:
        """The partition as a person says it."""
        return place(self.title, self.split_title)


@dataclass(frozen=True)
class OverlapSummary(SearchedRun):
    """A run without its rows. ``searched`` counts instances that have a category, ``found`` those
    on a page or in a document, whether crawled or not."""

    threshold: float
    total: int
    searched: int
    found: int

    @property
    def evidence(self) -> Evidence:
        """The share of the instances looked for that were found, with Wilson's 95 % interval."""
        limits = wilson(self.found, self.searched)
        share = self.found / self.searched if self.searched else None
        low, high = (limits.low, limits.high) if limits else (None, None)
        return Evidence(
            method=OVERLAP,
            run=self.run,
            model="",
            partition=self.partition,
            place=self.place,
            role="",
            estimate=MethodEstimate(share, low, high, SHARE_FOUND, share=share, n=self.searched),
            usable=self.searched,
            planned=self.total,
            finished=self.state is State.FINISHED,
            sample=self.sample,
            at=self.made_at,
            setting=(("source", self.source), ("threshold", f"{self.threshold:g}")),
        )


def results(store: Store) -> list[OverlapSummary]:
    """All searches and scans, newest first."""
    found = []
    for one in overlaps.runs_of(store):
        event = Event(one.event)
        whole = one.method == SCAN.name and one.replied == one.whole
        searched = one.total - one.skipped if whole else one.judged
        window = None
        if one.window_start and one.window_end:
            window = Window(one.window_start, one.window_end)
        found.append(
            OverlapSummary(
                one.run,
                one.sample,
                one.partition,
                one.title,
                one.split_title,
                one.method,
                one.source,
                window,
                one.made_at,
                state_of(store, one.run, event, one.event_at),
                one.threshold,
                one.total,
                max(searched, one.found) if one.method == SCAN.name else searched,
                one.found,
            )
        )
    return found


def of_study(store: Store, within: Study) -> list[Evidence]:
    """The searches and scans of a study's partitions that looked for an instance, newest first."""
    if not within.uses(OVERLAP):
        return []
    return [
        one.evidence
        for one in results(store)
        if one.searched and (within.partitions is None or one.partition in within.partitions)
    ]
