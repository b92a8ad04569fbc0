"""A store for rows that come and go within one operation, such as those of a bundle that is only
checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dcq.store import migrations
from dcq.store.connect import Store
from dcq.store.open_errors import translate

_FILE, _NAME = "dcq.duckdb", "own"


class OwnStore(Store):
    """A new store in an empty ``folder`` that nobody else knows. So its file stays open until
    ``close``: opening it for each of some fifty operations takes a fifth of an import."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / _FILE)
        self._instance = duckdb.connect(
            ":memory:", config={"temp_directory": str(folder / "spill")}
        )
        # At the end the file goes; what is in its log need not be moved into it.
        self._instance.execute("PRAGMA disable_checkpoint_on_shutdown")
        self._attach(self._instance, _NAME, read_only=False, deadline=0)
        self._current = False

    def waiting(self, timeout: float) -> Store:
        """This store: a second one would open the file again."""
        return self

    def close(self) -> None:
        """Close the file, so that the folder can be removed."""
        self._instance.close()

    @contextmanager
    def _opened(
        self, deadline: float, *, read_only: bool
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, bool]]:
        if not read_only:
            self._check_not_held()
        connection = self._instance.cursor()
        try:
            connection.execute(f"USE {_NAME}")
            if read_only:
                connection.execute("BEGIN TRANSACTION READ ONLY")
            self._current = self._current or migrations.check(connection, self.path)
            yield connection, self._current
        except duckdb.Error as error:
            raise translate(error, self.path) or error from error
        finally:
            connection.close()
