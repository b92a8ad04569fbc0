"""Makes the file of a new store, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import duckdb

from dcq.store import migrations
from dcq.store.attach import attach
from dcq.store.open_errors import cannot_write, translate

_NAME = "new_store"


def make(instance: duckdb.DuckDBPyConnection, file: Path, named: Path) -> None:
    """Make a store at ``file``, unless one is there already. The file gets its name once it has all
    tables, so that a process which ends in the middle leaves nothing that cannot be opened.
    ``named`` is what people call it. Raises StoreError where it cannot be made."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".dcq-new-", dir=file.parent) as folder:
            new = Path(folder) / "new.duckdb"
            attach(instance, new, _NAME)
            connection = instance.cursor()
            try:
                connection.execute(f"USE {_NAME}")
                migrations.apply(connection, named)
            finally:
                connection.close()
                instance.execute(f"DETACH {_NAME}")
            _name(new, file)
    except OSError as error:
        raise cannot_write(named) from error
    except duckdb.Error as error:
        raise translate(error, named) or error from error


def _name(new: Path, file: Path) -> None:
    """Give the file its name, unless somebody who did not wait in the queue was faster."""
    try:
        with suppress(FileExistsError):
            os.link(new, file)
    except OSError:  # a file system without hard links
        if not file.exists():
            new.rename(file)
