"""Overlaps: the instances of a sample as they are searched for on the web or in a corpus.

The requests never change. Hits are added as they come, once for each query (of a search) or part
(of a corpus); an overlap has one run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from dcq.errors import InputError
from dcq.store import frozen
from dcq.store.connect import Store
from dcq.store.rows import records
from dcq.store.runs import events_now


@dataclass(frozen=True)
class StoredQuery:
    """One instance: ``text`` is the input with its answer, ``label`` the answer ("" where there is
    none), ``skipped`` why it is not searched for ("" where it is)."""

    instance_id: str
    text: str
    input: str
    label: str
    skipped: str


@dataclass(frozen=True)
class StoredRequest:
    """A request to a service: a piece of the query at the place ``query`` or, if ``of_input``, of
    its input alone."""

    query: int
    of_input: bool
    text: str


@dataclass(frozen=True)
class StoredPart:
    """A part of a corpus: see ``dcq.overlap.scan.shards.Shard``."""

    path: str
    form: str
    first: int
    last: int | None
    bytes: int
    fingerprint: str


@dataclass(frozen=True)
class OverlapDesign:
    """The settings of an overlap. ``method`` is ``search`` or ``scan``, ``source`` a service or
    ``corpus``; ``archive`` says in which crawls the pages found are looked up ("" for none);
    ``usd_per_call`` is the price of the person's plan, None where it is unknown; ``unread`` names
    files of the corpus that are not read, with the reason. The fields from ``preset`` on are
    explained in ``dcq.overlap.meteor.MeteorSettings``."""

    sample_id: str
    method: str
    source: str
    window_start: date | None
    window_end: date | None
    language: str
    archive: str
    usd_per_call: float | None
    corpus: tuple[str, ...]
    unread: Mapping[str, str]
    preset: str
    alpha: float
    beta: float
    gamma: float
    label_gamma: float
    match_window: float | None
    threshold: float
    tokens: str
    author: str


@dataclass(frozen=True)
class Overlap:
    """A stored overlap: its ``requests`` for a search, or the ``parts`` of the corpus for a
    scan."""

    id: str
    asked: OverlapDesign
    queries: tuple[StoredQuery, ...]
    requests: tuple[StoredRequest, ...]
    parts: tuple[StoredPart, ...]


def save(
    store: Store,
    asked_design: OverlapDesign,
    queries: Sequence[StoredQuery],
    *,
    requests: Sequence[StoredRequest] = (),
    parts: Sequence[StoredPart] = (),
) -> str:
    """Keep a new overlap; returns its id."""
    return frozen.keep(
        store,
        "o",
        "overlap",
        asked_design,
        overlap_query=queries,
        overlap_request=requests,
        overlap_part=parts,
    )


def load(store: Store, overlap_id: str) -> Overlap:
    """The overlap of this id. Raises InputError if there is none."""
    stored = frozen.kept(
        store,
        "overlap",
        overlap_id,
        Overlap,
        queries=("overlap_query", StoredQuery),
        requests=("overlap_request", StoredRequest),
        parts=("overlap_part", StoredPart),
    )
    if stored is None:
        raise InputError(f"No search or scan has the id {overlap_id!r}.")
    return stored


@dataclass(frozen=True)
class RunOfOverlap:
    """A run of the methods ``search`` or ``scan``; times are UTC. Of ``total`` instances
    ``skipped`` are not searched for; of its ``requests`` ``replied`` have a reply that is no
    error. ``judged`` counts the queries whose replies are all there, ``found`` those with a
    hit."""

    run: str
    overlap: str
    method: str
    source: str
    sample: str
    partition: str
    title: str
    split_title: str
    window_start: date | None
    window_end: date | None
    threshold: float
    made_at: datetime
    event: str
    event_at: datetime
    total: int
    skipped: int
    requests: int
    replied: int
    judged: int
    found: int


def runs_of(store: Store) -> list[RunOfOverlap]:
    """All searches and scans, newest first."""
    with store.read() as db:
        # Most stores have none, and all that follows is planned for nothing there.
        any_run = db.execute("SELECT 1 FROM run WHERE method IN ('search', 'scan') LIMIT 1")
        if any_run.fetchone() is None:
            return []
        return records(
            db.execute(
                f"""
                WITH wanted AS (SELECT * FROM judged_run WHERE method IN ('search', 'scan')),
                queries AS (
                    SELECT overlap_id, count(*) AS total, count(*) FILTER (skipped <> '') AS skipped
                    FROM overlap_query GROUP BY ALL),
                requests AS (
                    SELECT overlap_id, count(*) AS requests FROM (
                        SELECT overlap_id FROM overlap_request
                        UNION ALL SELECT overlap_id FROM overlap_part) GROUP BY ALL),
                replies AS (
                    SELECT run_id, count(*) AS replied FROM final_answer
                    WHERE run_id IN (SELECT id FROM wanted) AND outcome <> 'error' GROUP BY ALL),
                judged AS (SELECT overlap_id, count(*) AS judged FROM overlap_score GROUP BY ALL),
                hits AS (
                    SELECT overlap_id, count(DISTINCT query) AS found FROM overlap_hit
                    GROUP BY ALL)
                SELECT w.id AS run, o.id AS overlap, w.method, o.source, w.sample_id AS sample,
                    p.id AS partition, p.shown_title AS title, p.shown_split AS split_title,
                    o.window_start, o.window_end, o.threshold, w.made_at, e.event,
                    e.made_at AS event_at, q.total, q.skipped, coalesce(r.requests, 0) AS requests,
                    coalesce(a.replied, 0) AS replied, coalesce(j.judged, 0) AS judged,
                    coalesce(h.found, 0) AS found
                FROM wanted w JOIN overlap o ON o.id = w.subject
                JOIN {events_now("SELECT id FROM wanted")} e
                    ON e.run_id = w.id
                JOIN sample s ON s.id = w.sample_id JOIN partition_now p ON p.id = s.partition_id
                JOIN queries q ON q.overlap_id = o.id
                LEFT JOIN requests r ON r.overlap_id = o.id
                LEFT JOIN replies a ON a.run_id = w.id
                LEFT JOIN judged j ON j.overlap_id = o.id LEFT JOIN hits h ON h.overlap_id = o.id
                ORDER BY w.made_at DESC, w.id DESC
                """  # noqa: S608  (our own words)
            ),
            RunOfOverlap,
        )


def bytes_scanned(store: Store, run_id: str) -> tuple[int, int]:
    """Bytes of the corpus that a scan has read, and of all of it."""
    with store.read() as db:
        row = db.execute(
            "SELECT coalesce(sum(p.bytes) FILTER (a.position IS NOT NULL), 0), "
            "coalesce(sum(p.bytes), 0) FROM run r JOIN overlap_part p ON p.overlap_id = r.subject "
            "LEFT JOIN final_answer a ON a.run_id = r.id AND a.position = p.position "
            "AND a.outcome <> 'error' WHERE r.id = ?",
            [run_id],
        ).fetchone()
    done, total = row or (0, 0)
    return int(done), int(total)
