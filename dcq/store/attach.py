"""Attaching a file to DuckDB, under whatever name it has."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dcq.errors import InputError, StorePathError
from dcq.incoming.plain_file import check_kind


def attach(
    instance: duckdb.DuckDBPyConnection, file: Path, name: str, *, read_only: bool = False
) -> None:
    """Attach ``file``, which links do not lead to, as ``name``; makes it unless ``read_only``.
    Raises duckdb.Error."""
    with _name_for_duckdb(file) as path:
        quoted = str(path).replace("'", "''")
        how = "READ_ONLY" if read_only else "READ_WRITE"
        statement = f"ATTACH '{quoted}' AS {name} (TYPE duckdb, {how})"
        if path != file and not read_only and not file.exists():
            # A link to a file that is there is followed first, so that the log is beside the file.
            instance.execute(statement)
            instance.execute(f"DETACH {name}")
        instance.execute(statement)


def check_file(path: Path) -> None:
    """Raise StorePathError where a store is no plain file, which DuckDB would wait for."""
    try:
        check_kind(path)
    except InputError as error:
        raise StorePathError(f"The store {error}") from None


@contextmanager
def _name_for_duckdb(file: Path) -> Iterator[Path]:
    """``file``, or a link to it where DuckDB would take a backslash in its name for a slash."""
    if os.name == "nt" or "\\" not in str(file):
        yield file
        return
    usual = tempfile.gettempdir()
    place = "/tmp" if "\\" in usual else usual  # noqa: S108  (a folder of its own is made there)
    with tempfile.TemporaryDirectory(prefix="dcq-store-", dir=place) as folder:
        link = Path(folder) / "store.duckdb"
        link.symlink_to(file.absolute())
        yield link
