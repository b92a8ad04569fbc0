"""Which runs came from elsewhere: with a bundle, or with a copy of a store.

Whom they asked was typed by a stranger: the names of their models are on no list to choose from.
"""

from __future__ import annotations

import duckdb

from dcq.store.connect import Store, utc_now


def mark(db: duckdb.DuckDBPyConnection, ids: str) -> None:
    """Note that the runs whose ids the query ``ids`` gives came from elsewhere."""
    db.execute(
        f"INSERT INTO imported_run SELECT id, ?::TIMESTAMP FROM ({ids}) "  # noqa: S608  (our own words)
        "WHERE id NOT IN (SELECT run_id FROM imported_run)",
        [utc_now()],
    )


def mark_others(store: Store, own: list[tuple[str, str]]) -> None:
    """Note that all runs of a store came from elsewhere, but for those in ``own``."""
    with store.write() as db:
        db.execute("CREATE TEMP TABLE own (id VARCHAR, model VARCHAR)")
        db.executemany("INSERT INTO own VALUES (?, ?)", [("", ""), *own])
        mark(db, "SELECT id FROM run ANTI JOIN own USING (id, model)")


def own(store: Store) -> list[tuple[str, str]]:
    """The runs that this store has asked itself, each with its model."""
    with store.read() as db:
        return db.execute(
            "SELECT id, model FROM run WHERE id NOT IN (SELECT run_id FROM imported_run)"
        ).fetchall()


def is_imported(store: Store, run_id: str) -> bool:
    """Whether a run came from elsewhere."""
    with store.read() as db:
        return bool(db.execute("SELECT 1 FROM imported_run WHERE run_id = ?", [run_id]).fetchone())
