"""Published answers, or answers collected elsewhere, analysed again without asking a model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import pandas as pd

from dcq.audit import answer_groups, answers_file, release
from dcq.audit.release_rows import read_columns
from dcq.errors import InputError

_KNOWN = {*release.COLUMNS, *answer_groups.COLUMNS, answer_groups.KIND}


class AnswersFormat(StrEnum):
    """The format of a file: the csv of the quiz's authors, or one answer per row."""

    DCQ = "dcq"
    ANSWERS = "answers"


Audit = release.AuditedRelease | answers_file.Answers


def audit(path: Path, form: AnswersFormat | None = None) -> Audit:
    """Read and analyse ``path``; without ``form`` the format is detected from the columns.

    Raises ``InputError`` if the file cannot be read or lacks what its format needs.
    """
    table = read_columns(path, _KNOWN)
    form = form or _recognise(path, table)
    if form is AnswersFormat.DCQ:
        return release.analyse(table, path.name)
    return answers_file.analyse(table, path.name)


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
