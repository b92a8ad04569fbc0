"""The results of a search of the web or a scan of a corpus, for screens, commands and files."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dcq.errors import InputError
from dcq.jobs.state import state_of
from dcq.overlap.evidence import SearchedRun
from dcq.overlap.label import Label
from dcq.overlap.match import Category
from dcq.overlap.meteor import MeteorSettings, settings_of
from dcq.overlap.method import SCAN, SEARCH
from dcq.overlap.query import Coverage
from dcq.overlap.scan.documents import EMPTY, NOT_TEXT
from dcq.overlap.scan.shards import NO_TEXT
from dcq.overlap.search.scope import window_of
from dcq.overlap.search.task import doubts
from dcq.store import Store, overlap_hits, overlaps, partitions, runs, samples
from dcq.store.overlap_hits import PartRead, StoredHit
from dcq.store.overlaps import Overlap

NOT_ASKED = "not searched yet"


@dataclass(frozen=True)
class OverlapHit:
    """A page or a document that has an instance, or its input.

    ``source`` is the address of a page or the path of a file, ``document`` the name or the number
    in that file ("" for a page). ``passage`` is foreign text, ``marks`` the positions of its
    characters whose words match the query. ``score`` is METEOR of the input with its answer,
    ``label_score`` that of the label on the same page (NaN without a label). ``crawled``: whether a
    crawl in the window has the page, None where that was not looked up.
    """

    source: str
    document: str
    passage: str
    marks: tuple[tuple[int, int], ...]
    score: float
    label_score: float
    crawled: bool | None


@dataclass(frozen=True)
class OverlapRow:
    """The result for one instance. ``category`` is None, and ``skipped`` says why, where it was not
    searched. ``score`` is that of the best passage, also below the threshold; NaN where it is
    unknown, as for an instance that a scan does not find. ``queries`` counts the answered requests
    to a service; 0 for a scan."""

    instance_id: str
    text: str
    query: str
    label: str
    category: Category | None
    score: float
    skipped: str
    hits: tuple[OverlapHit, ...]
    queries: int = 0


@dataclass(frozen=True)
class Corpus:
    """How much a scan has read so far: ``documents``, and bytes of files as they are on disk.
    ``broken`` counts unreadable records by file; ``unread`` names whole files of which nothing was
    read, with the reason; ``missed`` counts values that were not read, by file and what they are;
    ``read`` counts records by file."""

    documents: int
    bytes: int
    broken: Mapping[str, int]
    unread: Mapping[str, str]
    missed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    read: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class OverlapResult(SearchedRun):
    """A run with its rows. ``settings`` define a match; ``corpus`` is None for a search."""

    settings: MeteorSettings
    coverage: Coverage
    rows: tuple[OverlapRow, ...]
    corpus: Corpus | None = None

    def labels(self) -> dict[str, Label]:
        """The category and score of each instance that was searched; an instance that was not
        looked for has none."""
        return {
            row.instance_id: Label(row.category, row.score)
            for row in self.rows
            if row.category is not None
        }


def of_run(store: Store, run_id: str, *, threshold: float | None = None) -> OverlapResult:
    """The matches of one run; a ``threshold`` above the run's own filters them.

    Raises InputError for a run of another method, and for a lower threshold, because what lies
    below was not kept.
    """
    run = runs.load(store, run_id)
    if run.plan.method not in {SEARCH.name, SCAN.name}:
        raise InputError(
            f"Run {run.id} is a {run.plan.method} run; name a search or a scan, as "
            "`python -m dcq status` lists them."
        )
    overlap = overlaps.load(store, run.plan.subject)
    settings = settings_of(overlap.asked)
    if threshold is not None:
        if not settings.threshold <= threshold <= 1:
            raise InputError(
                f"A threshold of {threshold:g} cannot be applied; give {settings.threshold:g} to "
                "1, because passages below were not kept."
            )
        settings = replace(settings, threshold=threshold)
    sample = samples.load(store, overlap.asked.sample_id)
    texts = {instance.id: instance.text for instance in sample.instances}
    scan = run.plan.method == SCAN.name
    parts = overlap_hits.parts_read(store, run.id) if scan else {}
    rows = _rows(store, run.id, overlap, texts, settings.threshold, parts)
    reasons = Counter(row.skipped for row in rows if row.category is None)
    matches = sum(row.category not in {None, Category.CLEAN} for row in rows)
    partition = sample.partition
    return OverlapResult(
        run.id,
        sample.id,
        partition.id,
        *partitions.shown_names(store, partition),
        run.plan.method,
        overlap.asked.source,
        window_of(overlap.asked),
        run.at,
        state_of(store, run.id, run.event, run.event_at),
        settings,
        Coverage(len(rows), len(rows) - reasons.total(), matches, tuple(sorted(reasons.items()))),
        tuple(rows),
        _corpus(overlap, parts) if scan else None,
    )


def _rows(
    store: Store,
    run_id: str,
    overlap: Overlap,
    texts: Mapping[str, str],
    threshold: float,
    parts: Mapping[int, PartRead],
) -> list[OverlapRow]:
    scan = overlap.asked.method == SCAN.name
    before = _records_before(overlap, parts) if scan else {}
    crawled = {} if scan else overlap_hits.crawled(store, run_id)
    hits: dict[int, list[OverlapHit]] = defaultdict(list)
    for hit in overlap_hits.hits(store, overlap.id):
        if hit.score >= threshold:
            hits[hit.query].append(_hit(hit, before, crawled))
    scores = overlap_hits.scores(store, overlap.id)
    lacking = _lacking_parts(overlap, parts) if scan else ""
    failed = {} if scan else _failed(store, run_id, overlap)
    missed = [number for number in scores if number not in hits]
    doubted = {} if scan else doubts(store, overlap, missed)
    replied = [] if scan else overlap_hits.replied(store, run_id)
    asked = Counter(overlap.requests[position].query for position in replied)
    rows = []
    for number, query in enumerate(overlap.queries):
        some = tuple(hits.get(number, ()))
        skipped = query.skipped
        if not skipped and scan:
            skipped = "" if some else lacking
        elif not skipped and number not in scores:
            skipped = failed.get(number, NOT_ASKED)
        elif not skipped:
            skipped = doubted.get(number, "")
        best = max((hit.score for hit in some), default=math.nan)
        rows.append(
            OverlapRow(
                query.instance_id,
                texts.get(query.instance_id, ""),
                query.text,
                query.label,
                None if skipped else category_of(some, threshold),
                scores.get(number, best),
                skipped,
                some,
                asked[number],
            )
        )
    return rows


def category_of(hits: Sequence[OverlapHit], threshold: float) -> Category:
    """The category that follows from hits. A page that no crawl has in the window does not count;
    one that was not looked up does."""
    counted = [hit for hit in hits if hit.crawled is not False]
    if not counted:
        return Category.CLEAN
    # NaN, where there is no label, is below every threshold.
    has_label = any(hit.label_score >= threshold for hit in counted)
    return Category.INPUT_AND_LABEL if has_label else Category.INPUT_ONLY


def _corpus(overlap: Overlap, read: Mapping[int, PartRead]) -> Corpus:
    broken: Counter[str] = Counter()
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    records: Counter[str] = Counter()
    for number, part in read.items():
        records[overlap.parts[number].path] += part.documents
        broken[overlap.parts[number].path] += part.broken
        missed[overlap.parts[number].path].update(part.missed)
    return Corpus(
        sum(part.documents for part in read.values()),
        sum(overlap.parts[number].bytes for number in read),
        {path: count for path, count in sorted(broken.items()) if count},
        _unread(overlap, read),
        {path: dict(counts) for path, counts in sorted(missed.items()) if counts},
        {path: count for path, count in sorted(records.items()) if count},
    )


def _unread(overlap: Overlap, read: Mapping[int, PartRead]) -> dict[str, str]:
    """Files of which nothing was read, with the reason."""
    texts: Counter[str] = Counter()
    values: Counter[str] = Counter()
    open_ = {part.path for number, part in enumerate(overlap.parts) if number not in read}
    for number, part in read.items():
        path = overlap.parts[number].path
        texts[path] += part.texts
        values[path] += part.documents + part.broken + sum(part.missed.values())
    lacking = (path for path, count in values.items() if count and not texts[path])
    return {**overlap.asked.unread, **{path: NO_TEXT for path in lacking if path not in open_}}


def _records_before(overlap: Overlap, read: Mapping[int, PartRead]) -> dict[int, int]:
    """How many records of the same file lie before each part, where that is known."""
    by_file: dict[str, list[int]] = defaultdict(list)
    for number, part in enumerate(overlap.parts):
        by_file[part.path].append(number)
    offsets: dict[int, int] = {}
    for numbers in by_file.values():
        before = 0
        for number in sorted(numbers, key=lambda number: overlap.parts[number].first):
            offsets[number] = before
            records = read.get(number)
            if records is None:
                break
            before += records.documents + records.broken
    return offsets


def _lacking_parts(overlap: Overlap, read: Mapping[int, PartRead]) -> str:
    """Why an instance that was not found may be there all the same; "" if all texts were read."""
    total = len(overlap.parts)
    if lacking := total - len(read):
        return f"{lacking:,} of {total:,} parts of the corpus were not scanned"
    closed = sum(reason not in {NOT_TEXT, EMPTY} for reason in _unread(overlap, read).values())
    files = "a file" if closed == 1 else f"{closed:,} files"
    return f"{files} of the corpus could not be read" if closed else ""


def _failed(store: Store, run_id: str, overlap: Overlap) -> dict[int, str]:
    """Why queries could not be searched for, by their place."""
    reasons = overlap_hits.errors(store, run_id)
    return {overlap.requests[position].query: reason for position, reason in reasons.items()}


def _hit(hit: StoredHit, before: Mapping[int, int], crawled: Mapping[str, bool]) -> OverlapHit:
    document = hit.name or ""
    if not document and hit.part is not None and hit.document is not None and hit.part in before:
        document = str(before[hit.part] + hit.document + 1)
    return OverlapHit(
        hit.source,
        document,
        hit.passage,
        hit.marks,
        hit.score,
        math.nan if hit.label_score is None else hit.label_score,
        crawled.get(hit.source),
    )
