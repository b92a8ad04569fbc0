"""A result file as the quiz's authors publish it (protocol v2), with and without its defects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dcq.audit.release_rows import (
    BIAS,
    EQUAL,
    OPTIONS,
    QUIZZES,
    REPEATED,
    SLOTS,
    ReleaseRow,
    find_defects,
    read_rows,
)
from dcq.audit.release_verdict import Position, SlotSelection, position, rule
from dcq.errors import InputError
from dcq.evidence.kappa import Kappa
from dcq.evidence.protocol2 import Range, contamination_range, non_preferred
from dcq.judging.judged import Verdict
from dcq.records import Item, Outcome
from dcq.variants.leakage import CHANCE, text_only

COLUMNS = ("instance", *OPTIONS, BIAS, *QUIZZES.values())
NEEDED = "instance, option_a to option_d, bdq_results and a bcq_results_for_position_ column"
_NO_LANGUAGE = "und"  # unknown, so the baseline of frequent wordings, which needs it, is left out


@dataclass(frozen=True)
class RowSetResult:
    """The result of a set of rows.

    ``slots`` are those that the range and the verdict may use, ``best`` the one that the verdict is
    on. ``text_only`` are the strategies without memory on the quiz that has the original there.
    ``outcomes`` count answers, ``defects`` rows.
    """

    n: int
    non_preferred: tuple[str, ...]
    positions: Mapping[str, Position]
    slots: tuple[str, ...]
    best: str
    range: Range
    outcomes: Mapping[str, int]
    defects: Mapping[str, int]
    text_only: Mapping[str, Kappa]
    verdict: Verdict

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line; shares are fractions."""
        return {
            "n": self.n,
            "non_preferred": list(self.non_preferred),
            "positions": {slot: position.document() for slot, position in self.positions.items()},
            "min": self.range.low,
            "max": self.range.high,
            "outcomes": dict(self.outcomes),
            "defects": dict(self.defects),
            "text_only": {name: kappa.score for name, kappa in self.text_only.items()},
            "verdict": self.verdict.ruling.value,
            "reasons": list(self.verdict.reasons),
        }


@dataclass(frozen=True)
class AuditedRelease:
    """A result file of the authors, analysed: ``all_rows`` uses every row, ``clean`` those without
    a defect, at the slots that are ``sound``. ``defect_rows`` are row numbers by defect, from 1 and
    without the header.

    If one option of a row is the original itself, the quiz at that slot is sound. If there are more
    such rows than others, ``clean`` includes them, and only that slot.
    """

    name: str
    rows: tuple[ReleaseRow, ...]
    all_rows: RowSetResult
    clean: RowSetResult
    sound: tuple[str, ...]
    defect_rows: Mapping[str, tuple[int, ...]]

    @property
    def is_partly_sound(self) -> bool:
        """True if the quizzes at other slots have the original twice."""
        return len(self.sound) < len(self.all_rows.positions)

    def document(self) -> dict[str, Any]:
        """The estimate over all rows, with the one over clean rows and the row numbers under
        separate keys."""
        return {
            **self.all_rows.document(),
            "clean": self.clean.document(),
            "defect_rows": {name: list(numbers) for name, numbers in self.defect_rows.items()},
        }


def missing(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns that such a file needs and ``table`` lacks."""
    reasons = [name for name in ("instance", *OPTIONS, BIAS) if name not in table]
    if not any(name in table for name in QUIZZES.values()):
        reasons.append(QUIZZES["D"])
    return tuple(reasons)


def analyse(table: pd.DataFrame, name: str) -> AuditedRelease:
    """Analyse a ``table`` of strings; ``name`` is the file's, for messages.

    Raises ``InputError`` if a column is missing.
    """
    reasons = missing(table)
    if reasons:
        raise InputError(
            f"{name} has no column {', '.join(reasons)}; the authors' csv needs {NEEDED}."
        )
    rows = read_rows(table)
    slots = tuple(slot for slot in SLOTS if QUIZZES[slot] in table)
    defects = find_defects(rows, slots)
    clean, sound = _clean(rows, slots, defects)
    return AuditedRelease(
        name=name,
        rows=rows,
        all_rows=_estimate(
            rows, slots, slots, defects, judged=sound, clean=len(clean), of=len(rows)
        ),
        clean=_estimate(
            clean,
            slots,
            sound,
            find_defects(clean, sound),
            judged=sound,
            clean=len(clean),
            of=len(rows),
        ),
        sound=sound,
        defect_rows=defects,
    )


def _clean(
    rows: Sequence[ReleaseRow], slots: tuple[str, ...], defects: Mapping[str, Sequence[int]]
) -> tuple[tuple[ReleaseRow, ...], tuple[str, ...]]:
    """The rows without a defect, and the slots at which they have none."""
    flawed = {number for name, numbers in defects.items() if name != EQUAL for number in numbers}
    remaining_release_rows = [row for row in rows if row.number not in flawed]
    sound = tuple(row for row in remaining_release_rows if not row.equals_original())
    for slot in slots:
        at_slot = tuple(row for row in remaining_release_rows if row.is_sound_at(slot))
        if len(at_slot) > 2 * len(sound):  # at_slot includes the sound ones
            return at_slot, (slot,)
    return sound, slots


def _estimate(
    rows: Sequence[ReleaseRow],
    asked: Sequence[str],
    slots: Sequence[str],
    defects: Mapping[str, tuple[int, ...]],
    *,
    judged: Sequence[str],
    clean: int,
    of: int,
) -> RowSetResult:
    """``asked`` are all slots of the file, ``slots`` those that the range may use, ``judged`` those
    that the verdict may use; ``clean`` rows ``of`` all have no defect."""
    n = len(rows)
    chosen = _count_letters(rows, BIAS)
    rare = non_preferred({slot: chosen[slot] for slot in SLOTS}, n)
    positions = {
        slot: position(rows if slot in slots else (), slot, chosen[slot]) for slot in asked
    }
    answered = [slot for slot in slots if positions[slot].kappa.n]
    # By the protocol only non-preferred slots count; a file may lack them all.
    used = [slot for slot in answered if slot in rare] or answered
    correct = {slot: positions[slot].kappa.correct for slot in used}
    best = _most_raised(positions, [slot for slot in used if slot in judged] or used or judged)
    strategies = {
        baseline.name: baseline.kappa
        for baseline in text_only(_items(rows, best), language=_NO_LANGUAGE)
    }
    outcomes = Counter(reading.outcome for row in rows for reading in row.answers.values())
    return RowSetResult(
        n=n,
        non_preferred=rare,
        positions=positions,
        slots=tuple(used),
        best=best,
        range=contamination_range(chosen, correct, n),
        outcomes={outcome.value: outcomes[outcome] for outcome in Outcome},
        defects={name: len(numbers) for name, numbers in defects.items() if name != REPEATED},
        text_only=strategies,
        verdict=rule(
            rows,
            position=positions[best],
            best=best,
            asked_selection=SlotSelection(tuple(used), rare, tuple(asked), tuple(judged)),
            defects=defects,
            text_only=strategies,
            clean=clean,
            total=of,
        ),
    )


def _most_raised(positions: Mapping[str, Position], slots: Sequence[str]) -> str:
    """The slot whose choice the original raised most; by the protocol's order if several tie or it
    is not known."""

    def place(slot: str) -> tuple[float, int, int]:
        position = positions[slot]
        gain = position.ablation.difference
        return -2.0 if gain is None else gain, position.kappa.correct, -position.bdq_chosen

    return max(slots, key=place)


def _count_letters(rows: Sequence[ReleaseRow], column: str) -> Counter[str]:
    return Counter(row.answers[column].value or "" for row in rows)


def _items(rows: Sequence[ReleaseRow], slot: str) -> list[Item]:
    """The quiz with the original at ``slot``, from the rows that have all texts."""
    place = SLOTS.index(slot)
    return [
        Item(
            str(row.number),
            (*row.options[:place], row.instance, *row.options[place + 1 :]),
            place,
        )
        for row in rows
        if row.is_complete
    ]


def score_table(result: RowSetResult) -> pd.DataFrame:
    """The model at each slot, then the strategies without memory: name, score, low, high, n and
    is_model; limits are those of κ on the scale of scores."""
    named = [(slot, at.kappa, True) for slot, at in result.positions.items()]
    named += [(name, kappa, False) for name, kappa in result.text_only.items()]
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
