"""Copies of the whole store: one made while runs write, and one read back.

A copy that is read back may be anybody's, so its file never becomes the store. Its rows are put
into a new one, table by table, in a process of its own (``copy_child.py``), without views, macros
and other objects of a database.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

import duckdb

from dcq import writer
from dcq.errors import InputError, StoreError
from dcq.incoming.plain_file import check_kind, open_plain
from dcq.places import PROCESS_FOLDER, PYTHON
from dcq.store import sources
from dcq.store.connect import Store
from dcq.store.copy_child import REFUSED
from dcq.writer import Kept

_IDENTITY, _LONGEST = "identity", 100  # a file beside the store, and its most characters
_SECONDS = 1800.0  # far more than any store takes


def take(store: Store, to: Path, *, replace: bool = False) -> int:
    """Write a copy of the store to the file ``to``; returns its bytes. Raises InputError where a
    file is there, unless it is to be replaced, and for one that cannot be written."""
    store.check_there()
    _note_identity(store)
    target = writer.check(to, over=Kept.STORE)
    if os.path.lexists(to):
        _check_replaceable(store, to, replace=replace)
    try:
        with tempfile.TemporaryDirectory(prefix=".dcq-copy-", dir=target.parent) as folder:
            copy = store.copy_file(Path(folder))
            size = copy.stat().st_size
            writer.put(copy, to, over=Kept.STORE)
    except OSError as error:
        raise InputError(f"{to} cannot be written ({error.strerror}); name another.") from error
    return size


def _check_replaceable(store: Store, to: Path, *, replace: bool) -> None:
    """Raise InputError where a copy of the store must not take the place of what is there: only
    where it was asked for, and of stores only that of a copy of the same one."""
    if to.exists() and to.samefile(store.path):
        raise InputError(f"{to} is the store itself; name another file.")
    if not replace:
        raise InputError(f"{to} is there already; name another file, or replace it with --force.")
    there = _identity_of_file(to)
    if there and there != sources.identity(store):
        raise InputError(f"{to} is another store, and it would be lost; name another file.")


def _identity_of_file(path: Path) -> str:
    """As ``sources.identity``, of a file that may be anything, and is only looked at; empty where
    it does not say."""
    if writer.kept(path) is not Kept.STORE:
        return ""
    try:
        with duckdb.connect(str(path), read_only=True) as db:
            rows = db.execute("SELECT id FROM store_identity LIMIT 2").fetchall()
    except duckdb.Error:
        return ""
    return str(rows[0][0]) if len(rows) == 1 else ""


def identity(store: Store) -> str:
    """What tells the store and its backups from all others, also where its file is lost or
    damaged and was copied before; empty where nobody knows."""
    if store.path.exists():
        with contextlib.suppress(StoreError):
            return sources.identity(store)
    try:
        with open_plain(store.runs_folder / _IDENTITY) as file:
            return file.read(_LONGEST).decode("ascii", "replace").strip()
    except (OSError, InputError):
        return ""


def _note_identity(store: Store) -> None:
    """Write down beside the store whose backups are its own."""
    with contextlib.suppress(OSError, InputError):  # where nobody may write, nothing is noted
        store.runs_folder.mkdir(parents=True, exist_ok=True)
        content = sources.identity(store).encode("ascii", "replace")
        writer.write(store.runs_folder / _IDENTITY, content, over=Kept.LOG)


def read(file: Path, folder: Path) -> Path:
    """A store made of the rows of the copy ``file``, in ``folder``. Raises InputError where the
    file is no store of this release or an older one."""
    copy = folder / "dcq.duckdb"
    check_kind(file)
    if not file.is_file():
        raise InputError(f"{file} is not there; check the name.")
    words = ("-m", "dcq.store.copy_child", str(file.absolute()), str(copy.absolute()))
    try:
        done = subprocess.run(  # noqa: S603  (our own program; what a person gave is one argument)
            [*PYTHON, *words],
            cwd=PROCESS_FOLDER,
            env=os.environ | {"TMPDIR": str(folder.absolute())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{file.name} took too long to read; use a copy that dcq made.") from None
    if done.returncode == REFUSED:
        raise InputError(f"{file.name} {done.stdout.decode('utf-8', 'replace')}")
    if done.returncode:
        raise InputError(
            f"{file.name} is not a store that can be read, or takes too much memory or room; use a "
            "copy that `dcq backup` made."
        )
    if not copy.is_file():
        raise StoreError(f"Nothing came of {file.name}; try again.")
    return copy
