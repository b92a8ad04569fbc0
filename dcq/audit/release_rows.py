"""Rows of the csv that the quiz's authors publish: their answers read and their defects found.

``bdq_results`` has the answers to four variants; ``bcq_results_for_position_b`` those to the same
options with the original in place of B, and so on. E is "none of these".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dcq.errors import InputError
from dcq.partitions import read_file
from dcq.quiz.parse import read_reply
from dcq.records import LETTERS, Outcome, Reading, Reply

SLOTS = tuple(LETTERS[:4])
# A spreadsheet runs a cell that begins with one of these as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def unescape_formula(cell: str) -> str:
    """A text as it was before ``export.escape_formulas`` put an apostrophe before it."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS) else cell


def read_columns(path: Path, known: Collection[str]) -> pd.DataFrame:
    """The columns of a file whose names are ``known``, ignoring case and spaces around a name;
    names in lower case, cells as strings (empty if missing). Raises ``InputError`` if the file
    cannot be read, or two columns have one name."""
    table = read_file(path)
    names = {column: column.strip().lower() for column in table.columns}
    doubled = [name for name, count in Counter(names.values()).items() if count > 1]
    if doubled:
        raise InputError(f"{path.name} has two columns {doubled[0]!r}; rename one.")
    selected_columns = {column: name for column, name in names.items() if name in known}
    columns: dict[str, list[str]] = {name: [] for name in selected_columns.values()}
    for row in table.read(selected_columns):
        for column, name in selected_columns.items():
            cell = row.get(column)
            columns[name].append("" if cell is None else str(cell))
    return pd.DataFrame(columns, dtype=object)


def read_answer(cell: str, options: int = len(LETTERS)) -> Reading:
    """The answer in a cell to a question with ``options`` options, the fifth being "none of these";
    an empty cell is a missing reply."""
    if not cell.strip():
        return Reading(Outcome.ERROR, None, "empty cell")
    return read_reply(Reply(cell), options)


BIAS = "bdq_results"
OPTIONS = tuple(f"option_{slot.lower()}" for slot in SLOTS)
QUIZZES = {slot: f"bcq_results_for_position_{slot.lower()}" for slot in SLOTS}
EQUAL, REPEATED = "option_equals_original", "repeated_instances"


@dataclass(frozen=True)
class ReleaseRow:
    """One instance. ``number`` counts the file's rows from 1, without the header; ``answers`` are
    by column. Texts are compared with runs of white space collapsed."""

    number: int
    instance: str
    options: tuple[str, ...]
    answers: Mapping[str, Reading]

    @property
    def is_complete(self) -> bool:
        """True if neither an option nor the original is missing."""
        return all((self.instance, *self.options))

    def equals_original(self) -> tuple[str, ...]:
        """The slots whose option is the original itself."""
        return tuple(
            slot
            for slot, text in zip(SLOTS, self.options, strict=True)
            if text and text == self.instance
        )

    def is_sound_at(self, slot: str) -> bool:
        """True if the quiz with the original at ``slot`` has it once: only the option that it
        replaces may equal it."""
        return self.equals_original() in {(), (slot,)}


def read_rows(table: pd.DataFrame) -> tuple[ReleaseRow, ...]:
    """The rows of a ``table`` of strings that has the columns of such a file."""
    columns = [name for name in (BIAS, *QUIZZES.values()) if name in table]
    readings = {cell: read_answer(cell) for name in columns for cell in table[name].unique()}
    return tuple(
        ReleaseRow(
            number=number,
            instance=_squeeze(cells["instance"]),
            options=tuple(_squeeze(cells[option]) for option in OPTIONS),
            answers={name: readings[cells[name]] for name in columns},
        )
        for number, cells in enumerate(table.to_dict("records"), start=1)
    )


def find_defects(
    rows: Sequence[ReleaseRow], slots: Sequence[str] = SLOTS
) -> dict[str, tuple[int, ...]]:
    """The numbers of the rows with each defect; a row may have several.

    An answer is unparsed if it names no single letter. Of rows with the same instance all but the
    first are repeated. An option that equals the original is not a defect if its slot is the only
    one in ``slots``, the slots at which the original is asked.
    """
    seen: set[str] = set()
    repeated = []
    for row in rows:
        if row.instance and row.instance in seen:
            repeated.append(row.number)
        seen.add(row.instance)
    return {
        "missing_options": tuple(row.number for row in rows if not row.is_complete),
        "duplicate_options": tuple(row.number for row in rows if _has_duplicates(row)),
        EQUAL: tuple(
            row.number for row in rows if not all(row.is_sound_at(slot) for slot in slots)
        ),
        "unparsed_answers": tuple(
            row.number for row in rows if any(a.value is None for a in row.answers.values())
        ),
        REPEATED: tuple(repeated),
    }


def _has_duplicates(row: ReleaseRow) -> bool:
    texts = [text for text in row.options if text]
    return len(set(texts)) < len(texts)


def _squeeze(text: str) -> str:
    return " ".join(unescape_formula(text).split())
