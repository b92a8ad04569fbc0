"""Guidelines for those who curate a sample. Rows are only added; the newest of a sample counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.errors import ChangedError
from dcq.store.connect import Store, utc_now


@dataclass(frozen=True)
class Guidelines:
    """What a person wrote for a sample, and when (UTC)."""

    seq: int
    text: str
    author: str
    at: datetime


def newest(store: Store, sample_id: str) -> Guidelines | None:
    """The guidelines of a sample, None while nobody has written any."""
    with store.read() as db:
        return _newest(db, sample_id)


def write(store: Store, sample_id: str, text: str, author: str, seen: Guidelines | None) -> None:
    """Put guidelines in place of those that were ``seen``. Raises ChangedError if these are no
    longer the newest."""
    with store.write() as db:
        now = _newest(db, sample_id)
        if now != seen:
            by = now.author if now else ""
            raise ChangedError(f"{by} changed the guidelines in the meantime; read theirs first.")
        db.execute(
            "INSERT INTO guideline (sample_id, text, author, made_at) VALUES (?, ?, ?, ?)",
            [sample_id, text, author, utc_now()],
        )


def _newest(db: duckdb.DuckDBPyConnection, sample_id: str) -> Guidelines | None:
    row = db.execute(
        "SELECT seq, text, author, made_at FROM guideline WHERE sample_id = ? "
        "ORDER BY seq DESC LIMIT 1",
        [sample_id],
    ).fetchone()
    return Guidelines(*row) if row else None
