"""What a search of the web or a scan of a corpus found, as screens, commands and files show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dcq.jobs.state import State
from dcq.overlap.labels import Label
from dcq.overlap.match import Category
from dcq.overlap.meteor import Settings
from dcq.overlap.query import Coverage
from dcq.overlap.search.service import Window


@dataclass(frozen=True)
class OverlapHit:
    """A page or a document that has an instance, or its input. ``source`` is the address of a page
    or the path of a file, ``document`` the name or the number in that file ("" for a page).
    ``passage`` is foreign text, ``marks`` the characters of it whose words match the query.
    ``score`` is METEOR of the input with its answer, ``label_score`` that of the label on the same
    page (NaN without a label). ``crawled``: whether a crawl in the window has the page, None where
    that was not looked up."""

    source: str
    document: str
    passage: str
    marks: tuple[tuple[int, int], ...]
    score: float
    label_score: float
    crawled: bool | None


@dataclass(frozen=True)
class OverlapRow:
    """One instance. ``category`` is None, and ``skipped`` says why, where it was not searched.
    ``score`` is that of the best passage, also below the threshold; NaN where it is not known, as
    for what a scan does not find."""

    instance_id: str
    text: str
    query: str
    label: str
    category: Category | None
    score: float
    skipped: str
    hits: tuple[OverlapHit, ...]


@dataclass(frozen=True)
class OverlapResult:
    """One run. ``method`` is ``search`` or ``scan``, ``source`` the service or ``corpus``,
    ``window`` the days asked about (None: no limit), ``settings`` what counts as a match."""

    run: str
    sample: str
    partition: str
    title: str
    split_title: str
    method: str
    source: str
    window: Window | None
    settings: Settings
    made_at: datetime
    state: State
    coverage: Coverage
    rows: tuple[OverlapRow, ...]

    def labels(self) -> dict[str, Label]:
        """The category and score of each instance that was searched; of no other, because nothing
        is clean for not having been looked for."""
        return {
            row.instance_id: Label(row.category, row.score)
            for row in self.rows
            if row.category is not None
        }
