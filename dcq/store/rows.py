"""The rows of a query by the names of their columns, and many rows into a table at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb


def fetch(rows: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """All rows of an executed query: a dict a row, in the order of its columns."""
    names = [name for name, *_ in rows.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]


def insert_rows(
    db: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
) -> None:
    """Insert ``rows``, each with a value for every one of ``columns``, in their order.

    One statement with a list for each column: forty times as fast as ``executemany``, which runs a
    statement for each row. Table and columns are our own names, never foreign text.
    """
    if not rows:
        return
    names = ", ".join(columns)
    described = db.execute(f"SELECT {names} FROM {table} LIMIT 0").description  # noqa: S608
    values = ", ".join(f"unnest(?::{kind}[])" for _, kind, *_ in described or ())
    db.execute(
        f"INSERT INTO {table} ({names}) SELECT {values}",
        [list(column) for column in zip(*rows, strict=True)],
    )
