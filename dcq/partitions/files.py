"""Reads a local csv, tsv, jsonl, json or parquet file as a table.

Texts must be read verbatim, because a quiz is about exact wording. Readers that guess types turn
"007" into 7 and "NA" into nothing, so csv and JSON are read without guessing.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from dcq.errors import PartitionError
from dcq.incoming.memory import Budget
from dcq.incoming.plain_file import open_text
from dcq.partitions import parquet, uploads
from dcq.partitions.table import PartitionTable

MAX_BYTES = 200_000_000  # a quiz needs some hundred rows; a larger file would fill the memory


def read_file(path: Path | str) -> PartitionTable:
    """The file's rows and columns.

    Raises:
        PartitionError: it is missing, of another kind, empty, too large, not UTF-8 or malformed,
            or would take more memory than ``memory.LIMIT``.

    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise PartitionError(
            f"{path.name} is not one of the kinds that can be read; "
            f"give a {', '.join(_READERS)} file."
        )
    if "\0" in str(path):
        raise PartitionError("No file has a name with a null byte in it; check the path.")
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise PartitionError(f"{path.name} is not a file; give the path of a data file.")
        if size >= MAX_BYTES:
            raise PartitionError(
                f"{path.name} has {size / 1e6:.0f} MB and files below {MAX_BYTES / 1e6:.0f} MB are "
                "read; keep some thousand rows of it, which is plenty for a sample."
            )
        table = reader(path)
    except FileNotFoundError as error:
        raise PartitionError(f"There is no file {path}; check the path.") from error
    except OSError as error:
        raise PartitionError(
            f"{path.name} cannot be opened ({error.strerror or 'unreadable'}); check its "
            "permissions."
        ) from error
    if len(table) == 0:
        raise PartitionError(f"{path.name} has no rows; give a file with at least one.")
    return table


def read_json_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file: one a line, blank lines skipped, or one list of them."""
    with _open_text(path) as file:
        start = file.read(4096).lstrip()
        file.seek(0)
        return _parse_array(path, file) if start.startswith("[") else _parse_lines(path, file)


@contextmanager
def _open_text(path: Path) -> Iterator[TextIO]:
    try:
        with open_text(path, "utf-8-sig", newline="") as file:
            yield file
    except UnicodeDecodeError as error:
        raise PartitionError(
            f"{path.name} is not UTF-8; save it again with the encoding UTF-8."
        ) from error


def _read_separated(path: Path) -> PartitionTable:
    csv.field_size_limit(2**31 - 1)  # a C long everywhere; the default refuses above 128 KiB
    with _open_text(path) as file:
        first = file.readline()
        file.seek(0)
        separator = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=first.count)
        watched = Budget(path.name).watch(file, separator)
        lines = csv.reader(watched, delimiter=separator, strict=True)
        try:
            header = next(lines, [])
            named = [name for name in header if name]
            if len(set(named)) < len(named):
                raise PartitionError(f"{path.name} has two columns of the same name; rename one.")
            rows = list(_check_widths(path, header, lines))
            if header.count("") > 1:  # commas that a spreadsheet left at the end of each line
                header = named
        except csv.Error as error:
            raise PartitionError(
                f"{path.name} breaks the csv rules at line {lines.line_num} ({error}); "
                "correct the quotes there."
            ) from error
    return _from_rows(path, header, rows)


def _check_widths(
    path: Path, header: list[str], lines: Iterable[list[str]]
) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        if len(line) != len(header):
            raise PartitionError(
                f"{path.name} has {len(line)} values in row {number} and {len(header)} in its "
                "header; put quotes around texts that contain the separator."
            )
        row = dict(zip(header, line, strict=True))
        if header.count("") > 1:
            if any(value.strip() for name, value in zip(header, line, strict=True) if not name):
                raise PartitionError(
                    f"{path.name} has several columns without a name and a value in one of them in "
                    f"row {number}; name the columns."
                )
            del row[""]
        yield row


def _read_json(path: Path) -> PartitionTable:
    rows = read_json_rows(path)
    return _from_rows(path, dict.fromkeys(name for row in rows for name in row), rows)


def _parse_array(path: Path, file: TextIO) -> list[dict[str, Any]]:
    text = file.read()
    Budget(path.name).spend_json(text)
    rows = _parse_json(text, f"{path.name} is not valid JSON")
    if not all(isinstance(row, dict) for row in rows):
        raise PartitionError(f"{path.name} is not a list of objects; give one object per row.")
    _check_characters(path, text, rows)
    return list(rows)


def _parse_lines(path: Path, lines: Iterable[str]) -> list[dict[str, Any]]:
    rows = []
    budget = Budget(path.name)
    for number, line in enumerate(lines, start=1):
        budget.spend_json(line)
        if not line.strip():
            continue
        row = _parse_json(line, f"{path.name} is not valid JSON at line {number}")
        if not isinstance(row, dict):
            raise PartitionError(
                f"{path.name} has no object at line {number}; write one object per line."
            )
        _check_characters(path, line, row)
        rows.append(row)
    return rows


def _parse_json(text: str, complaint: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PartitionError(
            f"{complaint}; write one complete object per line, or one list of objects."
        ) from error


def _check_characters(path: Path, source: str, value: Any) -> None:
    """JSON can have a lone surrogate, which no store and no endpoint accepts."""
    if "\\ud" not in source and "\\uD" not in source:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise PartitionError(
            f"{path.name} has half a surrogate pair (such as \\ud83d alone); remove it."
        ) from error


def _read_parquet(path: Path) -> PartitionTable:
    return parquet.read_parquet(path, _source(path))


def _from_rows(path: Path, columns: Iterable[str], rows: list[dict[str, Any]]) -> PartitionTable:
    return PartitionTable(rows=rows, columns=tuple(columns), source=_source(path))


def _source(path: Path) -> str:
    return f"file:{uploads.given_name(path)}"


_READERS: dict[str, Callable[[Path], PartitionTable]] = {
    ".csv": _read_separated,
    ".tsv": _read_separated,
    ".jsonl": _read_json,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
