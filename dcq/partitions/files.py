"""Reads a local csv, tsv, jsonl, json or parquet file as a table.

Texts must be read verbatim, because a quiz is about exact wording. Readers that guess types turn
"007" into 7 and "NA" into nothing, so csv and JSON are read without guessing.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from dcq.errors import PartitionError
from dcq.incoming.first_bytes import HEAD, not_a_table
from dcq.incoming.memory import Budget
from dcq.incoming.plain_file import open_plain, open_text
from dcq.incoming.separated import separation, text_encoding
from dcq.incoming.strict_json import DoubledNameError, without_doubles
from dcq.partitions import json_shapes, parquet, uploads
from dcq.partitions.table import PartitionTable

_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder(object_pairs_hook=without_doubles)
_WANTED = "write one complete object per line, or one list of objects"
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
        fix = _FIXES.get(path.suffix.lower(), f"give a {', '.join(_READERS)} file")
        raise PartitionError(f"{path.name} is not one of the kinds that can be read; {fix}.")
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
        _check_kind(path)
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
    return replace(table, revision=f"sha256:{_sha256(path)}")


def _check_kind(path: Path) -> None:
    """Raise PartitionError where the first bytes show something else than the name says."""
    with open_plain(path) as file:
        head = file.read(HEAD)
    kind = not_a_table(head)
    if kind is not None and not (path.suffix.lower() == ".parquet" and head.startswith(b"PAR1")):
        raise PartitionError(f"{path.name} is {kind.what}; {kind.fix}.")


def _sha256(path: Path) -> str:
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file: one a line, blank lines skipped, one after another, lists of them,
    also wrapped, or columns of values (see ``json_shapes``)."""
    with _open_text(path) as file:
        rows = _json_rows(path, file)
    return json_shapes.without_viewer(rows, path.name)


def _json_rows(path: Path, file: TextIO) -> list[dict[str, Any]]:
    first = file.readline().strip()
    file.seek(0)
    malformed: PartitionError | None = None
    if path.suffix.lower() != ".json" and first.startswith("{") and first.endswith("}"):
        try:
            return _parse_lines(path, file)
        except _MalformedError as error:
            malformed = error
            file.seek(0)
    text = file.read()
    rows = _parse_values(path, text)
    if rows is not None:
        return rows
    if malformed is None and text.lstrip().startswith("["):
        malformed = PartitionError(f"{path.name} is not valid JSON; {_WANTED}.")
    if malformed is not None:
        raise malformed
    return _parse_lines(path, text.splitlines())  # says which line is wrong


@contextmanager
def _open_text(path: Path) -> Iterator[TextIO]:
    try:
        with open_plain(path) as plain:
            coding = text_encoding(plain.read(4))
        with open_text(path, coding, newline="") as file:
            yield file
    except UnicodeDecodeError as error:
        raise PartitionError(
            f"{path.name} is not UTF-8; save it again with the encoding UTF-8."
        ) from error


def _read_separated(path: Path) -> PartitionTable:
    csv.field_size_limit(2**31 - 1)  # a C long everywhere; the default refuses above 128 KiB
    with _open_text(path) as file:
        first = file.readline()
        separator, declared = separation(first, path.suffix)
        watched = Budget(path.name).watch(file if declared else chain([first], file), separator)
        lines = csv.reader(_sound(path, watched), delimiter=separator, strict=True)
        try:
            header = next((line for line in lines if line), [])
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
    return replace(_from_rows(path, header, rows), words_for_missing=True)


def _sound(path: Path, lines: Iterable[str]) -> Iterator[str]:
    """The lines; raises PartitionError for a null byte, which no text has."""
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise PartitionError(
                f"{path.name} has a null byte in line {number} and may be damaged; write it again."
            )
        yield line


def _check_widths(
    path: Path, header: list[str], lines: Iterable[list[str]]
) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        while len(line) > len(header) and not line[-1].strip():  # separators at the end of a line
            line.pop()
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


def _parse_values(path: Path, text: str) -> list[dict[str, Any]] | None:
    """The rows of a file that is one object, or objects or lists of them one after another; None if
    it is neither."""
    Budget(path.name).spend_json(text)
    found: list[Any] = []
    at = _SPACE.match(text, 0).end()  # type: ignore[union-attr]  # it matches nothing, too
    try:
        while at < len(text):
            value, at = _DECODER.raw_decode(text, at)
            found.append(value)
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    except DoubledNameError as error:
        raise _doubled(path.name, error) from None
    except (ValueError, RecursionError):
        return None
    _check_characters(path, text, found)
    if len(found) == 1 and isinstance(found[0], dict):
        return json_shapes.rows_of(found[0], path.name)
    if len(found) > 1 and all(isinstance(value, dict) for value in found):
        return found
    if not found or not all(isinstance(value, list) for value in found):
        return None
    rows = [row for value in found for row in value]
    if not all(isinstance(row, dict) for row in rows):
        raise PartitionError(f"{path.name} is not a list of objects; give one object per row.")
    return rows


def _parse_lines(path: Path, lines: Iterable[str]) -> list[dict[str, Any]]:
    rows = []
    budget = Budget(path.name)
    for number, line in enumerate(lines, start=1):
        budget.spend_json(line)
        if not line.strip():
            continue
        row = _parse_line(path.name, number, line)
        if not isinstance(row, dict):
            raise PartitionError(
                f"{path.name} has no object at line {number}; write one object per line."
            )
        _check_characters(path, line, row)
        rows.append(row)
    return rows


class _MalformedError(PartitionError):
    """A line that is not JSON; the file may be all the same."""


def _parse_line(name: str, number: int, line: str) -> Any:
    try:
        return _DECODER.decode(line)
    except DoubledNameError as error:
        raise _doubled(f"{name} at line {number}", error) from None
    except (ValueError, RecursionError) as error:
        raise _MalformedError(f"{name} is not valid JSON at line {number}; {_WANTED}.") from error


def _doubled(where: str, error: DoubledNameError) -> PartitionError:
    return PartitionError(f'{where} has "{str(error)[:80]}" twice in one object; keep one of them.')


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
    ".ndjson": _read_json,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
_SHEET = 'open it in the spreadsheet program and save it as "CSV UTF-8"'
_UNPACK = "unpack it first"
_FIXES = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods", ".numbers"), _SHEET),
    **dict.fromkeys((".gz", ".zst", ".bz2", ".xz", ".zip", ".tar", ".7z"), _UNPACK),
    **dict.fromkeys((".arrow", ".feather", ".orc", ".avro"), "write it again as parquet"),
    **dict.fromkeys((".sav", ".dta", ".rds", ".pkl"), "export it as csv or parquet"),
}
SUFFIXES = (*_READERS, *_FIXES)  # of names that are meant as a data file's
