"""The batches of a run: the files that were sent, the money set aside for them, and whether their
answers are in."""

from __future__ import annotations

from dataclasses import dataclass

from dcq.store.connect import Store, utc_now
from dcq.store.rows import insert_records, records


@dataclass(frozen=True)
class StoredBatch:
    """A file of requests. ``id`` is None until the endpoint has started its batch. ``requests``,
    ``reply_tokens`` (the most for each) and ``usd`` were set aside for it, None where nothing was,
    as for a batch found at the endpoint. ``collected``: its answers are saved."""

    file: str
    id: str | None
    requests: int | None
    reply_tokens: int | None
    usd: float | None
    collected: bool


def set_aside(
    store: Store, run_id: str, file: str, *, requests: int, reply_tokens: int, usd: float
) -> None:
    """Save that a file is about to be started, and the most that it can cost."""
    _insert(store, run_id, StoredBatch(file, None, requests, reply_tokens, usd, False))


def started(store: Store, run_id: str, file: str, batch_id: str) -> None:
    """Save the id that the endpoint gave the batch of a file."""
    with store.write() as db:
        updated_rows = db.execute(
            "UPDATE batch SET batch_id = ? WHERE run_id = ? AND file = ? AND batch_id IS NULL "
            "RETURNING 1",
            [batch_id, run_id, file],
        ).fetchall()
    if not updated_rows:
        _insert(store, run_id, StoredBatch(file, batch_id, None, None, None, False))


def collected(store: Store, run_id: str, batch_id: str) -> None:
    """Save that the answers of a batch are in."""
    with store.write() as db:
        db.execute(
            "UPDATE batch SET collected = true WHERE run_id = ? AND batch_id = ?",
            [run_id, batch_id],
        )


def of_run(store: Store, run_id: str) -> list[StoredBatch]:
    """The batches of a run, oldest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT *, batch_id AS id FROM batch WHERE run_id = ? ORDER BY made_at, rowid",
            [run_id],
        )
        return records(rows, StoredBatch)


def _insert(store: Store, run_id: str, batch: StoredBatch) -> None:
    with store.write() as db:
        insert_records(db, "batch", [batch], run_id=run_id, batch_id=batch.id, made_at=utc_now())
