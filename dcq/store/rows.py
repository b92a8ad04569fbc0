"""What a query found, by the names of its columns."""

from __future__ import annotations

from typing import Any

import duckdb


def fetch(found: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """All rows of an executed query: a dict a row, in the order of its columns."""
    names = [name for name, *_ in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
