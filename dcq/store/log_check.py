"""Whether a store's log has changes that DuckDB would drop without a word.

The log, ``STORE.wal``, is a head and then entries: eight bytes of length, eight of checksum, the
content (``src/storage/write_ahead_log.cpp``). A transaction ends in an entry that never differs. A
damaged content fails its checksum, and DuckDB says so. A damaged length that leads past the end of
the file looks like a write that a crash cut off: DuckDB takes what stands before, and removes the
log. A write that was cut off has no end of a transaction behind it, and a damaged length may have.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes

_HEAD = re.compile(rb"d\x00be\x00\x02")  # of version 2, which has checksums
_IDENTITY, _ITERATION, _END = b"f\x00", b"g\x00", b"\xff\xff"
_ENTRY = struct.Struct("<QQ")
_COMMIT = b"d\x00d\xff\xff"
_COMMITTED = re.compile(struct.pack("<Q", len(_COMMIT)) + rb".{8}" + _COMMIT, re.DOTALL)
_MOST = 1 << 28  # bytes; DuckDB moves a log of 16 MB into the store


def sound_part(log: Path) -> int | None:
    """Up to which byte DuckDB would read ``log``, where whole transactions stand behind it; None
    where there are none, and for a log of another version."""
    try:
        data = read_bytes(log, _MOST)
    except (OSError, InputError):
        return None  # there is none, or opening the store says why
    at = _head(data)
    if at is None:
        return None
    sound = at
    while at + _ENTRY.size <= len(data):
        size, _ = _ENTRY.unpack_from(data, at)
        end = at + _ENTRY.size + size
        if end > len(data):
            return sound if _COMMITTED.search(data, at) else None
        if data[at + _ENTRY.size : end] == _COMMIT:
            sound = end
        at = end
    return None


def _head(data: bytes) -> int | None:
    """Where the entries begin; None if the head is another."""
    match = _HEAD.match(data)
    if match is None:
        return None
    at = match.end()
    if data.startswith(_IDENTITY, at):
        count, at = _number(data, at + len(_IDENTITY))
        for _ in range(count):
            _, at = _number(data, at)
    if data.startswith(_ITERATION, at):
        _, at = _number(data, at + len(_ITERATION))
    return at + len(_END) if data.startswith(_END, at) else None


def _number(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, seven bits a byte, and where it ends."""
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    return value, at
