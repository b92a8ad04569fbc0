"""How much memory a file may use once it is read.

A file's own size says little: a few hundred bytes of parquet can stand for billions of rows, and a
line of JSON for millions of empty lists. So what comes out is counted while it is read, and reading
stops at a limit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from dcq.errors import PartitionError

LIMIT = 500_000_000  # bytes; some million short rows, where a quiz needs some hundred
ROW, CELL = 240, 64  # bytes that Python takes for a row and for each value, beside its text


class Budget:
    """The memory that one file may still use."""

    def __init__(self, name: str, limit: int = LIMIT) -> None:
        self.name = name
        self.left = self._limit = limit

    def renew(self) -> None:
        """Reset the count when the counted values have been freed."""
        self.left = self._limit

    def spend(self, size: int) -> None:
        """Count ``size`` bytes. Raises PartitionError once there are too many."""
        self.left -= size
        if self.left < 0:
            raise too_large(self.name, self._limit)

    def spend_json(self, text: str) -> None:
        """Count at least what parsing ``text`` can take, before it is parsed."""
        self.spend(json_size(text))

    def spend_rows(self, rows: Iterable[dict[str, Any]]) -> None:
        """Count rows that are already in memory."""
        for row in rows:
            self.spend(ROW + sum(CELL + sys.getsizeof(value) for value in row.values()))

    def watch(self, lines: Iterable[str], separator: str) -> Iterator[str]:
        """The lines of a csv file, each counted before it is parsed."""
        for line in lines:
            self.spend(ROW + sys.getsizeof(line) + CELL * line.count(separator))
            yield line


def json_size(text: str) -> int:
    """A lower bound on the bytes that parsing ``text`` can take."""
    wide = 4 if "\\u" in text else 1  # one escaped character may widen all others
    cells = text.count(",") + text.count("[")
    return wide * sys.getsizeof(text) + ROW * text.count("{") + CELL * cells


def too_large(name: str, limit: int = LIMIT) -> PartitionError:
    """The error for a file that uses too much."""
    return PartitionError(
        f"{name} takes more than {limit / 1e6:.0f} MB of memory once it is read; keep some "
        "thousand rows of it, which is plenty for a sample."
    )
