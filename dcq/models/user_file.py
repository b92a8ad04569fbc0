"""The user's own TOML files, whose entries override those of dcq: prices and cut-offs.

A variable names the file; without it, it is one beside the usual store, if there is one.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from dcq.errors import InputError
from dcq.incoming.plain_file import MOST_SETTINGS, other_kind, read_text


class FileState(NamedTuple):
    """The present state of a file; what was read from it is valid until this changes."""

    path: Path
    changed: int
    size: int


def find(named: Path | None, usual: Path, what: str, variable: str) -> FileState | None:
    """The file that ``variable`` names, else the usual one; None if there is neither. Raises
    InputError if it cannot be found or read."""
    path = named or usual
    try:
        status = path.stat()
    except OSError as error:
        if named is None and isinstance(error, FileNotFoundError):
            return None
        raise _refuse(path, what, variable, error) from None
    if kind := other_kind(status):
        raise InputError(f"The {what} in {path} cannot be read: it is {kind}; correct {variable}.")
    return FileState(path, status.st_mtime_ns, status.st_size)


def parse(path: Path, what: str, variable: str) -> dict[str, Any]:
    """The document in it. Raises InputError if it cannot be read as TOML."""
    try:
        return tomllib.loads(read_text(path, MOST_SETTINGS))
    except OSError as error:
        raise _refuse(path, what, variable, error) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"The {what} in {path} are not valid TOML ({error}).") from None


def _refuse(path: Path, what: str, variable: str, error: OSError) -> InputError:
    return InputError(
        f"The {what} in {path} cannot be read ({error.strerror}); correct {variable}."
    )
