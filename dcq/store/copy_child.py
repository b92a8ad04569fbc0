"""Reads a foreign store in a process of its own: ``python -m dcq.store.copy_child FILE TO``.

FILE may be anything. It is opened read-only, the process can reach nothing but it and TO, and only
rows of tables with our columns are read, into a new store with the same steps, which is then
brought up to date. Its rows are checked as those of a bundle are. Exit codes: 0 done; 3 refused,
with the end of a sentence on stdout; others where the file cannot be read.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

import duckdb

from dcq.errors import StoreError
from dcq.store import migrations
from dcq.store.attach import attach
from dcq.store.bundle_check import UnsoundError, check
from dcq.store.bundle_tables import COPY_ONLY, REBUILT, TABLES
from dcq.store.bundle_take import columns_by_table
from dcq.store.connect import Store

REFUSED = 3
_MEMORY = 2_000_000_000  # bytes, beyond what this process has at its start
_DUCKDB_MEMORY = "500MB"  # beyond that DuckDB writes to the temporary folder
_ROOM = 20  # times the file, which may be packed more tightly, and ...
_LEAST_ROOM = 200_000_000  # bytes
_MOST_ROWS = 100_000_000
_MOST_DRAWN = 1_000_000_000  # numbers of a history


class _RefusedError(Exception):
    """The rest of a sentence that begins with the file's name."""


def main(file: Path, to: Path) -> int:
    """Make the store ``to`` from the rows of ``file``; returns the exit code."""
    _limit(file)
    try:
        with duckdb.connect(
            ":memory:",
            config={
                "threads": 1,
                "memory_limit": _DUCKDB_MEMORY,
                "temp_directory": str(to.with_suffix(".spill")),
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        ) as db:
            attach(db, file, "theirs", read_only=True)
            attach(db, to, "ours")
            db.execute("USE ours")
            db.execute("SET enable_external_access = false")
            db.execute("SET lock_configuration = true")
            migrations.apply(db, to, _steps(db))
            _copy(db)
            # When the store was made tells its backups of earlier releases from those of others.
            db.execute(
                "UPDATE ours.main.migration AS m SET made_at = t.made_at "
                "FROM theirs.main.migration t WHERE t.name = m.name"
            )
            migrations.apply(db, to)
            _check(db)
    except _RefusedError as refusal:
        sys.stdout.write(str(refusal))
        return REFUSED
    except (duckdb.Error, StoreError, MemoryError, OSError):
        return 1
    with Store(to).read():  # opens as every store does
        return 0


def _limit(file: Path) -> None:
    """Bound memory and the size of what is written; where the system cannot, the other limits must
    do."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        memory = pages * resource.getpagesize() + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        room = _ROOM * file.stat().st_size + _LEAST_ROOM
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


def _steps(db: duckdb.DuckDBPyConnection) -> list[str]:
    """The steps that the foreign store has: as many of ours, from the first."""
    columns = _columns(db, "theirs", ["migration"])
    if columns != {"migration": {"name": "VARCHAR", "made_at": "TIMESTAMP"}}:
        raise _RefusedError("is a database, but not a store of dcq's; use a copy that dcq made.")
    most = len(migrations.names()) + 1000
    applied_steps = {
        str(name)
        for (name,) in db.execute(
            "SELECT name FROM theirs.main.migration LIMIT ?", [most]
        ).fetchall()
    }
    ours = list(migrations.names())
    if applied_steps - set(ours):
        raise _RefusedError("was written by a later release of dcq; update dcq to restore it.")
    if not applied_steps or applied_steps != set(ours[: len(applied_steps)]):
        raise _RefusedError("lacks a step of its own release; use a copy that dcq made.")
    return ours[: len(applied_steps)]


def _copy(db: duckdb.DuckDBPyConnection) -> None:
    tables = db.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'ours'"
    ).fetchall()
    columns = columns_by_table(db)
    ours = {str(name): columns[name] for (name,) in tables if name not in REBUILT}
    file_columns = _columns(db, "theirs", ours)
    drawn = _drawn(db)
    left = _MOST_ROWS
    for name, table_columns in ours.items():
        if file_columns.get(name) != {
            column: facts.kind for column, facts in table_columns.items()
        }:
            raise _RefusedError(
                f"has no table {name} with the columns of its release; use a copy that dcq made."
            )
        [(count,)] = db.execute(f'SELECT count(*) FROM theirs.main."{name}"').fetchall()  # noqa: S608  (our own names, here and below)
        left -= count
        if left < 0:
            raise _RefusedError(f"has more than {_MOST_ROWS:,} rows; use a copy that dcq made.")
        column_list = ", ".join(f'"{column}"' for column in table_columns)
        db.execute(f'DELETE FROM ours.main."{name}"')  # noqa: S608  (a step may have put rows there)
        db.execute(
            f'INSERT INTO ours.main."{name}" ({column_list}) '  # noqa: S608
            f'SELECT {column_list} FROM theirs.main."{name}"'
        )
        for column, facts in table_columns.items():
            if facts.default is not None and facts.default.startswith("nextval"):
                _draw(db, name, column, re.findall(r"\w+", facts.default)[-1], drawn)


def _check(db: duckdb.DuckDBPyConnection) -> None:
    """Raise _RefusedError for rows that no store has."""
    tables = (*TABLES, *COPY_ONLY)
    for table in tables:
        db.execute(f'CREATE TEMP VIEW "staged_{table.name}" AS FROM ours.main."{table.name}"')
    try:
        check(db, tables, with_text=True)
    except UnsoundError as error:
        raise _RefusedError(f"{error}; use a copy that dcq made.") from error


def _drawn(db: duckdb.DuckDBPyConnection) -> dict[str, int | None]:
    """The last number that each of our sequences gave in the foreign store."""
    rows = db.execute(
        "SELECT t.sequence_name, t.last_value FROM duckdb_sequences() t "
        "JOIN duckdb_sequences() o USING (sequence_name) WHERE t.database_name = 'theirs' "
        "AND t.schema_name = 'main' AND o.database_name = 'ours'"
    ).fetchall()
    return dict(rows)


def _draw(
    db: duckdb.DuckDBPyConnection,
    table: str,
    column: str,
    sequence: str,
    drawn: Mapping[str, int | None],
) -> None:
    """Let the sequence of a table go on after its rows: DuckDB cannot set one, only draw from
    it."""
    [(used,)] = db.execute(f'SELECT max("{column}") FROM ours.main."{table}"').fetchall()  # noqa: S608
    last = max(int(used or 0), int(drawn.get(sequence) or 0))
    if last > _MOST_DRAWN:
        raise _RefusedError(f"has a number in {table} that no store has.")
    db.execute(f"SELECT max(nextval('{sequence}')) FROM range(?)", [max(last, 0)])  # noqa: S608


def _columns(
    db: duckdb.DuckDBPyConnection, database: str, tables: Collection[str]
) -> dict[str, dict[str, str]]:
    """The columns, with their types, of those of the ``tables`` that are there and are no views."""
    rows = db.execute(
        "SELECT c.table_name, c.column_name, c.data_type FROM duckdb_columns() c "
        "JOIN duckdb_tables() t USING (database_name, schema_name, table_name) "
        "WHERE database_name = ? AND schema_name = 'main' "
        "AND table_name IN (SELECT unnest(?::VARCHAR[]))",
        [database, list(tables)],
    ).fetchall()
    columns: dict[str, dict[str, str]] = {}
    for table, column, kind in rows:
        columns.setdefault(table, {})[column] = kind
    return columns


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
