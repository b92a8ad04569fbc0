"""Samples that were made for something that then did not begin."""

from __future__ import annotations

import duckdb

from dcq.store.connect import Store

# Rows that come with a sample, or with a rewording that nobody was asked for.
_OWN = {"instance", "rewording"}


def discard_unused(store: Store, sample_id: str) -> bool:
    """Take a sample (its whole id) out of the store again if nothing was made of it: no variant,
    run, quiz, decision or further sample. Its partition goes with it if it has no other sample.
    Returns whether it went."""
    with store.write() as db:
        if _is_used(db, sample_id):
            return False
        planned = "SELECT id FROM rewording WHERE sample_id = ?"
        for table in ("rewording_slot", "rewording_request"):
            db.execute(f"DELETE FROM {table} WHERE rewording_id IN ({planned})", [sample_id])  # noqa: S608  (our own names, as below)
        row = db.execute("SELECT partition_id FROM sample WHERE id = ?", [sample_id]).fetchone()
        for table in _OWN:
            db.execute(f"DELETE FROM {table} WHERE sample_id = ?", [sample_id])  # noqa: S608
        db.execute("DELETE FROM sample WHERE id = ?", [sample_id])
        if row is not None:
            for table, key in (("partition_role", "partition_id"), ("partition", "id")):
                db.execute(
                    f"DELETE FROM {table} WHERE {key} = $id "  # noqa: S608
                    "AND NOT EXISTS (FROM sample s WHERE s.partition_id = $id)",
                    {"id": row[0]},
                )
    return True


def _is_used(db: duckdb.DuckDBPyConnection, sample_id: str) -> bool:
    """Whether any row is about a sample, besides those that came with it."""
    tables = db.execute(
        "SELECT c.table_name FROM duckdb_columns() c JOIN duckdb_tables() t "
        "ON t.table_oid = c.table_oid AND t.database_oid = c.database_oid "
        "WHERE c.column_name = 'sample_id' AND t.database_name = current_database() "
        "ORDER BY c.table_name"
    ).fetchall()
    rows = [f'FROM "{table}" WHERE sample_id = $id' for (table,) in tables if table not in _OWN]
    rows += ["FROM sample WHERE set_of = $id", "FROM partition WHERE placebo_of = $id"]
    found = " UNION ALL ".join(f"SELECT 1 WHERE EXISTS ({one})" for one in rows)
    return db.execute(found, {"id": sample_id}).fetchone() is not None
