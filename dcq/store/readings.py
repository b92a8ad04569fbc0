"""By which version of the reader the replies of a run were read, and replies that are read again.

A reply that is read again is another row of its question, which made no call and took no token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.records import Mode, Outcome, Reading
from dcq.store.connect import Store, utc_now
from dcq.store.rows import grouped, insert_rows, records


@dataclass(frozen=True)
class StoredReply:
    """The reply of a request that counts, as it was last read."""

    position: int
    attempt: int
    outcome: Outcome
    value: str | None
    reason: str
    reply: str


def note(db: duckdb.DuckDBPyConnection, run_id: str, reader: int, changed: int = 0) -> None:
    """Keep that this version has read a run, in the caller's transaction."""
    db.execute(
        "INSERT INTO run_reader SELECT ?, ?, ?, ?::TIMESTAMP WHERE NOT EXISTS "
        "(SELECT 1 FROM run_reader WHERE run_id = ? AND reader = ?)",
        [run_id, reader, changed, utc_now(), run_id, reader],
    )


def read_earlier(store: Store, reader: int) -> list[tuple[str, str, Mode]]:
    """The store's own runs that no version from ``reader`` on has read, each with its method and
    mode; the oldest first, because a run that follows another comes after it."""
    with store.read() as db:
        rows = db.execute(
            "SELECT id, method, mode FROM own_run WHERE id NOT IN "
            "(SELECT run_id FROM run_reader WHERE reader >= ?) ORDER BY made_at, id",
            [reader],
        ).fetchall()
    return [(run_id, method, Mode(mode)) for run_id, method, mode in rows]


def replies(store: Store, run_id: str) -> list[StoredReply]:
    """The replies of a run that count, without errors and empty ones."""
    with store.read() as db:
        rows = db.execute(
            "SELECT * FROM final_answer "
            "WHERE run_id = ? AND outcome <> 'error' AND reply IS NOT NULL ORDER BY position",
            [run_id],
        )
        return records(rows, StoredReply)


def add(
    store: Store, run_id: str, reader: int, again: Sequence[tuple[StoredReply, Reading]]
) -> None:
    """Add a row for each reply that is read otherwise now, and keep that this version has read the
    run; all of it or nothing."""
    store.check_there()
    with store.write() as db:
        db.execute(
            "CREATE OR REPLACE TEMP TABLE again (position INTEGER, attempt INTEGER, "
            "outcome VARCHAR, value VARCHAR, reason VARCHAR)"
        )
        insert_rows(
            db,
            "again",
            ("position", "attempt", "outcome", "value", "reason"),
            [
                [stored.position, stored.attempt, reading.outcome, reading.value, reading.reason]
                for stored, reading in again
            ],
        )
        db.execute(
            "INSERT INTO answer (run_id, position, attempt, outcome, value, reason, reply, "
            "prompt_sha256, tokens_in, tokens_out, seconds, calls, sent, logprobs, made_at, "
            "usage_reported, served_model, fingerprint) "
            "SELECT a.run_id, a.position, a.attempt + 1, n.outcome, n.value, n.reason, a.reply, "
            "a.prompt_sha256, 0, 0, 0, 0, a.sent, a.logprobs, a.made_at, a.usage_reported, "
            "a.served_model, a.fingerprint "
            "FROM answer a JOIN again n USING (position, attempt) WHERE a.run_id = ?",
            [run_id],
        )
        db.execute("DROP TABLE again")
        note(db, run_id, reader, len(again))


def void(store: Store, run_id: str, position: int, digest: str, reason: str) -> None:
    """Add an error in the place of an answer, so that its question is asked again when the run is
    resumed."""
    store.check_there()
    with store.write() as db:
        db.execute(
            "INSERT INTO answer (run_id, position, attempt, outcome, value, reason, reply, "
            "prompt_sha256, tokens_in, tokens_out, seconds, calls, sent, logprobs, made_at, "
            "usage_reported) SELECT run_id, position, attempt + 1, 'error', NULL, ?, NULL, ?, "
            "0, 0, 0, 0, sent, NULL, made_at, true FROM final_answer "
            "WHERE run_id = ? AND position = ?",
            [reason, digest, run_id, position],
        )


def changes(store: Store, run_ids: Sequence[str]) -> dict[str, list[tuple[datetime, int]]]:
    """When the replies of these runs were read again, and how many outcomes that changed; runs in
    which it changed none are left out."""
    with store.read() as db:
        rows = db.execute(
            "SELECT run_id, made_at, changed FROM run_reader "
            "WHERE run_id IN (SELECT unnest(?::VARCHAR[])) AND changed > 0 ORDER BY made_at",
            [list(run_ids)],
        )
        return grouped(rows)
