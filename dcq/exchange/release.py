"""A result file as the quiz's authors publish it (protocol v2), with and without its defects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dcq.errors import InputError
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.protocol2 import Range, contamination_range, non_preferred
from dcq.evidence.verdict import Ruling
from dcq.exchange.cells import SLOTS
from dcq.exchange.release_rows import (
    BIAS,
    OPTIONS,
    QUIZZES,
    REPEATED,
    Row,
    find_defects,
    read_rows,
)
from dcq.exchange.release_verdict import Position, rule
from dcq.quiz.leakage import CHANCE, text_only
from dcq.records import Item, Outcome

COLUMNS = ("instance", *OPTIONS, BIAS, *QUIZZES.values())
NEEDED = "instance, option_a to option_d, bdq_results and a bcq_results_for_position_ column"
_NO_LANGUAGE = "und"  # unknown, so the baseline of frequent wordings, which needs it, is left out


@dataclass(frozen=True)
class Estimate:
    """What a set of rows comes to.

    ``best`` is the slot where most originals were found, None without rows; ``text_only`` are the
    strategies without memory on the quiz that has the original there. ``outcomes`` count answers,
    ``defects`` rows.
    """

    n: int
    non_preferred: tuple[str, ...]
    positions: Mapping[str, Position]
    best: str | None
    range: Range
    outcomes: Mapping[str, int]
    defects: Mapping[str, int]
    text_only: Mapping[str, Kappa]
    ruling: Ruling
    reasons: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The keys that the command line promises; shares are fractions."""
        return {
            "n": self.n,
            "non_preferred": list(self.non_preferred),
            "positions": {slot: found.document() for slot, found in self.positions.items()},
            "min": self.range.low,
            "max": self.range.high,
            "outcomes": dict(self.outcomes),
            "defects": dict(self.defects),
            "text_only": {name: kappa.score for name, kappa in self.text_only.items()},
            "verdict": self.ruling.value,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True)
class Release:
    """One file: ``whole`` rests on every row, ``clean`` on those without a defect. ``defect_rows``
    are row numbers by defect, from 1 and without the header."""

    name: str
    rows: tuple[Row, ...]
    whole: Estimate
    clean: Estimate
    defect_rows: Mapping[str, tuple[int, ...]]

    def document(self) -> dict[str, Any]:
        """The whole estimate, and the clean one and the row numbers as keys of their own."""
        return {
            **self.whole.document(),
            "clean": self.clean.document(),
            "defect_rows": {name: list(numbers) for name, numbers in self.defect_rows.items()},
        }


def missing(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns that such a file needs and ``table`` lacks."""
    lacks = [name for name in ("instance", *OPTIONS, BIAS) if name not in table]
    if not any(name in table for name in QUIZZES.values()):
        lacks.append(QUIZZES["D"])
    return tuple(lacks)


def analyse(table: pd.DataFrame, name: str) -> Release:
    """Analyse the texts of ``table``; ``name`` is the file's, for messages.

    Raises ``InputError`` where a column is missing.
    """
    lacks = missing(table)
    if lacks:
        raise InputError(
            f"{name} has no column {', '.join(lacks)}; the authors' csv needs {NEEDED}."
        )
    rows = read_rows(table)
    slots = [slot for slot in SLOTS if QUIZZES[slot] in table]
    defects = find_defects(rows)
    flawed = {number for numbers in defects.values() for number in numbers}
    clean = tuple(row for row in rows if row.number not in flawed)
    return Release(
        name=name,
        rows=rows,
        whole=_estimate(rows, slots, defects, clean=len(clean), total=len(rows)),
        clean=_estimate(clean, slots, find_defects(clean), clean=len(clean), total=len(rows)),
        defect_rows=defects,
    )


def _estimate(
    rows: Sequence[Row],
    slots: Sequence[str],
    defects: Mapping[str, tuple[int, ...]],
    *,
    clean: int,
    total: int,
) -> Estimate:
    n = len(rows)
    chosen = _count_letters(rows, BIAS)
    shunned = non_preferred({slot: chosen[slot] for slot in SLOTS}, n)
    correct = {slot: _count_letters(rows, QUIZZES[slot])[slot] for slot in slots}
    positions = {slot: Position(kappa_fixed(correct[slot], n), chosen[slot]) for slot in slots}
    # By the protocol only slots that the model does not like count; a file may lack them all.
    used = [slot for slot in slots if slot in shunned] or list(slots)
    best = min(used, key=lambda slot: (-correct[slot], chosen[slot])) if n else None
    strategies = {
        found.name: found.kappa
        for found in text_only(_items(rows, best or slots[0]), language=_NO_LANGUAGE)
    }
    ruling, reasons = rule(
        rows,
        positions={slot: positions[slot] for slot in used},
        best=best,
        shunned=shunned,
        defects=defects,
        text_only=strategies,
        clean=clean,
        total=total,
    )
    outcomes = Counter(reading.outcome for row in rows for reading in row.answers.values())
    return Estimate(
        n=n,
        non_preferred=shunned,
        positions=positions,
        best=best,
        range=contamination_range(chosen, {slot: correct[slot] for slot in used}, n),
        outcomes={outcome.value: outcomes[outcome] for outcome in Outcome},
        defects={name: len(numbers) for name, numbers in defects.items() if name != REPEATED},
        text_only=strategies,
        ruling=ruling,
        reasons=reasons,
    )


def _count_letters(rows: Sequence[Row], column: str) -> Counter[str]:
    return Counter(row.answers[column].letter or "" for row in rows)


def _items(rows: Sequence[Row], slot: str) -> list[Item]:
    """The quiz with the original at ``slot``, of the rows that have all texts."""
    place = SLOTS.index(slot)
    return [
        Item(
            str(row.number),
            (*row.options[:place], row.instance, *row.options[place + 1 :]),
            place,
        )
        for row in rows
        if row.is_whole
    ]


def score_table(found: Estimate) -> pd.DataFrame:
    """The model at each slot, then the strategies without memory: name, score, low, high, n and
    is_model; limits are those of κ on the scale of scores."""
    named = [(slot, at.kappa, True) for slot, at in found.positions.items()]
    named += [(name, kappa, False) for name, kappa in found.text_only.items()]
    return pd.DataFrame(
        [
            {
                "name": name,
                "score": kappa.score,
                "low": CHANCE + (1 - CHANCE) * kappa.kappa_low,
                "high": CHANCE + (1 - CHANCE) * kappa.kappa_high,
                "n": kappa.n,
                "is_model": is_model,
            }
            for name, kappa, is_model in named
            if kappa.kappa_low is not None and kappa.kappa_high is not None
        ]
    )
