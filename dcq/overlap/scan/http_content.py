"""The content of a web page as a server sent it: in chunks, and packed."""

from __future__ import annotations

import zlib

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_EITHER = 32 + zlib.MAX_WBITS  # with gzip's head or with zlib's
_LONGEST_SIZE = 20  # characters of the line that says how long a chunk is


def joined(data: bytes) -> bytes:
    """The content of ``data`` in chunks; ``data`` as it is where it has none, because some crawlers
    join them and keep the header."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = data.find(b"\r\n", at, at + _LONGEST_SIZE)
        try:
            size = int(data[at:end].split(b";")[0], 16) if end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:
            return data
        if not size:
            return b"".join(parts)
        parts.append(data[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


def unpacked(data: bytes, coding: str, most: int) -> bytes | None:
    """``data`` as it was before gzip, deflate or zstd; as it is where it was not packed, whatever
    the header ``coding`` says. None if it is packed in another way or damaged, or has more than
    ``most`` bytes."""
    if data.startswith(_GZIP):
        return _inflated(data, _EITHER, most)
    if data.startswith(_ZSTD):
        return _zstd(data, most)
    names = {name.strip() for name in coding.lower().split(",")} - {"", "identity"}
    if not names or _is_text(data):
        return data
    if "deflate" in names:
        found = _inflated(data, _EITHER, most)
        return found if found is not None else _inflated(data, -zlib.MAX_WBITS, most)
    return None


def _inflated(data: bytes, form: int, most: int) -> bytes | None:
    inflater = zlib.decompressobj(form)
    try:
        content = inflater.decompress(data, most + 1)
    except zlib.error:
        return None
    return content if inflater.eof and len(content) <= most else None


def _zstd(data: bytes, most: int) -> bytes | None:
    import zstandard  # here, because few files need it

    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            content: bytes = stream.read(most + 1)
    except zstandard.ZstdError:
        return None
    return content if len(content) <= most else None


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
