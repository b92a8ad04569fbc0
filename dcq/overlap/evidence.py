"""Searches and scans as evidence, and in short for lists.

Being on the web or in a corpus is not having been seen by a model: such evidence has no model and
nothing to compare it with, so it is shown beside verdicts and changes none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dcq.evidence.interval import wilson
from dcq.evidence.record import SHARE_FOUND, Evidence, MethodEstimate
from dcq.jobs.state import RunState, state_of
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
    state: RunState

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
            finished=self.state is RunState.FINISHED,
            sample=self.sample,
            at=self.made_at,
            setting=(("source", self.source), ("threshold", f"{self.threshold:g}")),
        )


def results(store: Store) -> list[OverlapSummary]:
    """All searches and scans, newest first."""
    summaries = []
    for run_of_overlap in overlaps.runs_of(store):
        event = Event(run_of_overlap.event)
        complete = (
            run_of_overlap.method == SCAN.name and run_of_overlap.replied == run_of_overlap.requests
        )
        searched = (
            run_of_overlap.total - run_of_overlap.skipped if complete else run_of_overlap.judged
        )
        window = None
        if run_of_overlap.window_start and run_of_overlap.window_end:
            window = Window(run_of_overlap.window_start, run_of_overlap.window_end)
        summaries.append(
            OverlapSummary(
                run_of_overlap.run,
                run_of_overlap.sample,
                run_of_overlap.partition,
                run_of_overlap.title,
                run_of_overlap.split_title,
                run_of_overlap.method,
                run_of_overlap.source,
                window,
                run_of_overlap.made_at,
                state_of(store, run_of_overlap.run, event, run_of_overlap.event_at),
                run_of_overlap.threshold,
                run_of_overlap.total,
                max(searched, run_of_overlap.found)
                if run_of_overlap.method == SCAN.name
                else searched,
                run_of_overlap.found,
            )
        )
    return summaries


def of_study(store: Store, within: Study) -> list[Evidence]:
    """The searches and scans of a study's partitions in which an instance was looked for, newest
    first."""
    if not within.uses(OVERLAP):
        return []
    return [
        summary.evidence
        for summary in results(store)
        if summary.searched
        and (within.partitions is None or summary.partition in within.partitions)
    ]
