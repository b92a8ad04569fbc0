"""A file's bytes as they were before gzip, zstd, bzip2 or xz, within bounds; UTF-16 and UTF-32 as
UTF-8."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from dcq.incoming.plain_file import open_plain
from dcq.incoming.separated import text_encoding

MOST_RATIO = 200  # texts shrink to a third or a tenth, a file made to fill memory to a thousandth
FREE_BYTES = 1_000_000_000  # what may come out of any file, however small
MOST_RECORD = 64_000_000  # bytes of one record; a longer one counts as broken

# What reading a damaged file raises; zstandard's own error is a plain Exception.
DAMAGED: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, lzma.LZMAError)


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


class _Recoded(io.RawIOBase):
    """A stream of another ``coding`` as UTF-8."""

    def __init__(self, source: BinaryIO, coding: str) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder(coding)("replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]  # always a buffer
        while not self._ready:
            part = self._source.read(len(view))
            self._ready = self._decoder.decode(part, not part).encode("utf-8", "replace")
            if not part:
                break
        some, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(some)] = some
        return len(some)


def packing(path: Path) -> str | None:
    """What a file is packed in, such as ``gzip``, by its first bytes; ``utf-16`` and the like for a
    text in that; else None."""
    with open_plain(path) as file:
        head = file.read(6)
    packed = next((name for mark, name in _PACKINGS if head.startswith(mark)), None)
    coding = text_encoding(head)
    return coding if packed is None and coding in _RECODED else packed


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked. Reading raises one of ``DAMAGED`` where the file ends early, is
    damaged or unpacks to too much; what came before has been read then."""
    packed = packing(path)
    with open_plain(path) as file:
        stream: io.BufferedReader = file
        if packed in _OPENERS:
            limit = FREE_BYTES + MOST_RATIO * path.stat().st_size
            opened = _OPENERS[packed](file)
            stream = io.BufferedReader(_Bounded(opened, limit), 1 << 20)
        coding = text_encoding(stream.peek(4)[:4])
        if coding in _RECODED:
            stream = io.BufferedReader(_Recoded(stream, coding), 1 << 20)
        yield stream


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


_PACKINGS = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
)
_RECODED = {"utf-16", "utf-16-le", "utf-16-be", "utf-32"}
_OPENERS: dict[str | None, Callable[[BinaryIO], IO[bytes]]] = {
    "gzip": lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file)),
    "zstd": _zstd,
    "bzip2": lambda file: cast("IO[bytes]", bz2.BZ2File(file)),
    "xz": lambda file: cast("IO[bytes]", lzma.LZMAFile(file)),  # noqa: SIM115  (its file is closed)
}


def _zstd_error() -> type[Exception]:
    import zstandard

    return zstandard.ZstdError
