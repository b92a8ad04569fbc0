"""Items by their dates: targets from before a model's training data end, controls from after.

A date may be a year, a month or a day. An item of a whole month is after a moment only where all of
the month is, and before it likewise.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from dcq.columns import DATE
from dcq.errors import PartitionError
from dcq.partitions.format import Row, value_at
from dcq.records import Instance, Partition
from dcq.words import choices

_DATE = re.compile(r"\s*((?:1[6-9]|2\d)\d\d)(?:[-/.](\d\d?)(?:[-/.](\d\d?)(?!\d).{0,40})?)?\s*")


@dataclass(frozen=True)
class Days:
    """The first and the last day that a date can mean."""

    first: date
    last: date


def read_days(value: object) -> Days | None:
    """A date as data has it: a date, or a text such as ``2023-10-04T12:00Z``, ``2023/10`` or
    ``2023``; None for anything else."""
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return Days(value, value)
    match = _DATE.fullmatch(str(value)[:80]) if isinstance(value, str | int) else None
    if match is None or isinstance(value, bool):
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None  # noqa: S101  (the pattern has one)
    try:
        if month is None:
            return Days(date(year, 1, 1), date(year, 12, 31))
        if day is None:
            return Days(
                date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
            )
        return Days(date(year, month, day), date(year, month, day))
    except (ValueError, calendar.IllegalMonthError):
        return None


@dataclass(frozen=True)
class DateWindow:
    """The rows whose date in ``column`` is later than all of ``after`` and not later than
    ``until``; without either, all that have a date."""

    column: str
    after: Days | None = None
    until: Days | None = None

    def is_late(self, days: Days) -> bool:
        """Whether a date is later than ``after``."""
        return self.after is None or days.first > self.after.last

    def has(self, days: Days) -> bool:
        """Whether a date is within."""
        return self.is_late(days) and (self.until is None or days.last <= self.until.last)

    def name(self, partition: Partition, earliest: date | None) -> Partition:
        """The partition of these rows, first public at the ``earliest`` of their dates. Prompts
        name the split as ever."""
        limits = [("after", self.after), ("until", self.until)]
        words = [f"{word}-{days.last}" for word, days in limits if days]
        split = "-".join([partition.split, *words])
        return replace(partition, split=split, published=earliest) if words else partition


@dataclass
class DatedRows:
    """Makes instances of rows whose date is within a window, and remembers the earliest of these
    dates and how many rows were left out."""

    window: DateWindow
    earliest: date | None = field(default=None, init=False)
    undated: int = field(default=0, init=False)
    outside: int = field(default=0, init=False)
    repeated: int = field(default=0, init=False)

    def instances(
        self, read: Callable[[], Iterable[Row]], make: Callable[[Row], Instance | None]
    ) -> Iterator[Instance | None]:
        """Each with its first day; None for a row of which ``make`` makes none. A text that
        another row has at an earlier date, or at none, is not later than the window says."""
        old: set[str] = set()
        if self.window.after is not None:
            earlier = (make(row) for row in read() if not self._is_late(row))
            old = {instance.id for instance in earlier if instance is not None}
        for row in read():
            days = read_days(value_at(row, self.window.column))
            instance = make(row)
            if days is None:
                self.undated += 1
            elif not self.window.has(days):
                self.outside += 1
            elif instance is not None and instance.id in old:
                self.repeated += 1
            elif instance is None:
                yield None
            else:
                self.earliest = min(days.first, self.earliest or days.first)
                yield replace(instance, fields={**instance.fields, DATE: days.first.isoformat()})

    def _is_late(self, row: Row) -> bool:
        days = read_days(value_at(row, self.window.column))
        return days is not None and self.window.is_late(days)

    def check(self, columns: Iterable[str], name: str) -> None:
        """Raise PartitionError where there is no such column."""
        column_names = tuple(columns)
        if self.window.column.partition(".")[0] not in {
            *column_names,
            *(column.split(".")[0] for column in column_names),
        }:
            raise PartitionError(
                f'{name} has no column "{self.window.column}"; choose from: '
                f"{choices(column_names)}."
            )

    def notes(self) -> Iterator[str]:
        """A sentence for what was left out, and why."""
        for count, why in (
            (self.undated, "has no date that can be read"),
            (self.outside, "is outside the dates"),
            (self.repeated, "has a text that was there before"),
        ):
            if count:
                rows, which = (
                    ("1 row was", "it") if count == 1 else (f"{count:,} rows were", "each")
                )
                yield f"{rows} left out because {which} {why}."
