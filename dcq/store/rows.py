"""Rows as records and back, and the newest row of each key: the one place where it is written how.

A record is a dataclass whose fields have the names of columns. Lists of DuckDB become tuples, text
in JSON becomes what the field is, a name becomes its member of an enumeration. A field that is a
record itself is read from a STRUCT of its name or, where there is none, from the same row. Names of
tables and columns are our own, never foreign text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import duckdb

Record = TypeVar("Record")


def records(rows: duckdb.DuckDBPyConnection, kind: type[Record], **same: object) -> list[Record]:
    """All rows of an executed query as records of this ``kind``; ``same`` are fields that are alike
    in all of them. Columns that are no field are left aside."""
    names = tuple(name for name, *_ in rows.description or ())
    read = _reader(cast("Any", kind), names, frozenset(same))
    return [kind(**read(row), **same) for row in rows.fetchall()]


def record(rows: duckdb.DuckDBPyConnection, kind: type[Record], **same: object) -> Record | None:
    """The first row of an executed query as a record; None where there is no row."""
    return next(iter(records(rows, kind, **same)), None)


def column(rows: duckdb.DuckDBPyConnection) -> list[Any]:
    """The first column of an executed query."""
    return [row[0] for row in rows.fetchall()]


def grouped(rows: duckdb.DuckDBPyConnection) -> dict[Any, list[tuple[Any, ...]]]:
    """The rows of an executed query by their first column, without it; both in their order."""
    groups: dict[Any, list[tuple[Any, ...]]] = {}
    for key, *rest in rows.fetchall():
        groups.setdefault(key, []).append(tuple(rest))
    return groups


def parsed(kind: Any, text: str) -> Any:
    """What a text in JSON is, read as a value of this type, such as ``tuple[Record, ...]``. Raises
    ValueError or TypeError where it is none."""
    convert = _converter(kind)
    if convert is None:
        raise TypeError(f"{kind} is not read from a text")
    return convert(text)


def newest_rows(table: str, *key: str, where: str = "true") -> str:
    """SQL for the newest row of each ``key``, a table in parentheses: of the rows of a history,
    numbered by ``seq``, for which ``where`` holds."""
    # Twice as fast as to rank the rows by a window, which moves their texts.
    return (
        f"(SELECT * FROM {table} WHERE seq IN "  # noqa: S608  (our own names)
        f"(SELECT max(seq) FROM {table} WHERE {where} GROUP BY {', '.join(key)}))"
    )


def insert_records(
    db: duckdb.DuckDBPyConnection,
    table: str,
    new: Iterable[Any],
    *,
    first_position: int | None = None,
    **same: object,
) -> None:
    """Insert records into a table with columns for their fields and for ``same``, whose values are
    alike in all rows; fields that have no column are left aside. With ``first_position`` the rows
    are numbered from there on, in the column ``position``."""
    new = list(new)
    if not new:
        return
    columns = {name for name, *_ in db.execute(f"FROM {table} LIMIT 0").description or ()}
    names = [field.name for field in fields(new[0]) if field.name in columns - {*same}]
    places = [] if first_position is None else ["position"]
    insert_rows(
        db,
        table,
        (*same, *places, *names),
        [
            [*same.values(), *([place] if places else ()), *(getattr(one, name) for name in names)]
            for place, one in enumerate(new, first_position or 0)
        ],
    )


def insert_rows(
    db: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
) -> None:
    """Insert ``rows``, each with a value for every one of ``columns``, in their order.

    One statement with a list for each column: forty times as fast as ``executemany``, which runs a
    statement for each row. What has parts and no list as its column becomes JSON.
    """
    if not rows:
        return
    names = ", ".join(columns)
    described = db.execute(f"SELECT {names} FROM {table} LIMIT 0").description or ()  # noqa: S608
    kinds = [str(kind) for _, kind, *_ in described]
    values = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    db.execute(
        f"INSERT INTO {table} ({names}) SELECT {values}",
        [
            [_cell(value, kind) for value in cells]
            for kind, cells in zip(kinds, zip(*rows, strict=True), strict=True)
        ],
    )


def _cell(value: object, kind: str) -> object:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return json.dumps(dict(value))
    if isinstance(value, list | tuple):
        parts = [_parts(part) for part in value]
        return parts if kind.endswith("[]") else json.dumps(parts)
    return value


def _parts(value: object) -> object:
    """A record, or a tuple, within a list: the list of its values."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, tuple) else value


@cache
def _reader(
    kind: Any, columns: tuple[str, ...], without: frozenset[str] = frozenset()
) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """What gives the fields of a record, ``without`` some, from a row with these columns."""
    hints = get_type_hints(kind)
    asked = [field.name for field in fields(kind) if field.name not in without]
    places = {name: columns.index(name) for name in asked if name in columns}
    converted = [(name, convert) for name in places if (convert := _converter(hints[name]))]
    nested = [
        (name, hints[name], _reader(hints[name], columns))
        for name in asked
        if name not in places and _is_record(hints[name])
    ]

    def read(row: Sequence[Any]) -> dict[str, Any]:
        values = {name: row[place] for name, place in places.items()}
        for name, convert in converted:
            if (cell := values[name]) is not None:
                values[name] = convert(cell)
        for name, part, read_part in nested:
            values[name] = part(**read_part(row))
        return values

    return read


def _converter(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a value of this type of a cell that is not NULL; None where the cell is one."""
    if get_origin(hint) in {Union, UnionType}:
        parts = [part for part in get_args(hint) if part is not NoneType]
        hint = parts[0] if len(parts) == 1 else None
    origin = get_origin(hint)
    if origin in {tuple, frozenset}:
        part = _converter(get_args(hint)[0])
        return lambda cell: _many(origin, part, _from_json(cell))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _from_json
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint
    return partial(_from_parts, hint) if _is_record(hint) else None


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _from_json(cell: Any) -> Any:
    return json.loads(cell) if isinstance(cell, str) else cell


def _many(kind: Any, part: Callable[[Any], Any] | None, cells: Any) -> Any:
    if cells is None or part is None:
        return cells if cells is None else kind(cells)
    return kind(None if cell is None else part(cell) for cell in cells)


def _from_parts(kind: Any, cell: Mapping[str, Any] | Sequence[Any]) -> Any:
    """A record from a STRUCT, or from the list of its values in JSON."""
    if isinstance(cell, Mapping):
        return kind(**_reader(kind, tuple(cell))(tuple(cell.values())))
    names = tuple(field.name for field in fields(kind))
    if len(cell) != len(names):
        raise ValueError(f"{kind.__name__} has {len(names)} values")
    return kind(**_reader(kind, names)(cell))
