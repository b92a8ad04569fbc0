"""The rows of a JSON value, by row or by column, bare or wrapped."""

from __future__ import annotations

from typing import Any

from dcq.errors import PartitionError
from dcq.words import counted

_WRAPPERS = ("data", "rows", "examples", "instances", "records", "items", "questions", "samples")
_ERROR = {"error", "message", "detail", "status", "statusCode", "code", "type", "cause"}
_LONG_LIST = 10  # items; a row seldom has a list of so many
_WANTED = (
    "give one list of objects, one object per line, or one list of values per column, such as "
    '{"text": ["a", "b"]}'
)


def rows_of(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The rows of an object that is a whole file: a wrapped list of rows, columns as lists or as
    pandas writes them, or one row. Raises PartitionError, which calls the file ``name``, where it
    could be read in two ways, or is the error message of a server."""
    if _is_error(value):
        raise PartitionError(
            f"{name} holds the error message of a server, not data; download it again."
        )
    split = _split(value)
    if split is not None:
        return split
    lists = {key: part for key, part in value.items() if _is_rows(part)}
    if lists:
        return _chosen(lists, name)
    if (inner := _unwrapped(value, name)) is not None:
        return inner
    if value and all(isinstance(part, list) for part in value.values()):
        return _from_lists(value, name)
    if value and all(isinstance(part, dict) and part for part in value.values()):
        return _from_dicts(value, name)
    if _may_be_columns(value):
        raise _ambiguous(name)
    return [value]


def without_viewer(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Rows as they are, also where the Hub's viewer served them. Raises PartitionError where it cut
    some of their texts."""
    if not rows or not all(_is_served(row) for row in rows):
        return rows
    cut = sum(bool(row.get("truncated_cells")) for row in rows)
    if cut:
        raise PartitionError(
            f"{name} has {counted(cut, 'row')} whose texts the Hub's viewer cut; download the "
            "parquet file of the data set."
        )
    return [row["row"] for row in rows]


def _is_error(value: dict[str, Any]) -> bool:
    return isinstance(value.get("error"), str | dict) and value.keys() <= _ERROR


def _unwrapped(value: dict[str, Any], name: str) -> list[dict[str, Any]] | None:
    """The rows of an object within the object; None where it has none."""
    inner = [
        part
        for key, part in value.items()
        if isinstance(part, dict) and part and (len(value) == 1 or key in _WRAPPERS)
    ]
    if len(inner) != 1:
        return None
    rows = rows_of(inner[0], name)
    return None if rows == inner else rows


def _may_be_columns(value: dict[str, Any]) -> bool:
    """Whether lists beside other values may be the columns of a table: two of one length, or a long
    one."""
    lengths = [len(part) for part in value.values() if isinstance(part, list)]
    equal = len(lengths) > 1 and len(set(lengths)) == 1 and lengths[0] > 1
    return equal or max(lengths, default=0) >= _LONG_LIST


def _is_rows(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(row, dict) for row in part)


def _is_served(row: dict[str, Any]) -> bool:
    """A row as the Hub's viewer serves it."""
    return "row_idx" in row and isinstance(row.get("row"), dict)


def _chosen(lists: dict[str, list[Any]], name: str) -> list[Any]:
    if len(lists) == 1:
        return next(iter(lists.values()))
    known = [key for key in _WRAPPERS if key in lists]
    if len(known) == 1:
        return lists[known[0]]
    raise PartitionError(
        f"{name} has several lists of objects ({', '.join(list(lists)[:6])}); keep one of them in "
        "a file of its own."
    )


def _split(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of what pandas calls the orientation "split"."""
    columns, data = value.get("columns"), value.get("data")
    if not isinstance(columns, list) or not isinstance(data, list) or not data:
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in data):
        return None
    return [dict(zip(map(str, columns), row, strict=True)) for row in data]


def _from_lists(value: dict[str, list[Any]], name: str) -> list[dict[str, Any]]:
    lengths = {len(part) for part in value.values()}
    if len(lengths) > 1:
        raise PartitionError(f"{name} has columns of unlike length; {_WANTED}.")
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def _from_dicts(value: dict[str, dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Columns with numbered rows, or numbered rows with columns."""
    inner = list(dict.fromkeys(key for part in value.values() for key in part))
    numbered_rows = all(key.lstrip("-").isdigit() for key in inner)
    numbered_outer = all(key.lstrip("-").isdigit() for key in value)
    if numbered_rows and not numbered_outer:
        return [{column: value[column].get(key) for column in value} for key in inner]
    if numbered_outer and not numbered_rows:
        return list(value.values())
    if len(value) == 1:
        return [value]
    raise _ambiguous(name)


def _ambiguous(name: str) -> PartitionError:
    return PartitionError(f"{name} may be read by row or by column; {_WANTED}.")
