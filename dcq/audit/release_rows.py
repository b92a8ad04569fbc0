"""Rows of the csv that the quiz's authors publish, their answers read and their defects found.

``bdq_results`` holds the answers to four variants; ``bcq_results_for_position_b`` those to the same
options with the original in the place of B, and so on. E is "none of these".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dcq.audit.cells import SLOTS, read_answer, unescape_formula
from dcq.records import Reading

BIAS = "bdq_results"
OPTIONS = tuple(f"option_{slot.lower()}" for slot in SLOTS)
QUIZZES = {slot: f"bcq_results_for_position_{slot.lower()}" for slot in SLOTS}
EQUAL, REPEATED = "option_equals_original", "repeated_instances"


@dataclass(frozen=True)
class Row:
    """One instance. ``number`` counts the file's rows from 1, without the header; ``answers`` are
    by column. Texts are compared but for runs of white space."""

    number: int
    instance: str
    options: tuple[str, ...]
    answers: Mapping[str, Reading]

    @property
    def is_whole(self) -> bool:
        """True where neither an option nor the original is missing."""
        return all((self.instance, *self.options))

    def equals_original(self) -> tuple[str, ...]:
        """The slots whose option is the original itself."""
        return tuple(
            slot
            for slot, text in zip(SLOTS, self.options, strict=True)
            if text and text == self.instance
        )

    def is_sound_at(self, slot: str) -> bool:
        """True where the quiz with the original at ``slot`` holds it once: an option that equals
        it may only be the one that it takes the place of."""
        return self.equals_original() in {(), (slot,)}


def read_rows(table: pd.DataFrame) -> tuple[Row, ...]:
    """The rows of a ``table`` of texts that has the columns of such a file."""
    columns = [name for name in (BIAS, *QUIZZES.values()) if name in table]
    readings = {cell: read_answer(cell) for name in columns for cell in table[name].unique()}
    return tuple(
        Row(
            number=number,
            instance=_squeeze(cells["instance"]),
            options=tuple(_squeeze(cells[option]) for option in OPTIONS),
            answers={name: readings[cells[name]] for name in columns},
        )
        for number, cells in enumerate(table.to_dict("records"), start=1)
    )


def find_defects(rows: Sequence[Row], slots: Sequence[str] = SLOTS) -> dict[str, tuple[int, ...]]:
    """The numbers of the rows with each defect; a row may have several.

    An answer is unparsed where it names no single letter. Of rows with the same instance all but
    the first are repeated. An option that equals the original is none where the original is asked
    in its place alone, ``slots`` being where it is asked.
    """
    seen: set[str] = set()
    repeated = []
    for row in rows:
        if row.instance and row.instance in seen:
            repeated.append(row.number)
        seen.add(row.instance)
    return {
        "missing_options": tuple(row.number for row in rows if not row.is_whole),
        "duplicate_options": tuple(row.number for row in rows if _has_duplicates(row)),
        EQUAL: tuple(
            row.number for row in rows if not all(row.is_sound_at(slot) for slot in slots)
        ),
        "unparsed_answers": tuple(
            row.number for row in rows if any(a.value is None for a in row.answers.values())
        ),
        REPEATED: tuple(repeated),
    }


def _has_duplicates(row: Row) -> bool:
    texts = [text for text in row.options if text]
    return len(set(texts)) < len(texts)


def _squeeze(text: str) -> str:
    return " ".join(unescape_formula(text).split())
