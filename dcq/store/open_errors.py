"""What went wrong with the store's file, as errors that say the cause and the fix.

DuckDB tells most causes in words alone, and one sentence of it can have several: "Could not set
lock on file" is another process, or a disk that has no locks. Sentences are those of its source,
``src/common/local_file_system.cpp`` and ``src/storage/write_ahead_log.cpp``.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import duckdb

from dcq.errors import (
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StorePathError,
    StoreReadOnlyError,
    StoreTooNewError,
)
from dcq.store import migrations

# What the system says where a disk has no locks (ENOTSUP, ENOLCK, ENOSYS): DuckDB's own words for
# the first, strerror for the others.
_NO_LOCKS = re.compile(
    r"Could not set lock on file.*"
    r"(?:locks are not supported|not supported|No locks available|not implemented)",
    re.IGNORECASE,
)
# A lock that another process has: DuckDB's own words, strerror of EAGAIN, and what DuckDB says on
# Windows, after a sentence in the system's language.
_HELD = re.compile(
    r"Conflicting lock is held|Could not set lock on file.*Resource temporarily unavailable"
    r"|File is already open in"
)
_NO_LOCK = re.compile(r"Could not set lock on file \S+ ?(.*)")
_VERSION = re.compile(r"version number (\d+).*can only read\D+(\d+)")
_LOG = re.compile(r"replaying WAL file")
_WRITTEN = re.compile(r'file "([^"]+)"')
_LOG_POSITION = re.compile(r"at byte position (\d+)")


def is_held(error: Exception) -> bool:
    """True where another process has the file, so that it is worth another try."""
    text = str(error)
    return _HELD.search(text) is not None


def first_line(error: BaseException) -> str:
    """The first line of what an error says."""
    return str(error).splitlines()[0]


def cannot_write(path: Path) -> StoreReadOnlyError:
    """For a store whose file or folder may not be written."""
    return StoreReadOnlyError(
        f"The store {path} cannot be written; make the file and its folder writable, "
        "or point DCQ_STORE at a place that is."
    )


def translate(error: duckdb.Error, path: Path) -> StoreError | None:
    """The store error that a DuckDB error amounts to, or None if it is not about the file."""
    text = str(error)
    if _NO_LOCKS.search(text):
        return StoreError(
            f"The store {path} lies on a disk without file locks, such as some network or cloud "
            "folders, so two programs could damage it; move it, with its .wal if that is there, to "
            "a disk of this machine and set DCQ_STORE to the new path."
        )
    if is_held(error):
        holder = re.search(r"\(PID \d+\)", text)
        who = f"another process {holder[0]}" if holder else "another process"
        return StoreLockedError(
            f"The store {path} is held by {who}; close that program or wait, then try again."
        )
    if "Permission denied" in text and path.exists() and not os.access(path, os.R_OK):
        return StorePathError(
            f"The store {path} cannot be read; ask its owner, or whoever runs this machine, for "
            "the right to read and write it, or set DCQ_STORE to a store of yours."
        )
    if "Permission denied" in text or "Read-only file system" in text or "read-only mode" in text:
        return cannot_write(path)
    if lock := _NO_LOCK.search(text):
        return StoreError(
            f"The store {path} could not be locked ({lock[1].split('. ')[0]}). Check its disk, or "
            "move it, with its .wal if that is there, and set DCQ_STORE to the new path."
        )
    if version := _VERSION.search(text):
        if int(version[1]) < int(version[2]):
            return StoreError(
                f"The store {path} was written by an earlier DuckDB than this one reads; open it "
                "with the dcq that wrote it, and take a backup there."
            )
        return StoreTooNewError(migrations.too_new(path))
    return _damaged(error, path) or _without_room(text, path) or _unusable(error, path)


def _damaged(error: duckdb.Error, path: Path) -> StoreError | None:
    text = str(error)
    if _LOG.search(text):
        position = _LOG_POSITION.search(text)
        return damaged_log(path, int(position[1]) if position else None)
    backup = (
        "put a backup in its place with: dcq restore BACKUP --force. Or move it away, with "
        f"{path.name}.wal if that is there, and a new store will be made."
    )
    if isinstance(error, duckdb.InternalException):
        return StoreCorruptError(
            f"DuckDB failed on the store {path} ({first_line(error)}). Try again with a copy of "
            f"it; if that fails too, the file is damaged: {backup}"
        )
    if isinstance(error, duckdb.SerializationException) or re.search(
        r"not a valid DuckDB database|read enough bytes|[Cc]orrupt|checksum", text
    ):
        return StoreCorruptError(
            f"The file {path} is not a readable store. If DCQ_STORE names the wrong file, correct "
            f"it; if the file is damaged, {backup}"
        )
    return None


def damaged_log(path: Path, sound: int | None) -> StoreCorruptError:
    """For a store whose log is damaged behind its byte ``sound``, None if that is not known."""
    log = f"{path}.wal"
    fix = (
        "move the original away, and the store opens without them"
        if sound is None
        else f"cut the original to its sound part with: truncate -s {sound} {shlex.quote(log)}"
    )
    return StoreCorruptError(
        f"The newest changes of the store {path} are damaged; they lie in {log}. Copy both files "
        f"to a safe place first, then {fix}"
    )


def _without_room(text: str, path: Path) -> StoreError | None:
    if "No space left on device" in text:
        written = _WRITTEN.search(text)
        # A new store is made in a folder beside.
        beside = path.absolute().parent
        if written and not Path(written[1]).absolute().is_relative_to(beside):
            return StoreError(
                f"The disk of {Path(written[1]).parent} is full, where DuckDB keeps what does not "
                "fit in memory; make room, or set TMPDIR to another disk."
            )
        return StoreError(f"The disk of the store {path} is full; make room and try again.")
    if re.search(r"[Dd]isk quota exceeded", text):
        return StoreError(
            f"Your quota on the disk of the store {path} is used up; make room and try again."
        )
    if "File too large" in text:
        return StoreError(
            f"The store {path} has reached the largest size that its disk, or a limit of this "
            "machine, allows for a file (ulimit -f); raise the limit or move the store."
        )
    return None


def _unusable(error: duckdb.Error, path: Path) -> StoreError | None:
    if isinstance(error, duckdb.OperationalError | duckdb.FatalException):
        return StoreError(f"The store {path} cannot be used now ({first_line(error)}).")
    return None
