"""Messages over a pipe between a process and its child: a JSON document, and numbers in bytes."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

import numpy as np

from dcq.models.scorers.likelihood import Numbers

_HEAD = struct.Struct("<IQ")  # the sizes of both in bytes


def write_frame(pipe: IO[bytes], document: object, numbers: Numbers | None = None) -> None:
    """Send one message."""
    encoded = json.dumps(document).encode("ascii")
    data = b"" if numbers is None else np.ascontiguousarray(numbers, "<f8").tobytes()
    pipe.write(_HEAD.pack(len(encoded), len(data)))
    pipe.write(encoded)
    pipe.write(data)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> tuple[Any, Numbers]:
    """The next message; ``EOFError`` where the pipe has ended."""
    document_size, data = _HEAD.unpack(_read(pipe, _HEAD.size))
    document = json.loads(_read(pipe, document_size))
    return document, np.frombuffer(_read(pipe, data), "<f8").astype(np.float64)


def _read(pipe: IO[bytes], size: int) -> bytes:
    read = pipe.read(size)
    if len(read) < size:
        raise EOFError
    return read
