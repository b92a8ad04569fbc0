"""A file's bytes as they were before gzip or zstd, within bounds."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from dcq.incoming.plain_file import open_plain

MOST_RATIO = 200  # texts shrink to a third or a tenth, a file made to fill memory to a thousandth
FREE_BYTES = 1_000_000_000  # what may come out of any file, however small
MOST_RECORD = 64_000_000  # bytes of one record; a longer one counts as broken

# What reading a damaged file raises; zstandard's own error is a plain Exception.
DAMAGED: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error)


class OverflowedError(OSError):
    """A file unpacks to more than its size allows."""


class _Bounded(io.RawIOBase):
    """Reads ``source`` until ``limit`` bytes have come out of it."""

    def __init__(self, source: IO[bytes], limit: int) -> None:
        self._source = source
        self._left = limit
        self._at = 0

    def tell(self) -> int:
        return self._at  # fastwarc asks

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]  # always a buffer
        try:
            part = self._source.read(len(view))
        except _zstd_error() as error:
            raise EOFError(str(error)) from error
        self._left -= len(part)
        self._at += len(part)
        if self._left < 0:
            raise OverflowedError("it unpacks to far more than its size")
        view[: len(part)] = part
        return len(part)


def packing(path: Path) -> str | None:
    """``gzip``, ``zstd`` or None, by the first bytes."""
    with open_plain(path) as file:
        head = file.read(4)
    if head[:2] == b"\x1f\x8b":
        return "gzip"
    return "zstd" if head == b"\x28\xb5\x2f\xfd" else None


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked. Reading raises one of ``DAMAGED`` where the file ends early, is
    damaged or unpacks to too much; what came before has been read then."""
    packed = packing(path)
    with open_plain(path) as file:
        if packed is None:
            yield file
            return
        limit = FREE_BYTES + MOST_RATIO * path.stat().st_size
        opened = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed == "gzip" else _zstd(file)
        yield io.BufferedReader(_Bounded(opened, limit), 1 << 20)


def lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines of ``stream``; None for one of more than ``MOST_RECORD`` bytes."""
    while line := stream.readline(MOST_RECORD):
        if len(line) < MOST_RECORD or line.endswith(b"\n"):
            yield line
            continue
        while (chunk := stream.readline(MOST_RECORD)) and not chunk.endswith(b"\n"):
            pass
        yield None


def _zstd(file: BinaryIO) -> IO[bytes]:
    import zstandard  # here, because few files need it

    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _zstd_error() -> type[Exception]:
    import zstandard

    return zstandard.ZstdError
