"""On which line of a TOML file a key stands, which the readers of TOML do not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

KeyPath = tuple[str | int, ...]
_DEEPEST = 8  # keys within keys; nothing that we read lies deeper
_LONGEST = 200  # lines of one value, each of which may take a parse of all before it


def line_numbers(text: str) -> dict[KeyPath, int]:
    """The line, counted from 1, of each key of a TOML document that can be read: of a key, of the
    first header of a table, and of each header of an array of tables, ``("model", 1)`` being the
    second one's. All keys of a value have the line where that begins. Keys below a value of more
    than 200 lines are left out."""
    found: dict[KeyPath, int] = {}
    lengths: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, statement, header in _statements(text):
        if header:
            table = _enter(statement, lengths, is_array=header == "[[")
        for path in [table] if header else [(*table, *below) for below in _paths(statement)]:
            for end in range(1, len(path) + 1):
                found.setdefault(path[:end], number)
    return found


def line_of(path: KeyPath, numbers: Mapping[KeyPath, int]) -> int | None:
    """The line of ``path``, or of the nearest key around it; None where there is none."""
    around = (path[:end] for end in range(len(path), 0, -1))
    return next((numbers[known] for known in around if known in numbers), None)


def _statements(text: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Each header and each key with its value: its first line, what it says by itself, and how a
    header begins. A statement is the shortest run of lines that can be read alone."""
    lines = text.replace("\r\n", "\n").split("\n")
    begun, part = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if not part:
            begun = number
        part.append(line)
        try:
            statement = tomllib.loads("\n".join(part))
        except (ValueError, RecursionError):
            if len(part) >= _LONGEST:
                return
            continue
        head = part[0].lstrip(" \t")
        part = []
        if statement:
            yield begun, statement, "[[" if head.startswith("[[") else "[" * head.startswith("[")


def _enter(statement: Mapping[str, Any], lengths: dict[KeyPath, int], *, is_array: bool) -> KeyPath:
    """The path of the table that a header opens; ``lengths`` counts the tables of each array."""
    names = list(islice(_header(statement), _DEEPEST))
    path: KeyPath = ()
    for position, name in enumerate(names):
        path = (*path, name)
        if is_array and position == len(names) - 1:
            lengths[path] = lengths.get(path, 0) + 1
        if path in lengths:
            path = (*path, lengths[path] - 1)
    return path


def _header(statement: Any) -> Iterator[str]:
    while isinstance(statement, dict) and statement:
        [(name, inner)] = statement.items()
        yield name
        statement = inner[0] if isinstance(inner, list) else inner


def _paths(value: Any, depth: int = 0) -> Iterator[KeyPath]:
    """The paths of a value and of all that is in it."""
    if isinstance(value, dict):
        inner: Iterable[tuple[str | int, Any]] = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    else:
        inner = ()
    for key, below in inner:
        yield (key,)
        if depth < _DEEPEST:
            yield from ((key, *path) for path in _paths(below, depth + 1))
