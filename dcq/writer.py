"""The one way to write a file that somebody asked for: whole, or not at all.

The content is written to a file beside the one that was named, brought to the disk and renamed, so
that a full disk or the end of the process leaves what was there before. A link is followed to the
file it leads to. Refused are a link that leads to nothing, because the file would appear where
nobody asked for it, and one's own keys, secrets and store, under whatever name or link.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from dcq.environment import store_path
from dcq.errors import InputError
from dcq.incoming.plain_file import open_plain
from dcq.places import ENV_FILE

PART = ".part"  # how the name of a file ends that is being written
_HEAD = 4096  # bytes
_MOST_OF_A_KEY = 10_000  # bytes that a key has at most
_KEY_BLOCK = re.compile(rb"-----BEGIN [A-Z0-9 ]*KEY-----")


def _escaped(word: str) -> str:
    """A pattern for ``word`` in JSON, in which each sign may be written by its number."""
    return "".join(rf"(?:{re.escape(sign)}|\\u00(?i:{ord(sign):02x}))" for sign in word)


# Wherever the member stands, since the reader of secrets takes it there.
_SECRET_FORMAT = re.compile(rf'"{_escaped("format")}"\s*:\s*"{_escaped("dcq-secret")}"'.encode())
_CHUNK, _OVERLAP = 1 << 20, 4096  # bytes of a file that are searched at once, and once more
_OWNER_ONLY, _ANYBODY = 0o600, 0o666  # modes; the second is narrowed by the process's mask


class Kept(StrEnum):
    """What is not replaced by accident."""

    KEY = "a key"
    SECRET = "the secret of a protected benchmark"  # noqa: S105  (words)
    STORE = "a store"
    LOG = "part of a store"
    VARIABLES = "your file of variables"


class _Part(NamedTuple):
    """A file that is written, and the one that it becomes."""

    part: Path
    target: Path
    new: bool


def write(
    path: Path, content: bytes, *, private: bool = False, new: bool = False,
    over: Kept | None = None,
) -> None:  # fmt: skip
    """Write ``content`` to ``path``, or replace what is there.

    A ``private`` file can be read by its owner alone; others keep the mode and the owner of the
    file that they replace. A ``new`` one replaces nothing. ``over`` is a kind of file that may be
    replaced although it is kept otherwise. Raises InputError, and leaves everything as it was,
    where that cannot be done.
    """
    with opened(path, private=private, new=new, over=over) as file:
        file.write(content)


def write_all(
    contents: Mapping[Path, bytes], *, private: Path | None = None, new: bool = False,
    over: Kept | None = None,
) -> None:  # fmt: skip
    """Write several files, as ``write``: all are complete before the first gets its name, and they
    get them in the order given. ``private`` is the one that only its owner may read."""
    parts: dict[Path, _Part] = {}
    to_disk = {path: content for path, content in contents.items() if not _is_stdout(path)}
    try:
        for path, content in to_disk.items():
            with _explained(path):
                parts[path], file = _begin(path, private=path == private, new=new, over=over)
                with file:
                    file.write(content)
                    _to_disk(file)
        for path, part in parts.items():
            with _explained(path):
                _rename(part)
    finally:
        for part in parts.values():
            _discard(part)
    for path in contents.keys() - to_disk.keys():
        write(path, contents[path])


@contextmanager
def opened(
    path: Path, *, private: bool = False, new: bool = False, over: Kept | None = None
) -> Iterator[BinaryIO]:
    """A file to write in, which becomes ``path`` where the block ends well; as ``write``."""
    with _explained(path):
        if _is_stdout(path):
            sys.stdout.flush()
            # Whoever reads our output may have had enough, which is no mistake.
            with contextlib.suppress(BrokenPipeError), open(os.dup(1), "wb") as out:
                yield out
            return
        part, file = _begin(path, private=private, new=new, over=over)
        try:
            with file:
                yield file
                _to_disk(file)
            _rename(part)
        finally:
            _discard(part)


def put(made: Path, path: Path, *, over: Kept | None = None) -> None:
    """Let the file ``made``, on the same disk as ``path``, become ``path``; as ``write``."""
    with _explained(path):
        target = check(path, over=over)
        with made.open("rb") as file:
            _to_disk(file)
        _rename(_Part(made, target, new=False))


def make_folder(path: Path) -> None:
    """Make a folder, and those that it is to lie in, unless it is there. Raises InputError where
    that cannot be done, also for a link to a folder that is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); name another.") from error


def check(path: Path, *, new: bool = False, over: Kept | None = None) -> Path:
    """The file that would be written for ``path``: where its links lead. Raises InputError where
    it must not be, and OSError."""
    if "\0" in str(path):
        raise InputError(f"{str(path)!a} is no name of a file; name another.")
    if not os.path.lexists(path):
        return Path(os.path.realpath(path))
    if new:
        raise InputError(f"{path} exists, and it is never overwritten; name another file.")
    try:
        status = path.stat()
    except FileNotFoundError:
        leads = os.path.realpath(path)
        raise InputError(
            f"{path} is a link to {leads}, which is not there; name the file itself."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); name another.") from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path} cannot be written, because it is a folder; name a file.")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} cannot be written, because it is no plain file; name another.")
    kind = _kept(Path(os.path.realpath(path)), status)
    if kind is not None and kind is not over:
        raise InputError(f"{path} is {kind}, and it would be lost; name another file.")
    if not os.access(path, os.W_OK):
        raise InputError(f"{path} is write-protected; name another file.")
    return Path(os.path.realpath(path))


def _begin(path: Path, *, private: bool, new: bool, over: Kept | None) -> tuple[_Part, BinaryIO]:
    """The file beside, opened."""
    target = check(path, new=new, over=over)
    part = target.with_name(f".dcq-{secrets.token_hex(8)}{PART}")  # short: names have a limit
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(part, flags, _OWNER_ONLY if private else _ANYBODY)
    except PermissionError as error:
        raise InputError(
            f"The folder {target.parent} cannot be written ({error.strerror}), and {target.name} "
            "is written beside itself first; name another folder."
        ) from None
    file = open(descriptor, "wb")  # noqa: SIM115  (an open file, which the caller closes)
    _take_over(descriptor, target, private=private)
    return _Part(part, target, new), file


def _take_over(descriptor: int, target: Path, *, private: bool) -> None:
    """Give a file the owner of the one that it replaces, as far as one may, and its mode unless it
    is ``private``."""
    with contextlib.suppress(OSError, AttributeError):  # there is none; the system has no owners
        status = target.stat()
        own = os.fstat(descriptor)
        mode = _OWNER_ONLY if private else stat.S_IMODE(status.st_mode)
        if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
            os.fchmod(descriptor, mode & own.st_mode)  # nobody new may read it if this fails
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, mode)


def _to_disk(file: BinaryIO) -> None:
    if file.writable():
        file.flush()
    os.fsync(file.fileno())


def _rename(part: _Part) -> None:
    if part.new:
        try:
            os.link(part.part, part.target)  # unlike a renaming, it replaces nothing
        except FileExistsError:
            raise InputError(
                f"{part.target} exists, and it is never overwritten; name another file."
            ) from None
        except OSError:  # the file system has no second names
            part.part.rename(part.target)
    else:
        part.part.replace(part.target)
    with contextlib.suppress(OSError):  # some systems open no folders
        folder = os.open(part.target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _discard(part: _Part) -> None:
    with contextlib.suppress(OSError):
        part.part.unlink(missing_ok=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn an OSError into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); name another.") from error


def _is_stdout(path: Path) -> bool:
    """Whether ``path`` is this process's standard output, such as ``/dev/stdout``."""
    try:
        return str(path).startswith(("/dev/", "/proc/")) and os.path.samestat(
            path.stat(), os.fstat(1)
        )
    except (OSError, ValueError):
        return False


def _kept(target: Path, status: os.stat_result) -> Kept | None:
    """What a file is that must not be lost. It is known by its content, so under all its names."""
    for own, kind in ((store_path(), Kept.STORE), (ENV_FILE, Kept.VARIABLES)):
        with contextlib.suppress(OSError, ValueError):
            if os.path.samestat(own.stat(), status):
                return kind
    if target.parent.suffix == ".runs" and (target.parent / "store.lock").exists():
        return Kept.LOG  # not opened, because to close it would give up its lock
    beside = target.with_name(target.name.removesuffix(".wal"))
    if beside != target and kept(beside) is Kept.STORE:
        return Kept.LOG
    return kept(target)


def kept(file: Path) -> Kept | None:
    """What the content of a file says that must not be lost; None where nothing does."""
    try:
        with open_plain(file) as content:
            head = content.read(_HEAD)
            if head[8:12] == b"DUCK":
                return Kept.STORE
            if head.lstrip().startswith(b"-----BEGIN "):
                return Kept.KEY
            short = os.fstat(content.fileno()).st_size <= _MOST_OF_A_KEY
            if short and _KEY_BLOCK.search(head + content.read()):
                return Kept.KEY
            content.seek(0)
            if head.lstrip().startswith(b"{") and _has_secret(content):
                return Kept.SECRET
    except (OSError, InputError):
        return None  # what nobody can read is no use to its owner
    return None


def _has_secret(content: BinaryIO) -> bool:
    before = b""
    while chunk := content.read(_CHUNK):
        if _SECRET_FORMAT.search(before + chunk):
            return True
        before = chunk[-_OVERLAP:]
    return False
