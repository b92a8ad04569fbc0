"""JSON read piece by piece: never more of it in memory than its largest piece.

Pieces are decoded by the standard library, so NaN and numbers of any length are what they are
elsewhere. What a piece can take is counted before it is decoded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from dcq.incoming.memory import LIMIT, Budget, json_size, too_large
from dcq.incoming.plain_file import read_text

MOST_BYTES = 500_000_000  # of a file
_CHUNK = 1_000_000  # characters read at once
_LONGEST = 64_000_000  # characters of a piece
_END = 16  # characters; a word or number that ends so near may go on in what is not read yet
_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


def read_json(path: Path) -> Any:
    """The value in a file. Raises ValueError or RecursionError where it is not JSON in UTF-8, and
    InputError where it is no plain file or takes more than ``memory.LIMIT``."""
    text = read_text(path, MOST_BYTES, "utf-8-sig")
    Budget(path.name).spend_json(text)
    return json.loads(text)


class JsonParts:
    """Reads the pieces of ``file`` from its start. All methods raise ValueError or RecursionError
    where it is not JSON, and PartitionError, which calls the file ``name``, where one piece takes
    more than ``most`` bytes."""

    def __init__(self, file: TextIO, name: str, most: int = LIMIT) -> None:
        self._file = file
        self._name = name
        self._most = most
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not white space, "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._read()

    def value(self, budget: Budget | None = None) -> Any:
        """The next value, read at once; ``budget`` counts it."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _END
                if self._ended or not cut:
                    raise
            else:
                if self._ended or end <= len(self._text) - _END:
                    if budget is not None:
                        budget.spend_json(self._text[self._at : end])
                    self._at = end
                    return value
            self._read()

    def shallow(self, budget: Budget) -> Any:
        """The next value, read entry by entry if it is a list or an object."""
        match self.peek():
            case "[":
                return list(self.items(budget))
            case "{":
                return {name: self.value(budget) for name in self.names()}
            case _:
                return self.value(budget)

    def items(self, budget: Budget | None = None) -> Iterator[Any]:
        """The values of the list that comes next."""
        for _ in self._listed("[", "]"):
            yield self.value(budget)

    def names(self) -> Iterator[str]:
        """The names of the object that comes next; the caller reads each value before it asks for
        the next name."""
        for _ in self._listed("{", "}"):
            name = self.value()
            if not isinstance(name, str):
                raise ValueError("a name is no text")  # noqa: TRY004  (of the file, not the call)
            self._take(":")
            yield name

    def end(self) -> None:
        """Raise ValueError unless nothing follows."""
        self._take("")

    def _listed(self, first: str, last: str) -> Iterator[None]:
        self._take(first)
        if self.peek() != last:
            yield
            while self.peek() == ",":
                self._take(",")
                yield
        self._take(last)

    def _take(self, expected: str) -> None:
        token = self.peek()
        if token != expected:
            raise ValueError(f"{expected!r} expected, {token!r} found")
        self._at += len(token)

    def _read(self) -> None:
        """Read on, so much that a long piece is tried only a few times."""
        remaining = self._text[self._at :]
        more = self._file.read(max(_CHUNK, len(remaining) // 2))
        # Of what is read at once nothing is refused: little of it may be of one piece.
        if len(remaining) > _CHUNK and json_size(remaining) + json_size(more) > self._most:
            raise too_large(self._name, self._most)
        if len(remaining) > _LONGEST:
            raise too_large(self._name, self._most)
        self._ended = not more
        self._text, self._at = remaining + more, 0
