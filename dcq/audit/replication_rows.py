"""Rows of the csv that the authors of Time Travel in LLMs publish.

Pairs have ``sentence1`` and ``sentence2``, other data ``first_piece`` and ``second_piece``. A file
of the guided instruction alone, as the quiz's authors publish to compare with, lacks the general
columns, and may lack people's labels.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dcq.audit.release_rows import unescape_formula
from dcq.errors import InputError
from dcq.incoming.numbers import read_number
from dcq.partitions import read_file
from dcq.replication.judge import MatchLevel, read_label

FIRST = ("sentence1", "first_piece")
SECOND = ("sentence2", "second_piece")
GUIDED, GENERAL = "generated_guided_completion", "generated_general_completion"
ROUGE = {GENERAL: "rouge_score_for_general_completion", GUIDED: "rouge_score_for_guided_completion"}
BLEURT = {
    GENERAL: "bleurt_score_for_general_completion",
    GUIDED: "bleurt_score_for_guided_completion",
}
JUDGE = "gpt4_icl_evaluation"
PEOPLE = ("annotator1_evaluation", "annotator2_evaluation")
COLUMNS = (*FIRST, *SECOND, GUIDED, GENERAL, *ROUGE.values(), *BLEURT.values(), JUDGE, *PEOPLE)
NEEDED = f"sentence1 and sentence2 (or first_piece and second_piece) and {GUIDED}"


@dataclass(frozen=True)
class ReplicationRow:
    """One instance. ``number`` counts the file's rows from 1, without the header; scores are NaN
    and labels None where a cell is empty."""

    number: int
    first: str
    second: str
    guided: str
    general: str
    rouge: dict[str, float]
    bleurt: dict[str, float]
    judge: MatchLevel | None
    people: tuple[MatchLevel | None, ...]


@dataclass(frozen=True)
class File:
    """A published file: its rows, and which columns it has."""

    name: str
    rows: tuple[ReplicationRow, ...]
    columns: frozenset[str]


def read_rows(path: Path) -> File:
    """Read such a file. Raises ``InputError`` where it cannot be read, lacks a column, or has a
    cell that is no score or no label."""
    table = read_file(path)
    names = {column: column.strip().lower() for column in table.columns}
    doubled = [name for name, times in Counter(names.values()).items() if times > 1]
    if doubled:
        raise InputError(f"{path.name} has two columns {doubled[0]!r}; rename one.")
    selected_columns = {column: name for column, name in names.items() if name in COLUMNS}
    present = frozenset(selected_columns.values())
    kind = next((pair for pair in zip(FIRST, SECOND, strict=True) if present >= set(pair)), None)
    if kind is None or GUIDED not in present:
        raise InputError(
            f"{path.name} is no replication file; it needs the columns {NEEDED}: rename its own to "
            "these."
        )
    rows = []
    for number, cells in enumerate(table.read(selected_columns), start=1):
        texts = {
            name: "" if cells.get(column) is None else unescape_formula(str(cells[column]))
            for column, name in selected_columns.items()
        }
        rows.append(_row(path.name, number, texts, kind))
    return File(path.name, tuple(rows), present)


def _row(name: str, number: int, texts: dict[str, str], kind: tuple[str, str]) -> ReplicationRow:
    where = f"row {number} of {name}"
    if not texts[kind[1]].strip():
        raise InputError(f"{kind[1]} is empty in {where}; fill it in or delete the row.")
    return ReplicationRow(
        number=number,
        first=texts[kind[0]],
        second=texts[kind[1]],
        guided=texts[GUIDED],
        general=texts.get(GENERAL, ""),
        rouge={side: _score(texts, column, where) for side, column in ROUGE.items()},
        bleurt={side: _score(texts, column, where) for side, column in BLEURT.items()},
        judge=_label(texts, JUDGE, where),
        people=tuple(_label(texts, column, where) for column in PEOPLE),
    )


def _score(texts: dict[str, str], column: str, where: str) -> float:
    cell = texts.get(column, "").strip()
    if not cell:
        return math.nan
    score = read_number(cell)
    if score is None or not abs(score) < 100:
        raise InputError(f"{column} is {cell[:40]!r} in {where}; write a number, such as 0.43.")
    return score


def _label(texts: dict[str, str], column: str, where: str) -> MatchLevel | None:
    cell = texts.get(column, "").strip()
    if not cell:
        return None
    label = read_label(cell)
    if label is None:
        raise InputError(
            f"{column} is {cell[:40]!r} in {where}; write Yes (exact match), Yes (near-exact "
            "match) or No."
        )
    return label
