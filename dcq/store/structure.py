"""Whether a store still has the tables and columns that its steps made.

A table that another program dropped or changed would end in a traceback at the command that reads
it, or in a wrong number.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import duckdb

from dcq.errors import StoreCorruptError
from dcq.store import migrations
from dcq.store.open_errors import translate
from dcq.store.steps.first import Connection

# That of all steps of this release, so that opening a store need not run them elsewhere to know
# (a tenth of a second). tests/store/test_structure.py says what to write here after a new step.
DIGEST = "982f0ffeea5e7acfb3ceed5cc466c8d4"


def digest(db: Connection) -> str:
    """The MD5 of the names, columns and types of all tables and views."""
    row = db.execute(
        "SELECT md5(string_agg(concat_ws(' ', table_name, column_name, data_type, is_nullable, "
        "column_default IS NULL), ',' ORDER BY table_name, column_index)) "
        "FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal"
    ).fetchone()
    return str(row[0]) if row else ""


def check(db: Connection, path: Path) -> None:
    """Raise StoreCorruptError where a store that has all steps lacks what they made."""
    found = digest(db)
    if found != DIGEST and found != expected():
        raise StoreCorruptError(migrations.damaged(path))


def told(error: duckdb.Error, db: duckdb.DuckDBPyConnection, path: Path) -> Exception:
    """What is raised for an error of DuckDB: what it says of the file, or that the store was
    changed, where that explains it."""
    known = translate(error, path)
    if known is not None:
        return known
    with suppress(duckdb.Error):
        db.rollback()  # within a transaction nothing is answered after an error
    try:
        check(db, path)
    except StoreCorruptError as damage:
        return damage
    except duckdb.Error:
        pass
    return error


def expected() -> str:
    """The digest of a store to which all steps were applied."""
    with duckdb.connect(":memory:") as db:
        migrations.apply(db, Path())
        return digest(db)
