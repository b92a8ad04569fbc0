"""What people note on a case, a model and a partition. Rows are only added: the newest of a case
counts, and those before it are its history; a note without a text is one that was removed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.errors import ChangedError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import records

LONGEST = 4_000  # characters
Pair = tuple[str, str]  # a model and a partition


@dataclass(frozen=True)
class CaseNote:
    """A ``text`` on a case, empty where the note was removed; who wrote it, and when (UTC)."""

    seq: int
    text: str
    author: str
    at: datetime


def history(store: Store, pair: Pair) -> list[CaseNote]:
    """All that was noted on a case, the newest first."""
    with store.read() as db:
        return _history(db, pair)


def write(store: Store, pair: Pair, text: str, author: str, seen: CaseNote | None) -> None:
    """Note ``text`` in place of what was ``seen``, None where there was nothing. Raises
    ChangedError if that is no longer the newest."""
    with store.write() as db:
        now = next(iter(_history(db, pair)), None)
        if now != seen:
            by = now.author if now else "Somebody"
            raise ChangedError(f"{by} changed the note in the meantime; read theirs first.")
        db.execute(
            "INSERT INTO case_note (model, partition_id, text, author, made_at) "
            "VALUES (?, ?, ?, ?, ?)",
            [*pair, text.strip(), author, utc_now()],
        )


def _history(db: duckdb.DuckDBPyConnection, pair: Pair) -> list[CaseNote]:
    rows = db.execute(
        "SELECT seq, text, author, made_at AS at FROM case_note "
        "WHERE (model, partition_id) = (?, ?) ORDER BY seq DESC",
        list(pair),
    )
    return records(rows, CaseNote)
