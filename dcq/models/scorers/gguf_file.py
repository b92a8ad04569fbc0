"""Reading a GGUF file, which may be a stranger's: nothing that it says of itself is believed before
it is held against the file's own size.

Weights are turned into numbers by the library ``gguf``, which knows all kinds of quantisation. Its
reader is not used: it goes on for as long as a file says there is more, and takes seconds for a
vocabulary.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dcq.errors import EndpointRefusedError, InputError
from dcq.incoming.plain_file import open_plain

Floats = npt.NDArray[np.float32]

MOST_ENTRIES = 100_000  # pairs of metadata, and tensors; the largest models have some thousand
MOST_LISTED = 4_000_000  # entries of one list: vocabularies have up to 300,000 tokens
_VERSIONS = (2, 3)
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _LIST = 8, 9
_ALIGNMENT = 32
_MOST_DIMENSIONS = 4


@dataclass(frozen=True)
class _List:
    """Where a list of the metadata lies."""

    kind: int
    count: int
    at: int


@dataclass(frozen=True)
class Tensor:
    """A matrix as it lies in the file: ``rows`` of ``columns`` numbers, quantised as ``kind``."""

    kind: int
    rows: int
    columns: int
    begin: int
    row_bytes: int


class GgufFile:
    """Metadata and weights of the file at ``path``.

    Raises ``EndpointRefusedError``, also from its methods, where the file is not what it seems.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        try:
            with open_plain(path) as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError, InputError) as error:  # an empty file cannot be mapped
            raise self.refusal("it cannot be opened") from error
        try:
            self._metadata, self.tensors = _read(self._data)
        except (struct.error, _BrokenError, UnicodeDecodeError) as error:
            raise self.refusal(
                str(error) if isinstance(error, _BrokenError) else "it is cut off"
            ) from error

    def refusal(self, why: str) -> EndpointRefusedError:
        """The error for this file."""
        return EndpointRefusedError(
            f"{self._name} cannot be used as a GGUF model: {why}; fetch it again or choose another."
        )

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number of the metadata."""
        value = self._metadata.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise self.refusal(f"it does not say {key}")
        return value

    def count(self, key: str, default: int | None = None) -> int:
        """A number of the metadata that counts something."""
        value = self.number(key, default)
        if value != int(value) or value < 0:
            raise self.refusal(f"{key} is no count")
        return int(value)

    def has(self, key: str) -> bool:
        """Whether the metadata has an entry."""
        return key in self._metadata

    def text(self, key: str) -> str:
        """A text of the metadata, empty if there is none."""
        value = self._metadata.get(key, "")
        return value if isinstance(value, str) else ""

    def texts(self, key: str) -> list[str]:
        """A list of texts of the metadata."""
        text_list = self._metadata.get(key)
        if not isinstance(text_list, _List) or text_list.kind != _TEXT:
            raise self.refusal(f"it has no list {key}")
        cursor = _Cursor(self._data, text_list.at)
        try:
            return [cursor.text() for _ in range(text_list.count)]
        except UnicodeDecodeError as error:
            raise self.refusal(f"{key} is not text") from error

    def weights(self, name: str, shape: tuple[int, ...]) -> Floats:
        """The numbers of a tensor of this shape (a vector, or rows and columns)."""
        tensor = self.tensors.get(name)
        if tensor is None:
            raise self.refusal(f"it has no {name}")
        if (tensor.rows, tensor.columns) != (shape if len(shape) == 2 else (1, *shape)):
            raise self.refusal(f"{name} has another shape than the rest needs")
        return next(self.slices(name, tensor.rows)).reshape(shape)

    def slices(self, name: str, rows: int) -> Iterator[Floats]:
        """The numbers of a tensor, so many ``rows`` at a time."""
        from gguf import GGMLQuantizationType, dequantize

        tensor = self.tensors[name]
        for first in range(0, tensor.rows, rows):
            count = min(rows, tensor.rows - first)
            begin = tensor.begin + first * tensor.row_bytes
            raw = np.frombuffer(self._data, np.uint8, count * tensor.row_bytes, begin)
            try:
                numbers = dequantize(
                    raw.reshape(count, tensor.row_bytes), GGMLQuantizationType(tensor.kind)
                )
            except NotImplementedError as error:
                raise self.refusal(f"the library gguf cannot read the numbers of {name}") from error
            yield np.asarray(numbers, np.float32).reshape(count, tensor.columns)


class _BrokenError(Exception):
    """Why a file is not believed."""


class _Cursor:
    """Reads values one after the other; ``struct.error`` beyond the end."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data, self.at = data, at

    def take(self, form: str) -> Any:
        """A number in the notation of ``struct``."""
        (value,) = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return value

    def skip(self, size: int) -> None:
        """Go on, but not beyond the end."""
        if size > len(self.data) - self.at:
            raise _BrokenError("it is cut off")
        self.at += size

    def skip_text(self) -> None:
        """Go on behind a text."""
        self.skip(self.take("Q"))

    def text(self) -> str:
        """A text."""
        size = self.take("Q")
        begin = self.at
        self.skip(size)
        return self.data[begin : self.at].decode("utf-8")

    def count(self, most: int) -> int:
        """How many of something follow."""
        number = int(self.take("Q"))
        if number > most:
            raise _BrokenError(f"it says that it has {number} entries where {most} are the most")
        return number


def _read(data: mmap.mmap) -> tuple[Mapping[str, object], Mapping[str, Tensor]]:
    cursor = _Cursor(data, 0)
    if data[:4] != b"GGUF":
        raise _BrokenError("it does not begin like one")
    cursor.at = 4
    if (version := cursor.take("I")) not in _VERSIONS:
        raise _BrokenError(f"its version is {version}")
    tensors, pairs = cursor.count(MOST_ENTRIES), cursor.count(MOST_ENTRIES)
    metadata = {cursor.text(): _value(cursor, cursor.take("I")) for _ in range(pairs)}
    described = [_describe(cursor) for _ in range(tensors)]
    alignment = metadata.get("general.alignment", _ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise _BrokenError("its alignment is no count")
    start = -(-cursor.at // alignment) * alignment
    placed = {name: _place(tensor, start, len(data)) for name, tensor in described}
    if sum(tensor.rows * tensor.row_bytes for tensor in placed.values()) > len(data):
        raise _BrokenError("its tensors lie upon each other")
    return metadata, placed


def _value(cursor: _Cursor, kind: int) -> object:
    """A value of the metadata; of a list only where it lies."""
    if kind == _TEXT:
        return cursor.text()
    if kind in _SCALARS:
        return cursor.take(_SCALARS[kind])
    if kind != _LIST:
        raise _BrokenError(f"it has values of the unknown kind {kind}")
    inner, count = cursor.take("I"), cursor.count(MOST_LISTED)
    begin = cursor.at
    if inner == _TEXT:
        for _ in range(count):
            cursor.skip_text()
    elif inner in _SCALARS:
        cursor.skip(count * struct.calcsize(f"<{_SCALARS[inner]}"))
    else:
        raise _BrokenError("it has lists of lists")
    return _List(inner, count, begin)


def _describe(cursor: _Cursor) -> tuple[str, tuple[list[int], int, int]]:
    """A tensor's name; its dimensions, the row first; its kind; and how far it lies from the start
    of all tensors."""
    name, dimensions = cursor.text(), cursor.take("I")
    if not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise _BrokenError(f"a tensor has {dimensions} dimensions")
    sizes = [int(cursor.take("Q")) for _ in range(dimensions)]
    return name, (sizes, int(cursor.take("I")), int(cursor.take("Q")))


def _place(described: tuple[list[int], int, int], start: int, end: int) -> Tensor:
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

    sizes, kind, offset = described
    try:
        block, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
    except (KeyError, ValueError):
        raise _BrokenError(f"it has numbers of the unknown kind {kind}") from None
    columns, rows = sizes[0], 1
    for size in sizes[1:]:
        rows *= size
    if columns % block or columns < 1 or rows < 1:
        raise _BrokenError("a tensor has a size that cannot be")
    row_bytes = columns // block * block_bytes
    if start + offset + rows * row_bytes > end:
        raise _BrokenError("it is cut off")
    return Tensor(kind, rows, columns, start + offset, row_bytes)
