"""Overlaps: the instances of a sample as they are searched for on the web or in a corpus.

The requests never change. Hits are added as they come, once for each query (of a search) or part
(of a corpus); an overlap has one run.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date, datetime

from dcq.errors import InputError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import fetch, insert_rows


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


_ASKED = tuple(field.name for field in fields(OverlapDesign))  # columns of the same names, as below
_QUERY = tuple(field.name for field in fields(StoredQuery))
_REQUEST = tuple(field.name for field in fields(StoredRequest))
_PART = tuple(field.name for field in fields(StoredPart))


def save(
    store: Store,
    asked_design: OverlapDesign,
    queries: Sequence[StoredQuery],
    *,
    requests: Sequence[StoredRequest] = (),
    parts: Sequence[StoredPart] = (),
) -> str:
    """Keep a new overlap; returns its id."""
    now = utc_now()
    overlap_id = f"o{now:%y%m%d}-{secrets.token_hex(4)}"
    values = dict(zip(_ASKED, astuple(asked_design), strict=True))
    values |= {"corpus": list(asked_design.corpus), "unread": json.dumps(dict(asked_design.unread))}
    with store.write() as db:
        marks = ", ".join("?" * (len(values) + 2))
        db.execute(
            f"INSERT INTO overlap (id, made_at, {', '.join(values)}) VALUES ({marks})",  # noqa: S608  (our own names)
            [overlap_id, now, *values.values()],
        )
        for table, names, rows in (
            ("overlap_query", _QUERY, queries),
            ("overlap_request", _REQUEST, requests),
            ("overlap_part", _PART, parts),
        ):
            insert_rows(
                db,
                table,
                ("overlap_id", "position", *names),
                [
                    [overlap_id, position, *(getattr(row, name) for name in names)]
                    for position, row in enumerate(rows)
                ],
            )
    return overlap_id


def load(store: Store, overlap_id: str) -> Overlap:
    """The overlap of this id. Raises InputError if there is none."""
    with store.read() as db:
        row = db.execute(
            f"SELECT {', '.join(_ASKED)} FROM overlap WHERE id = ?",  # noqa: S608  (our own names)
            [overlap_id],
        ).fetchone()
        queries, requests, parts = (
            db.execute(
                f"SELECT {', '.join(names)} FROM {table} WHERE overlap_id = ? ORDER BY position",  # noqa: S608
                [overlap_id],
            ).fetchall()
            for table, names in (
                ("overlap_query", _QUERY),
                ("overlap_request", _REQUEST),
                ("overlap_part", _PART),
            )
        )
    if row is None:
        raise InputError(f"No search or scan has the id {overlap_id!r}.")
    values = dict(zip(_ASKED, row, strict=True))
    values |= {"corpus": tuple(values["corpus"]), "unread": json.loads(values["unread"])}
    return Overlap(
        overlap_id,
        OverlapDesign(**values),
        tuple(StoredQuery(*cells) for cells in queries),
        tuple(StoredRequest(*cells) for cells in requests),
        tuple(StoredPart(*cells) for cells in parts),
    )


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
        rows = fetch(
            db.execute(
                """
                WITH wanted AS (SELECT * FROM judged_run WHERE method IN ('search', 'scan')),
                state AS (
                    SELECT run_id, arg_max(event, seq) AS event, max(made_at) AS event_at
                    FROM run_event WHERE run_id IN (SELECT id FROM wanted) GROUP BY ALL),
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
                    o.window_start, o.window_end, o.threshold, w.made_at, e.event, e.event_at,
                    q.total, q.skipped, coalesce(r.requests, 0) AS requests,
                    coalesce(a.replied, 0) AS replied, coalesce(j.judged, 0) AS judged,
                    coalesce(h.found, 0) AS found
                FROM wanted w JOIN overlap o ON o.id = w.subject JOIN state e ON e.run_id = w.id
                JOIN sample s ON s.id = w.sample_id JOIN partition_now p ON p.id = s.partition_id
                JOIN queries q ON q.overlap_id = o.id
                LEFT JOIN requests r ON r.overlap_id = o.id
                LEFT JOIN replies a ON a.run_id = w.id
                LEFT JOIN judged j ON j.overlap_id = o.id LEFT JOIN hits h ON h.overlap_id = o.id
                ORDER BY w.made_at DESC, w.id DESC
                """
            )
        )
    return [RunOfOverlap(**row) for row in rows]


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
