"""The hits of searches and scans, and the pages that an archive is asked about."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dcq.store import frozen
from dcq.store.connect import Store
from dcq.store.rows import column, insert_records, insert_rows, records


@dataclass(frozen=True)
class StoredHit:
    """A page or a document that has the instance at the place ``query``. ``part`` and ``document``
    (its number in that part, from 0) are None for a page; ``name`` is the document's own name;
    ``marks`` are positions of characters of the ``passage``; ``label_score`` is None without a
    label."""

    query: int
    source: str
    part: int | None
    document: int | None
    name: str | None
    passage: str
    marks: tuple[tuple[int, int], ...]
    score: float
    label_score: float | None


def add_judged(
    store: Store, overlap_id: str, scores: dict[int, float], hits: Sequence[StoredHit]
) -> None:
    """Store the best score of queries, by their place, with their hits; queries that are stored
    already do not change."""
    with store.write() as db:
        stored_queries = set(
            column(db.execute("SELECT query FROM overlap_score WHERE overlap_id = ?", [overlap_id]))
        )
        new = {query: score for query, score in scores.items() if query not in stored_queries}
        insert_rows(
            db,
            "overlap_score",
            ("overlap_id", "query", "score"),
            [[overlap_id, query, score] for query, score in new.items()],
        )
        new_hits = [hit for hit in hits if hit.query in new]
        insert_records(db, "overlap_hit", new_hits, overlap_id=overlap_id)


def add_scanned(
    store: Store, overlap_id: str, parts: Collection[int], hits: Sequence[StoredHit]
) -> None:
    """Store the hits of ``parts`` of a corpus, replacing earlier ones."""
    with store.write() as db:
        db.execute(
            "DELETE FROM overlap_hit WHERE overlap_id = ? AND part IN (SELECT unnest(?))",
            [overlap_id, list(parts)],
        )
        insert_records(db, "overlap_hit", hits, overlap_id=overlap_id)


def scores(store: Store, overlap_id: str) -> dict[int, float]:
    """The best score of each query whose replies are all there, by its place."""
    with store.read() as db:
        rows = db.execute(
            "SELECT query, score FROM overlap_score WHERE overlap_id = ?", [overlap_id]
        ).fetchall()
    return dict(rows)


def hits(store: Store, overlap_id: str) -> list[StoredHit]:
    """All hits: by query, the best first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT * FROM overlap_hit WHERE overlap_id = ? "
            "ORDER BY query, score DESC, label_score DESC NULLS LAST, source, part, document",
            [overlap_id],
        )
        return records(rows, StoredHit)


def replies(store: Store, overlap_id: str, positions: Collection[int]) -> dict[int, str]:
    """The replies to requests of a search, or about parts of a corpus, by position, without
    errors."""
    with store.read() as db:
        rows = db.execute(
            "SELECT a.position, a.reply FROM final_answer a JOIN run r ON r.id = a.run_id "
            "WHERE r.subject = ? AND r.method IN ('search', 'scan') AND a.outcome <> 'error' "
            "AND a.position IN (SELECT unnest(?::INTEGER[])) AND a.reply IS NOT NULL",
            [overlap_id, list(positions)],
        ).fetchall()
    return dict(rows)


@dataclass(frozen=True)
class PartRead:
    """A part of a corpus that was scanned: its documents, and records that could not be read.
    ``texts`` counts the documents with a text in them, ``missed`` other values that were not read,
    by what they are."""

    documents: int
    broken: int
    texts: int
    missed: Mapping[str, int]


def parts_read(store: Store, run_id: str) -> dict[int, PartRead]:
    """The parts of a corpus that a scan has read, by position."""
    with store.read() as db:
        rows = db.execute(
            "SELECT position, (reply ->> '$.documents')::BIGINT, (reply ->> '$.broken')::BIGINT, "
            "(reply ->> '$.texts')::BIGINT, reply -> '$.missed' "
            "FROM final_answer WHERE run_id = ? AND outcome <> 'error'",
            [run_id],
        ).fetchall()
    return {
        position: PartRead(
            documents,
            broken,
            documents if texts is None else texts,  # earlier versions did not count them
            json.loads(missed or "null") or {},
        )
        for position, documents, broken, texts, missed in rows
    }


def errors(store: Store, run_id: str) -> dict[int, str]:
    """Why requests of a run have no reply, by position."""
    with store.read() as db:
        rows = db.execute(
            "SELECT position, reason FROM final_answer WHERE run_id = ? AND outcome = 'error'",
            [run_id],
        ).fetchall()
    return dict(rows)


def replied(store: Store, run_id: str) -> list[int]:
    """The requests of a run that have a reply, by position."""
    with store.read() as db:
        rows = db.execute(
            "SELECT position FROM final_answer WHERE run_id = ? AND outcome <> 'error'", [run_id]
        )
        return column(rows)


def add_to_look_up(store: Store, run_id: str, urls: Sequence[str]) -> None:
    """Add pages that a run found to the list that archives are asked about; pages on the list keep
    their position."""
    frozen.add_to_list(store, "crawl_request", run_id, "url", urls)


def to_look_up(store: Store, run_id: str) -> list[str]:
    """The list of pages that archives are asked about, by the position of the request."""
    return frozen.listed(store, "crawl_request", run_id, "url")


def crawled(store: Store, run_id: str) -> dict[str, bool]:
    """Whether an archive has the pages that a run found, for pages that were looked up; the newest
    run of an archive counts."""
    with store.read() as db:
        rows = db.execute(
            "SELECT c.url, arg_max(a.value, a.made_at) = 'yes' FROM crawl_request c "
            "JOIN run r ON r.subject = c.run_id AND r.method = 'crawl' "
            "JOIN final_answer a ON a.run_id = r.id AND a.position = c.position "
            "WHERE c.run_id = ? AND a.outcome = 'answered' GROUP BY c.url",
            [run_id],
        ).fetchall()
    return dict(rows)
