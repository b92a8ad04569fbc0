"""The figures of a thing that is shown as a row in tables, each described once.

JSON, csv, the tables of screens with their help, and those of documents are made from these
descriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar

Row = TypeVar("Row")


class Medium(IntEnum):
    """Where people read tables; a narrow one has room for few columns."""

    DOCUMENT = 0
    TERMINAL = 1
    SCREEN = 2


@dataclass(frozen=True)
class Number:
    """How a screen shows a number in a column that can be sorted: multiplied by ``times``, in a
    ``format`` of printf."""

    format: str
    times: int = 1


COUNT = Number("localized")
SHARE = Number("%.1f %%", 100)
TWO_DECIMALS = Number("%.2f")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One figure of a thing that is shown as a row.

    ``value`` computes it, None if there is none. ``key`` names it in JSON and csv, and is empty
    where it is only for people; ``heading`` names its column where people read it, and is empty
    where it is only for files. ``show`` writes a value as text, ``number`` says how a screen shows
    a number, and ``term`` is its name in the glossary. A column that ``leads`` says what was asked
    and stands before the verdict. ``medium`` is the narrowest that has room for it, and an
    ``optional`` column is left out where no row has a value.
    """

    key: str
    heading: str
    value: Callable[[Row], object]
    show: Callable[[Any], str] = str
    term: str = ""
    number: Number | None = None
    leads: bool = False
    medium: Medium = Medium.DOCUMENT
    optional: bool = False

    def text(self, row: Row) -> str:
        """The value as people read it; empty where there is none."""
        value = self.value(row)
        return "" if value is None else self.show(value)

    def cell(self, row: Row) -> object:
        """The value as a document has it: a count as a number, the rest as text."""
        value = self.value(row)
        return value if self.number is COUNT and value is not None else self.text(row)


def for_people(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """Of ``columns`` those that people read in a table of these ``rows``."""
    return [
        column
        for column in columns
        if column.heading
        and not (column.optional and all(column.value(row) is None for row in rows))
    ]


def cells(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> dict[str, list[object]]:
    """The cells of a document's table, by heading."""
    return {column.heading: [column.cell(row) for row in rows] for column in columns}
