"""Opening a bundle. Whoever made it is a stranger: what it says of itself is checked, and nothing
that it names is written anywhere."""

from __future__ import annotations

import hashlib
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dcq.errors import InputError, PartitionError
from dcq.files.bundle import (
    MANIFEST,
    MOST_DIRECTORY,
    MOST_MANIFEST,
    MOST_MEMORY,
    MOST_PACKED,
    MOST_UNPACKED,
    Manifest,
    damaged,
    parse,
)
from dcq.partitions.parquet import read_arrow

if TYPE_CHECKING:  # takes a while to import, which few commands need
    import pyarrow as pa

_CHUNK = 1_000_000  # bytes
_SIGNATURE, _END = b"PK\x05\x06", 22  # of a zip's last record: how it begins, and its bytes
_COMPRESSED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError,
    ValueError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True)
class Bundle:
    """A bundle whose files are as its manifest says; ``sha256`` is the manifest's own."""

    manifest: Manifest
    sha256: str
    tables: Mapping[str, pa.Table]


def read(path: Path) -> Bundle:
    """The bundle in ``path``. Raises InputError where it is none, is damaged or is too large."""
    try:
        if path.stat().st_size > MOST_PACKED:
            raise _too_large(path.name)
        _check_directory(path)
        with (
            zipfile.ZipFile(path) as archive,
            tempfile.TemporaryDirectory(prefix="dcq-bundle-") as folder,
        ):
            return _read(path.name, archive, Path(folder))
    except FileNotFoundError as error:
        raise InputError(f"{path} is not there; check the name.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    except _UNREADABLE as error:
        raise InputError(f"{path} is not a zip file that can be read; copy it again.") from error


def _check_directory(path: Path) -> None:
    """Raise InputError where the list of the archive's files is long: ``zipfile`` reads all of it,
    and makes an object of each line, before anyone can ask."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END - 65_535))  # a comment may follow
        tail = file.read()
    place = len(tail) - _END
    if place < 0 or tail[place : place + 4] != _SIGNATURE or tail[-2:] != bytes(2):
        place = tail.rfind(_SIGNATURE)
    if place < 0 or len(tail) < place + _END:
        raise zipfile.BadZipFile
    (size,) = struct.unpack_from("<L", tail, place + 12)
    # The longer form of the list, which no archive below 4 GB needs, says its size elsewhere.
    if size > MOST_DIRECTORY or tail[max(0, place - 20) : place].startswith(b"PK\x06\x07"):
        raise InputError(f"{path.name} has too many files for a bundle; `export bundle` makes one.")


def _read(name: str, archive: zipfile.ZipFile, folder: Path) -> Bundle:
    there = {info.filename: info for info in archive.infolist()}
    if len(there) < len(archive.infolist()):
        raise damaged(name, "it has two files of one name")
    if MANIFEST not in there:
        raise InputError(f"{name} has no {MANIFEST}; `export bundle` makes such a file.")
    if sum(info.file_size for info in there.values()) > MOST_UNPACKED + MOST_MANIFEST:
        raise _too_large(name)
    said = _unpack(name, archive, there[MANIFEST], MOST_MANIFEST)
    manifest = parse(said, name)
    # Only what the manifest lists, under the names that a bundle has: no other is ever opened.
    if set(there) != {MANIFEST, *manifest.files}:
        stray = min(set(there) ^ {MANIFEST, *manifest.files})
        raise damaged(name, f"its manifest and its files differ ({stray[:60]!r})")
    for member, facts in manifest.files.items():
        data = _unpack(name, archive, there[member], facts.bytes)
        if len(data) != facts.bytes or hashlib.sha256(data).hexdigest() != facts.sha256:
            raise damaged(name, f"{member} is not the file that was put into it")
        if member.startswith("tables/"):
            (folder / Path(member).name).write_bytes(data)
    tables = _decode(name, folder, manifest)
    return Bundle(manifest, hashlib.sha256(said).hexdigest(), tables)


def _unpack(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """A file of the archive; reading stops at ``most`` bytes, whatever the archive says of it."""
    if info.file_size > most:
        raise (
            _too_large(name)
            if info.filename == MANIFEST
            else damaged(name, f"{info.filename} is larger than its manifest says")
        )
    parts, size = [], 0
    if info.compress_type not in _COMPRESSED:
        raise damaged(name, f"{info.filename[:60]} is packed in an unknown way")
    with archive.open(info) as file:
        while part := file.read(_CHUNK):
            size += len(part)
            if size > most:
                raise damaged(name, f"{info.filename[:60]} is larger than it says")
            parts.append(part)
    return b"".join(parts)


def _decode(name: str, folder: Path, manifest: Manifest) -> dict[str, pa.Table]:
    facts = {Path(m).stem: f for m, f in manifest.files.items() if m.startswith("tables/")}
    if not facts:
        raise damaged(name, "it has no tables")
    try:
        decoded = read_arrow([folder / f"{table}.parquet" for table in facts], MOST_MEMORY)
    except PartitionError:
        raise damaged(
            name, f"a table cannot be read, or all take more than {MOST_MEMORY / 1e6:.0f} MB"
        ) from None
    found = dict(zip(facts, decoded, strict=True))
    for table, rows in found.items():
        said = facts[table].rows
        if rows.num_rows != said:
            raise damaged(name, f"its table {table} has {rows.num_rows:,} rows, not {said:,}")
    return found


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} is too large for a bundle: at most {MOST_PACKED / 1e6:.0f} MB, unpacked "
        f"{MOST_UNPACKED / 1e6:.0f} MB."
    )
