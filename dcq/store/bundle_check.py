"""Checks the rows of a bundle, or of a copy of a store, before any of them is stored."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import duckdb

from dcq.records import fingerprint
from dcq.store.answer_plans import read_methods
from dcq.store.bundle_tables import SEQ, BundleTable
from dcq.store.bundle_take import TableColumn, columns_by_table
from dcq.store.sets import set_id
from dcq.store.variants import read_findings

# Names come in by one rule (``dcq.naming``). Stores from before it have others, and their copies
# give them back: so what is refused here is only what no command can have brought.
_NAMES = {
    "partition": ("key", "split", "title", "split_title", "language", "licence"),
    "sample": ("set_name",),
    "run": ("model", "prompt", "dataset", "split", "language"),
    "study": ("name",),
    "answer_plan": ("model", "version"),
}
LONGEST_NAME = 131_072  # characters: the longest argument of a command, on Linux
# These ids are not made of the content, and some name files beside the store.
_NAMED_BY_CHANCE = (
    *("rewording", "replication", "overlap", "frozen", "run", "sitting", "answer_plan"),
)
_NUMBERS = r"(TINYINT|SMALLINT|INTEGER|BIGINT|FLOAT|DOUBLE)(\[\])*"
_TIMES = r"DATE|TIMESTAMP.*"
_CHUNK = 1_000  # rows that are compared with their ids at a time


class UnsoundError(Exception):
    """Rows that no store can have. The message is the end of a sentence that begins with the
    file."""


def check(
    db: duckdb.DuckDBPyConnection,
    tables: Collection[BundleTable],
    *,
    with_text: bool,
    columns: Mapping[str, Mapping[str, TableColumn]] | None = None,
) -> None:
    """Raise UnsoundError where the tables ``staged_NAME`` hold a row twice, a reference to nothing,
    an impossible value, or an id that does not match its content. Without text, ids that are made
    of texts cannot be checked. ``columns`` are those of the store's tables, by table, where they
    are known."""
    names = {table.name for table in tables}
    if not {"partition", "sample", "instance"} <= names:
        raise UnsoundError("lacks its partitions, samples or instances")
    columns = columns_by_table(db) if columns is None else columns
    for table in tables:
        _check_once(db, table)
        _check_foreign_keys(db, table, names)
        _check_values(db, table, columns[table.name])
    _check_ids(db)
    _check_counts(db, names)
    if with_text:
        _check_texts(db, names)


def _check_once(db: duckdb.DuckDBPyConnection, table: BundleTable) -> None:
    if not table.key:
        return
    key = ", ".join(f'"{name}"' for name in table.key)
    row = db.execute(
        f'SELECT {key} FROM "staged_{table.name}" GROUP BY {key} HAVING count(*) > 1 LIMIT 1'  # noqa: S608  (our own names)
    ).fetchone()
    if row:
        raise UnsoundError(f"has a row of {table.name} twice ({', '.join(map(str, row))})")


def _check_foreign_keys(
    db: duckdb.DuckDBPyConnection, table: BundleTable, names: Collection[str]
) -> None:
    for column, parent, key in table.foreign_keys:
        # In a history 0 stands for none, as before the first decision about a variant.
        some = f's."{column}" IS NOT NULL' + (f' AND s."{column}" <> 0' if (key,) == SEQ else "")
        anti_join = (
            f'ANTI JOIN "staged_{parent}" p ON p."{key}" = s."{column}"' if parent in names else ""
        )
        row = db.execute(
            f'SELECT s."{column}" FROM "staged_{table.name}" s {anti_join} WHERE {some} LIMIT 1'  # noqa: S608
        ).fetchone()
        if row:
            raise UnsoundError(f"names the {parent} {row[0]!s:.40} and does not have it")


def _check_values(
    db: duckdb.DuckDBPyConnection, table: BundleTable, columns: Mapping[str, TableColumn]
) -> None:
    wrong = [
        (name, f'"{name}" IS NULL')
        for name, column in columns.items()
        if column.needed or column.default is not None
    ]
    wrong += [
        (column, f'"{column}" NOT IN ({", ".join(repr(str(value)) for value in values)})')
        for column, values in table.allowed_values
    ]
    wrong += [
        (column, f"NOT regexp_full_match(\"{column}\", '[a-z0-9][a-z0-9-]{{0,39}}')")
        for column in table.slugs
    ]
    wrong += [
        (
            column,
            f'"{column}" IS NOT NULL AND CASE WHEN json_valid("{column}") '
            f'THEN json_type("{column}") NOT IN ({", ".join(map(repr, kind.split(" or ")))}) '
            "ELSE true END",
        )
        for column, kind in table.json_columns
    ]
    wrong += [
        (column, f'length("{column}") > {LONGEST_NAME}') for column in _NAMES.get(table.name, ())
    ]
    if table.key == ("id",) and table.name in _NAMED_BY_CHANCE:
        wrong.append(("id", "NOT regexp_full_match(\"id\", '[0-9a-z-]{1,64}')"))
    wrong += _outside(table, columns).items()
    _refuse_where(db, table, wrong)
    if table.name == "variant":
        _check_findings(db)
    if table.name == "item":
        _check_options(db)
    if table.name == "answer_plan":
        _check_plans(db)


def _outside(table: BundleTable, columns: Mapping[str, TableColumn]) -> dict[str, str]:
    """By column with numbers or times, when a row has one that no store has: below 0 or what is no
    number, but for seeds, beyond the column's own range, or a time that is none."""
    conditions = {}
    ranges = {column: (least, most) for column, least, most in table.ranges}
    for column, kind in ((name, column.kind) for name, column in columns.items()):
        if re.fullmatch(_TIMES, kind):
            conditions[column] = (
                f'NOT (isfinite("{column}") AND year("{column}") BETWEEN 1 AND 9999)'
            )
        if re.fullmatch(_NUMBERS, kind) is None:
            continue
        least, most = ranges.get(column, (0, sys.float_info.max))
        # In DuckDB a NaN is larger than all numbers.
        outside = f"NOT BETWEEN {least!r} AND {most!r}"
        if column == "seed":
            continue
        if kind.endswith("[]"):
            each = f'flatten("{column}")' if kind.endswith("[][]") else f'"{column}"'
            conditions[column] = (
                f"len(list_filter({each}, lambda one: one IS NULL OR one {outside})) > 0"
            )
        else:
            conditions[column] = f'"{column}" {outside}'
    return conditions


def _refuse_where(
    db: duckdb.DuckDBPyConnection, table: BundleTable, conditions: Sequence[tuple[str, str]]
) -> None:
    """Raise UnsoundError for the first column whose condition holds for any row."""
    if not conditions:
        return
    # In one look at the rows: a query takes a millisecond, and some tables have twenty columns.
    asked = ", ".join(f"bool_or({condition})" for _, condition in conditions)
    [held] = db.execute(f'SELECT {asked} FROM "staged_{table.name}"').fetchall()  # noqa: S608
    for (column, _), holds in zip(conditions, held, strict=True):
        if holds:
            raise UnsoundError(f"has a {column} in {table.name} that no store has")


def _check_findings(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute("SELECT DISTINCT findings FROM staged_variant").fetchall()
    try:
        for (text,) in rows:
            read_findings(text)
    except (ValueError, TypeError, RecursionError):
        raise UnsoundError("has findings in variant that no store has") from None


def _check_options(db: duckdb.DuckDBPyConnection) -> None:
    row = db.execute(
        "SELECT 1 FROM staged_item WHERE correct NOT BETWEEN 0 AND 3 "
        "OR len(options) NOT BETWEEN 4 AND 5 "
        "OR len(list_filter(options, lambda one: one IS NULL)) > 0 LIMIT 1"
    ).fetchone()
    if row:
        raise UnsoundError("has a question in item that no store has")


def _check_plans(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute("SELECT DISTINCT methods FROM staged_answer_plan").fetchall()
    try:
        for (text,) in rows:
            read_methods(text)
    except (ValueError, TypeError, RecursionError):
        raise UnsoundError("has methods in answer_plan that no store has") from None


def _check_ids(db: duckdb.DuckDBPyConnection) -> None:
    row = db.execute(
        "SELECT id FROM staged_partition WHERE id <> key || '/' || split LIMIT 1"
    ).fetchone()
    if row:
        raise UnsoundError(f"has the partition {row[0]!s:.40} under another name")
    for (sample, partition, first, name), ids in _instances(db):
        expected_id = set_id(first, name) if first else fingerprint(partition, *ids)
        if expected_id != sample:
            raise UnsoundError(f"has other instances in the sample {sample:.40} than its id says")


def _check_counts(db: duckdb.DuckDBPyConnection, names: Collection[str]) -> None:
    for name, column, part, of in (
        ("sample", "n", "instance", "sample_id"),
        ("quiz", "items", "item", "quiz_id"),
    ):
        if name not in names:
            continue
        count_query = (
            f'(SELECT count(*) FROM "staged_{part}" p WHERE p.{of} = s.id)'  # noqa: S608
            if part in names
            else "0"
        )
        row = db.execute(
            f'SELECT s.id FROM "staged_{name}" s WHERE {count_query} <> s.{column} LIMIT 1'  # noqa: S608
        ).fetchone()
        if row:
            raise UnsoundError(f"has another number of rows in {part} than its {name} says")
    if {"run", "answer"} <= set(names):
        row = db.execute(
            "SELECT 1 FROM staged_answer a JOIN staged_run r ON r.id = a.run_id "
            "WHERE a.position >= r.items LIMIT 1"
        ).fetchone()
        if row:
            raise UnsoundError("has an answer to a question that its run does not ask")


def _instances(
    db: duckdb.DuckDBPyConnection,
) -> list[tuple[tuple[str, str, str | None, str], list[str]]]:
    rows = db.execute(
        "SELECT s.id, s.partition_id, s.set_of, coalesce(s.set_name, ''), i.id "
        "FROM staged_sample s JOIN staged_instance i ON i.sample_id = s.id "
        "ORDER BY s.id, i.position"
    ).fetchall()
    return [
        (head, [row[4] for row in group])
        for head, group in groupby(rows, key=lambda row: (row[0], row[1], row[2], row[3]))
    ]


def _check_texts(db: duckdb.DuckDBPyConnection, names: Collection[str]) -> None:
    for instance, text in _rows(db, "SELECT DISTINCT id, text FROM staged_instance"):
        if fingerprint(text) != instance:
            raise UnsoundError(f"has another text in the instance {instance:.40} than its id says")
    if not {"quiz", "item"} <= set(names):
        return
    rows = _rows(
        db,
        "SELECT q.id, q.sample_id, q.kind, q.slot, q.prompt, i.instance_id, i.options "
        "FROM staged_quiz q JOIN staged_item i ON i.quiz_id = q.id ORDER BY q.id, i.position",
    )
    for (quiz, sample, kind, slot, prompt), group in groupby(rows, key=lambda row: row[:5]):
        texts = [text for *_, instance, options in group for text in (instance, *options)]
        if fingerprint(sample, kind, str(slot), prompt, *texts) != quiz:
            raise UnsoundError(f"has other questions in the quiz {quiz:.40} than its id says")
    _check_keys(db)


def _check_keys(db: duckdb.DuckDBPyConnection) -> None:
    """The place of the original is no part of a quiz's id, so it is compared with the texts: a
    quiz of one's own with the same questions would have the sender's key."""
    rows = _rows(
        db,
        "SELECT i.quiz_id, i.options, i.correct, t.text FROM staged_item i "
        "JOIN staged_quiz q ON q.id = i.quiz_id JOIN staged_instance t "
        "ON t.sample_id = q.sample_id AND t.id = i.instance_id WHERE i.correct IS NOT NULL",
    )
    for quiz, options, correct, text in rows:
        if not 0 <= correct < len(options) or options[correct] != text:
            raise UnsoundError(f"says that another option of the quiz {quiz:.40} is the original")


def _rows(db: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """A few at a time: a store may have more text than memory."""
    rows = db.execute(query)
    while some := rows.fetchmany(_CHUNK):
        yield from some
