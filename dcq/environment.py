"""One variable at a time, from the environment or ``.env``, without reading all settings."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path

from dcq.errors import InputError
from dcq.incoming.plain_file import MOST_SETTINGS, read_text
from dcq.places import DEFAULT_STORE, ENV_FILE

STORE_VARIABLE = "DCQ_STORE"


def read_variable(variable: str) -> str:
    """The variable's value in the environment or, failing that, in ``.env``; empty if unset."""
    value = (os.environ.get(variable) or _written().get(variable) or "").strip()
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"The variable {variable} is not UTF-8; set it in UTF-8.") from None
    return value


def store_path() -> Path:
    """Where the results store is, there already or not. Raises InputError for what no system takes
    as a path."""
    path = Path(read_variable(STORE_VARIABLE) or DEFAULT_STORE)
    try:
        path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{STORE_VARIABLE} names no path that can be used ({reason}); set it to another file."
        ) from None
    return path


def state() -> tuple[object, ...]:
    """A value that changes whenever a variable or ``.env`` does."""
    try:
        status = ENV_FILE.stat()
    except OSError:
        return (ENV_FILE, frozenset(os.environ.items()))
    written = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return (ENV_FILE, written, frozenset(os.environ.items()))


def _written() -> Mapping[str, str | None]:
    if not ENV_FILE.is_file():
        return {}
    from dotenv import dotenv_values  # here, because most have no such file

    try:
        return dotenv_values(stream=io.StringIO(read_text(ENV_FILE, MOST_SETTINGS)))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{ENV_FILE} cannot be read ({type(error).__name__}); make it a text file in UTF-8 that"
            " you may read, or remove it."
        ) from None
