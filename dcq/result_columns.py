"""What is shown of a thing that has a row in tables: each of its figures is described once, and
JSON, csv, the tables of screens with their help, and those of documents are made of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar

Of = TypeVar("Of")


class Medium(IntEnum):
    """Where people read tables, the narrowest first."""

    DOCUMENT = 0
    TERMINAL = 1
    SCREEN = 2


@dataclass(frozen=True)
class Number:
    """How a screen shows a number, so that its column can be sorted: ``times`` it, in a ``format``
    of printf."""

    format: str
    times: int = 1


COUNT = Number("localized")
SHARE = Number("%.1f %%", 100)
TWO_DECIMALS = Number("%.2f")


@dataclass(frozen=True)
class Column(Generic[Of]):
    """A figure of something that is shown as a row: its ``value`` (None: there is none).

    ``key`` names it in JSON and csv, and is empty where it is only for people; ``heading`` names
    its column where people read it, and is empty where it is only for files. ``show`` writes a
    value, ``number`` is how a screen shows it where it is one, and ``term`` is its name in the
    glossary. A column that ``leads`` says what was asked and stands before the verdict;
    ``medium`` is the narrowest that has room for it, and an ``optional`` one is left out where no
    row has a value.
    """

    key: str
    heading: str
    value: Callable[[Of], object]
    show: Callable[[Any], str] = str
    term: str = ""
    number: Number | None = None
    leads: bool = False
    medium: Medium = Medium.DOCUMENT
    optional: bool = False

    def text(self, of: Of) -> str:
        """The value as people read it; empty where there is none."""
        value = self.value(of)
        return "" if value is None else self.show(value)

    def cell(self, of: Of) -> object:
        """The value as a document has it: a count as a number, the rest as text."""
        value = self.value(of)
        return value if self.number is COUNT and value is not None else self.text(of)
