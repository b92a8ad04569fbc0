"""Opening a file that somebody named: a plain file, or one sentence at once.

A name may lead to a pipe that nobody writes to, a device without end, a socket or a folder, also by
a link and under any ending. So the file is opened without waiting, what was opened is looked at,
and the same open file is handed out: nothing can be put in its place in between.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from dcq.errors import InputError

MOST_BYTES = 500_000_000  # of a file that is read at once, unless its reader says less
MOST_SETTINGS = 10_000_000  # of a file that people write by hand
_STDIN = 0
_CHUNK = 1 << 20  # bytes
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# Not waiting: for somebody to write to a pipe, or for a file of the system that is never ready.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_plain(path: Path, *, stdin: bool = False) -> io.BufferedReader:
    """The plain file at ``path``, opened for reading; a link is followed. With ``stdin``, also a
    pipe that is this process's standard input, as ``/dev/stdin``.

    Raises InputError for anything else, and OSError as ``open`` does.
    """
    check_kind(path, stdin=stdin)  # to open a device or a pipe may already do something
    try:
        descriptor = os.open(path, _FLAGS)
    except ValueError:  # a NUL in the name
        raise _no_name(path) from None
    try:
        status = os.fstat(descriptor)
        _check(path, status, stdin=stdin)
        if not stat.S_ISREG(status.st_mode):
            os.set_blocking(descriptor, True)  # standard input is waited for
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def check_plain(path: Path) -> None:
    """Raise InputError where something lies at ``path`` that is no plain file: for readers of
    others, which open it themselves. That nothing lies there is theirs to say."""
    with contextlib.suppress(OSError):
        open_plain(path).close()


def read_bytes(path: Path, most: int = MOST_BYTES, form: str = "") -> bytes:
    """The content of a plain file, or of standard input. Raises InputError where it has more than
    ``most`` bytes, also if it grows meanwhile, and as ``open_plain``. ``form`` is what the file
    should be, such as ``a key``."""
    with open_plain(path, stdin=True) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise _too_long(path, most, form)
        content = bytearray()
        while chunk := file.read(_CHUNK):
            content += chunk
            if len(content) > most:
                raise _too_long(path, most, form)
    return bytes(content)


@contextmanager
def open_text(path: Path, encoding: str = "utf-8", newline: str | None = None) -> Iterator[TextIO]:
    """A plain file as text, closed at the end of the block; raises as ``open_plain``."""
    with open_plain(path) as file, io.TextIOWrapper(file, encoding, newline=newline) as text:
        yield text


def read_text(path: Path, most: int = MOST_BYTES, encoding: str = "utf-8") -> str:
    """The text in a plain file, its line ends as they are with ``open``; raises as ``read_bytes``,
    and UnicodeDecodeError."""
    text = io.TextIOWrapper(io.BytesIO(read_bytes(path, most)), encoding)
    return text.read()


def other_kind(status: os.stat_result) -> str:
    """What something is that is no plain file, such as ``a pipe``; empty for a plain file."""
    if stat.S_ISREG(status.st_mode):
        return ""
    return next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")


def _too_long(path: Path, most: int, form: str) -> InputError:
    if form:
        return InputError(f"{path} is too large to be {form}; name another file.")
    size = f"{most / 1e6:,.0f} MB" if most >= 1_000_000 else f"{most:,} bytes"
    return InputError(f"{path} has more than {size}; name another file, or give a part of it.")


def check_kind(path: Path, *, stdin: bool = False) -> None:
    """As ``check_plain``, by a look that opens nothing: where a process closes a file, the system
    forgets the locks that it has on it."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return  # opening it says why
    _check(path, status, stdin=stdin)


def _check(path: Path, status: os.stat_result, *, stdin: bool) -> None:
    """Raise InputError unless ``status`` is of what can be read."""
    if stat.S_ISREG(status.st_mode):
        return
    if stdin and stat.S_ISFIFO(status.st_mode) and _is_stdin(status):
        return
    kind = other_kind(status)
    raise InputError(f"{path} cannot be read: it is not a file but {kind}; name a plain file.")


def _is_stdin(status: os.stat_result) -> bool:
    try:
        return os.path.samestat(status, os.fstat(_STDIN))
    except OSError:
        return False


def _no_name(path: Path) -> InputError:
    return InputError(f"{str(path)!a} is no name of a file; name another file.")
