"""Published answers, or answers collected elsewhere, analysed again without asking a model."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path

import pandas as pd

from dcq.audit import answer_groups, answers_file, release
from dcq.errors import InputError
from dcq.partitions import read_file


class AnswersFormat(StrEnum):
    """The format of a file: the csv of the quiz's authors, or one answer per row."""

    DCQ = "dcq"
    ANSWERS = "answers"


Audit = release.AuditedRelease | answers_file.Answers


def audit(path: Path, form: AnswersFormat | None = None) -> Audit:
    """Read and analyse ``path``; without ``form`` the format is detected from the columns.

    Raises ``InputError`` if the file cannot be read or lacks what its format needs.
    """
    table = _read_known_columns(path)
    form = form or _recognise(path, table)
    if form is AnswersFormat.DCQ:
        return release.analyse(table, path.name)
    return answers_file.analyse(table, path.name)


def _read_known_columns(path: Path) -> pd.DataFrame:
    """The columns that either format knows, names in lower case, cells as strings (empty if
    missing)."""
    table = read_file(path)
    names = {column: column.strip().lower() for column in table.columns}
    duplicates = [name for name, count in Counter(names.values()).items() if count > 1]
    if duplicates:
        raise InputError(f"{path.name} has two columns {duplicates[0]!r}; rename one.")
    known_names = set(release.COLUMNS) | {*answer_groups.COLUMNS, answer_groups.KIND}
    selected_columns = {column: name for column, name in names.items() if name in known_names}
    columns: dict[str, list[str]] = {name: [] for name in selected_columns.values()}
    for row in table.read(selected_columns):
        for column, name in selected_columns.items():
            cell = row.get(column)
            columns[name].append("" if cell is None else str(cell))
    return pd.DataFrame(columns, dtype=object)


def _recognise(path: Path, table: pd.DataFrame) -> AnswersFormat:
    complete = [
        form
        for form, missing in (
            (AnswersFormat.DCQ, release.missing),
            (AnswersFormat.ANSWERS, answer_groups.missing),
        )
        if not missing(table)
    ]
    if complete:
        return complete[0]
    raise InputError(
        f"{path.name} has neither format: the authors' csv needs {release.NEEDED}, an answers file "
        f"needs {', '.join(answer_groups.COLUMNS)}; rename its columns to these."
    )
