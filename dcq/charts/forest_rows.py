"""The rows of a forest plot: read from a table, put in order, and given a mark and words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import pandas as pd

from dcq.charts.template import CONTAMINATED, CONTROL, INCONCLUSIVE, INK, VARIANT
from dcq.records import Role

SYMBOLS = {Role.TARGET: "circle", Role.POSITIVE: "triangle-up", Role.CONTROL: "square"}
PUBLISHED = "diamond-open"
VERDICTS = {"contaminated": CONTAMINATED, "inconclusive": INCONCLUSIVE, "no evidence": INK}


class Look(NamedTuple):
    """Symbol and colour of a mark."""

    symbol: str
    colour: str


@dataclass(frozen=True)
class Row:
    """One model on one partition; κ and its limits are NaN where undefined, and ``progress``
    (``9 of 40``) is empty for a run that is finished."""

    model: str
    partition: str
    role: Role
    n: int
    progress: str
    kappa: float
    low: float
    high: float
    published: bool
    verdict: str

    @property
    def look(self) -> Look:
        """How the row is marked: by source, then role, then verdict."""
        if self.published:
            return Look(PUBLISHED, VARIANT)
        if self.role is Role.CONTROL:
            return Look(SYMBOLS[self.role], CONTROL)
        return Look(SYMBOLS[self.role], VERDICTS.get(self.verdict, INK))

    @property
    def count(self) -> str:
        """n; for an unfinished run, how far it got."""
        return self.progress or f"{self.n:,}"

    @property
    def numbers(self) -> str:
        """κ with its interval, or words if there is none."""
        if math.isnan(self.kappa):
            return "no valid answer"
        if math.isnan(self.low) or math.isnan(self.high):
            return _signed(self.kappa)
        return f"{_signed(self.kappa)} [{_signed(self.low)}, {_signed(self.high)}]"


def read_rows(results: pd.DataFrame) -> list[Row]:
    """The table's rows with their optional columns filled."""
    return [
        Row(
            model=str(record["model"]),
            partition=str(record["partition"]),
            role=Role(record["role"]),
            n=int(record["n"]),
            progress=_word(record.get("progress")),
            kappa=float(record["kappa"]),
            low=float(record["low"]),
            high=float(record["high"]),
            published=_flag(record.get("published")),
            verdict=_word(record.get("verdict")),
        )
        for record in results.to_dict("records")
    ]


def _flag(value: object) -> bool:
    """A cell as yes or no; an empty cell is no, though NaN counts as true in Python."""
    return bool(value) and not (isinstance(value, float) and math.isnan(value))


def _word(value: object) -> str:
    """A cell as a string; an empty cell, None or NaN, as the empty one."""
    return value if isinstance(value, str) else ""


def arrange(results: pd.DataFrame) -> list[tuple[str, list[Row]]]:
    """Rows by partition in the order shown."""

    def fall(row: Row) -> tuple[bool, float, str]:
        return math.isnan(row.kappa), -row.kappa, row.model

    by_partition = groupby(
        sorted(read_rows(results), key=lambda row: row.partition), key=lambda row: row.partition
    )
    groups = [(partition, sorted(members, key=fall)) for partition, members in by_partition]
    roles = list(SYMBOLS)
    return sorted(groups, key=lambda group: (roles.index(group[1][0].role), fall(group[1][0])))


def _signed(value: float) -> str:
    """Two decimals with a true minus sign; a zero has none."""
    return f"{value:z.2f}".replace("-", "−")
