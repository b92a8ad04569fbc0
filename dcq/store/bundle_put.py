"""Adds the rows of a bundle to a store: all of them, or none.

Nothing in the store is changed. In a store of their own they are judged as the sender's study: rows
that are there already add nothing; a row of the same id with other content is refused. The store
may have less of a history, which is completed, or more of it; a history that continued differently
is refused.

Beside rows of one's own (``others_of``) what the store has stands: of a sample, run, quiz or
partition that it has, nothing is added, be it an answer, a rewording, a decision or a role.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from dcq.errors import InputError
from dcq.store import runs, sources
from dcq.store.bundle_check import UnsoundError, check
from dcq.store.bundle_tables import BY_NAME, SEQ, TABLES, BundleTable
from dcq.store.bundle_take import TableColumn, columns_by_table
from dcq.store.connect import Store

if TYPE_CHECKING:  # takes a while to import, which few commands need
    import pyarrow as pa

_MOST_SAID = 150  # characters of what the database says


def add_rows(
    store: Store,
    tables: Mapping[str, pa.Table],
    kinds: Collection[str],
    *,
    with_text: bool = True,
    checked: bool = False,
    others_of: str | None = None,
    texts_of: str | None = None,
) -> dict[str, int]:
    """Add the rows of a bundle; returns how many were new, by table. ``kinds`` are the known kinds
    of runs. ``with_text``: the bundle has its texts, so ids made of them can be checked.
    ``checked``: the same rows were added to another store, so they fit one another. ``others_of``:
    the id of the source, where they join one's own rows, so that its runs are marked. ``texts_of``:
    only this quiz or sample, with what it was made of, and no run.

    Raises InputError, and adds nothing, for tables or columns that the store does not have, for
    impossible values, for rows that refer to nothing, and for what contradicts the store.
    """
    added = {}
    with store.write() as db:
        columns = columns_by_table(db)
        for name, rows in tables.items():
            with _naming(f"table {name[:40]!r}"):
                _stage(db, name, columns, rows)
        if {"run", "sample", "partition"} <= set(tables):
            runs.note_partitions(db, "staged_")  # bundles of older releases do not say
        if not checked:
            with _naming("tables"):
                known_tables = [BY_NAME[name] for name in tables]
                check(db, known_tables, with_text=with_text, columns=columns)
        if "run" in tables:
            _check_kinds(db, kinds)
        if others_of is not None or texts_of is not None:
            _leave_out(db, tables, texts_of)
        if others_of is not None and "run" in tables:
            sources.mark(db, "SELECT id FROM staged_run", others_of)
        for table in TABLES:
            if table.name in tables:
                with _naming(f"table {table.name!r}"):
                    added[table.name] = _add(db, table, columns[table.name], tables)
    return added


# What a thing of the store may get although the store has the thing: questions about a sample, and
# their runs, have ids of their own.
_APART = {
    *("sample", "quiz", "replication", "frozen", "overlap", "run"),
}
# Choices, weights and decisions of the sender, and whose runs the sender took in.
_NEVER = (
    *("answer_plan", "study", "imported_run", "taking", "source"),
    *("review", "standing_set"),
)
_RUNS_AND_REPLIES = {"run", "replication", "frozen", "overlap", "rewording", "sitting"}


def _leave_out(db: duckdb.DuckDBPyConnection, names: Collection[str], texts_of: str | None) -> None:
    """Drop the staged rows that would add to something that the store has, or decide anything."""
    if texts_of is not None:
        wanted = "SELECT ?"
        if "quiz" in names:
            db.execute("DELETE FROM staged_quiz WHERE id <> ?", [texts_of])
            wanted += " UNION SELECT sample_id FROM staged_quiz"
        db.execute(f"DELETE FROM staged_sample WHERE id NOT IN ({wanted})", [texts_of])  # noqa: S608
        db.execute(
            "DELETE FROM staged_partition WHERE id NOT IN (SELECT partition_id FROM staged_sample)"
        )
    if "rewording_slot" in names:
        db.execute("UPDATE staged_rewording_slot SET seen_review = 0")  # they stay out
    for table in (table for table in TABLES if table.name in names):
        staged = f'DELETE FROM "staged_{table.name}"'  # noqa: S608  (our own names, as below)
        if table.name in _NEVER or (texts_of is not None and table.name in _RUNS_AND_REPLIES):
            db.execute(staged)
            continue
        if table.name == "run":  # such as a judge of completions of one's own
            db.execute(f"{staged} WHERE subject IN (SELECT id FROM run)")  # noqa: S608
            db.execute(
                f"{staged} WHERE method = 'rewording' AND sample_id IN (SELECT id FROM sample)"  # noqa: S608
            )
        if table.name == "sample":
            # A set of rewordings of one's own instances could count instead of one's own set.
            db.execute(f"{staged} WHERE set_of IN (SELECT id FROM sample)")  # noqa: S608
        for column, parent, key in table.foreign_keys:
            if (key,) == SEQ or (column, parent) == ("set_of", "sample"):
                continue
            if table.name not in _APART:
                db.execute(f'{staged} WHERE "{column}" IN (SELECT "{key}" FROM "{parent}")')  # noqa: S608
            brought = (
                f' AND "{column}" NOT IN (SELECT "{key}" FROM "staged_{parent}")'  # noqa: S608
                if parent in names
                else ""
            )
            db.execute(
                f'{staged} WHERE "{column}" IS NOT NULL '  # noqa: S608
                f'AND "{column}" NOT IN (SELECT "{key}" FROM "{parent}"){brought}'
            )
        if table.key and not table.is_history:
            same = " AND ".join(f'"staged_{table.name}"."{k}" = t."{k}"' for k in table.key)
            db.execute(f'{staged} WHERE EXISTS (SELECT 1 FROM "{table.name}" t WHERE {same})')  # noqa: S608


def _check_kinds(db: duckdb.DuckDBPyConnection, kinds: Collection[str]) -> None:
    row = db.execute(
        'SELECT "method" FROM staged_run '
        'WHERE "method" NOT IN (SELECT unnest(?::VARCHAR[])) LIMIT 1',
        [sorted(kinds)],
    ).fetchone()
    if row:
        raise InputError(
            f"The bundle has runs of the kind {row[0]}, which this release does not know; update "
            "dcq, then import it."
        )


@contextmanager
def _naming(what: str) -> Iterator[None]:
    """Say of which part of the bundle, and why, the database takes a row for none of a store; the
    store's own trouble is told by the store."""
    try:
        yield
    except UnsoundError as error:
        raise InputError(f"The bundle {error}; ask for another copy of it.") from error
    except duckdb.Error as error:
        if isinstance(error, duckdb.OperationalError | duckdb.InternalException):
            raise
        line = next(iter(str(error).splitlines()), "")
        reason = "".join(sign if sign.isprintable() else "?" for sign in line[:_MOST_SAID])
        raise InputError(
            f"The bundle's {what} cannot be added ({reason}); export it again with this release of "
            "dcq."
        ) from error


def _stage(
    db: duckdb.DuckDBPyConnection,
    name: str,
    columns: Mapping[str, Mapping[str, TableColumn]],
    rows: pa.Table,
) -> None:
    """Keep the rows of a table beside it, as ``staged_NAME``, after a look at its columns."""
    if name not in BY_NAME:
        raise InputError(f"The bundle has an unknown table, {name!r}; update dcq, then import it.")
    own_columns = columns[name]
    own_schema = _arrow_schema(db, own_columns)
    # Columns with a default are younger than a bundle of an older release.
    later = {
        column_name: column.default
        for column_name, column in own_columns.items()
        if column.default is not None
        and not column.default.startswith("nextval")
        and column_name not in rows.schema.names
    }
    expected_fields = [field for field in own_schema if field.name not in later]
    if rows.schema.names != [field.name for field in expected_fields] or rows.schema.types != [
        field.type for field in expected_fields
    ]:
        unlike = next(
            (
                column
                for column in (*expected_fields, *rows.schema)
                if column not in {*expected_fields} & {*rows.schema}
            ),
            None,
        )
        which = f", as {unlike.name[:40]!r}" if unlike is not None else ""
        raise InputError(
            f"The bundle's table {name!r} has other columns than this release{which}; export it "
            "again with this release of dcq."
        )
    column_list = ", ".join(
        f'{later[column_name]} AS "{column_name}"' if column_name in later else f'"{column_name}"'
        for column_name in own_columns
    )
    db.register("given", rows)
    db.execute(f'CREATE TEMP TABLE "staged_{name}" AS SELECT {column_list} FROM given')  # noqa: S608
    db.unregister("given")


_arrow_schemas: dict[tuple[tuple[str, str], ...], pa.Schema] = {}


def _arrow_schema(db: duckdb.DuckDBPyConnection, columns: Mapping[str, TableColumn]) -> pa.Schema:
    """How Arrow has columns of these types; asked once, because it takes as long as the rest of
    ``_stage``."""
    key = tuple((name, column.kind) for name, column in columns.items())
    if key not in _arrow_schemas:
        empty = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in key)
        _arrow_schemas[key] = db.sql(f"SELECT {empty} LIMIT 0").to_arrow_table().schema
    return _arrow_schemas[key]


def _add(
    db: duckdb.DuckDBPyConnection,
    table: BundleTable,
    columns: Collection[str],
    names: Collection[str],
) -> int:
    _renumber(db, table, names)
    if table.is_history:
        return _add_history(db, table, columns)
    return _add_keyed(db, table, columns) if table.key else _add_set(db, table)


def _renumber(db: duckdb.DuckDBPyConnection, table: BundleTable, names: Collection[str]) -> None:
    """What refers to a row of a history takes the number that it has in this store; 0 is none, and
    so is every reference to a history that is not among the bundle's ``names``."""
    for column, parent, key in table.foreign_keys:
        if (key,) == SEQ and parent in names:
            db.execute(
                f'UPDATE "staged_{table.name}" AS s SET "{column}" = n.now '  # noqa: S608
                f'FROM "number_{parent}" n WHERE n.seq = s."{column}"'
            )


def _add_keyed(db: duckdb.DuckDBPyConnection, table: BundleTable, columns: Collection[str]) -> int:
    same = " AND ".join(f's."{name}" = t."{name}"' for name in table.key)
    if differ := _differ(table, columns, table.key):
        row = db.execute(
            f'SELECT s."{table.key[0]}" FROM "staged_{table.name}" s '  # noqa: S608
            f'JOIN "{table.name}" t ON {same} '
            f"WHERE {differ} LIMIT 1"
        ).fetchone()
        if row:
            raise _contradiction(table, row[0])
    return _insert(
        db,
        table,
        f'SELECT * FROM "staged_{table.name}" s ANTI JOIN "{table.name}" t ON {same}',  # noqa: S608
    )


def _add_set(db: duckdb.DuckDBPyConnection, table: BundleTable) -> int:
    """Rows without a key: of what they belong to, the store has less of them or more."""
    existing_rows = (
        f'SELECT * FROM "{table.name}" '  # noqa: S608
        f'WHERE {table.owner} IN (SELECT {table.owner} FROM "staged_{table.name}")'
    )
    new = f'SELECT * FROM "staged_{table.name}" EXCEPT ALL ({existing_rows})'  # noqa: S608
    row = db.execute(
        f"SELECT {table.owner} FROM ({new}) INTERSECT SELECT {table.owner} "  # noqa: S608
        f'FROM ({existing_rows} EXCEPT ALL SELECT * FROM "staged_{table.name}") LIMIT 1'
    ).fetchone()
    if row:
        raise _contradiction(table, row[0])
    return _insert(db, table, new)


def _add_history(
    db: duckdb.DuckDBPyConnection, table: BundleTable, columns: Collection[str]
) -> int:
    """Rows in their order, after those that are there; ``number_NAME`` says which number each of
    them has in this store."""
    placed = f"row_number() OVER (PARTITION BY {table.owner} ORDER BY seq) AS place"
    db.execute(
        f'CREATE TEMP TABLE "placed_{table.name}" AS '  # noqa: S608
        f'SELECT *, {placed} FROM "staged_{table.name}"; '
        f'CREATE TEMP TABLE "there_{table.name}" AS SELECT *, {placed} FROM "{table.name}" '
        f'WHERE {table.owner} IN (SELECT {table.owner} FROM "staged_{table.name}")'
    )
    same = f"s.{table.owner} = t.{table.owner} AND s.place = t.place"
    join = f'"placed_{table.name}" s JOIN "there_{table.name}" t ON {same}'
    row = db.execute(
        f"SELECT s.{table.owner} FROM {join} "  # noqa: S608
        f"WHERE {_differ(table, columns, (*SEQ, table.owner))} LIMIT 1"
    ).fetchone()
    if row:
        raise InputError(
            f"{_NAMES.get(table.name, 'The history')} of {row[0]} went another way in this store "
            f"than in the bundle; import it into an empty store (set DCQ_STORE to a new file)."
        )
    new = f'"placed_{table.name}" s ANTI JOIN "there_{table.name}" t ON {same}'
    [(count,)] = db.execute(f"SELECT count(*) FROM {new}").fetchall()  # noqa: S608
    # Drawn one by one, since DuckDB cannot set a sequence to what was used.
    db.execute(
        f'CREATE TEMP TABLE "drawn_{table.name}" AS '  # noqa: S608
        f"SELECT nextval('{table.sequence}') AS now FROM range(?)",
        [count],
    )
    db.execute(
        f'CREATE TEMP TABLE "number_{table.name}" AS '  # noqa: S608
        f"SELECT s.seq, t.seq AS now, false AS new FROM {join} UNION ALL "
        f"SELECT n.seq, d.now, true FROM "
        f"(SELECT s.seq, row_number() OVER (ORDER BY s.seq) AS nth FROM {new}) n JOIN "
        f'(SELECT now, row_number() OVER (ORDER BY now) AS nth FROM "drawn_{table.name}") d '
        "ON d.nth = n.nth"
    )
    return _insert(
        db,
        table,
        f'SELECT s.* REPLACE (n.now AS seq) FROM "staged_{table.name}" s '  # noqa: S608
        f'JOIN "number_{table.name}" n ON n.seq = s.seq WHERE n.new ORDER BY n.now',
    )


def _insert(db: duckdb.DuckDBPyConnection, table: BundleTable, rows: str) -> int:
    done = db.execute(f'INSERT INTO "{table.name}" BY NAME {rows}').fetchone()
    return int(done[0]) if done else 0


def _differ(table: BundleTable, columns: Collection[str], key: tuple[str, ...]) -> str:
    compared = [name for name in columns if name not in key and name not in table.notes]
    return " OR ".join(f's."{name}" IS DISTINCT FROM t."{name}"' for name in compared)


_NAMES = {
    "partition_role": "The role",
    "variant": "The rewordings",
    "review": "The decisions about rewordings",
    "standing_set": "The choice of the standing set",
    "run_event": "What happened to run",
    "cut": "The cuts",
    "match_label": "The labels",
    "study": "The study",
}


def _contradiction(table: BundleTable, value: object) -> InputError:
    what = table.name.replace("_", " ")
    column = table.key[0] if table.key else table.owner
    return InputError(
        f"This store has another {what} of {column} {value}; import "
        "the bundle into an empty store (set DCQ_STORE to a new file)."
    )
