"""Stores that stay open between the operations of a test.

``dcq.store.connect`` opens the file for each operation and closes it, because other programs want
it too. In a test there are none, and to open and close a file with all our tables takes 5 ms for a
read and 12 for a write: a third of what most tests take. So here a file stays attached until
something else could look at it: a process is started, the file is opened, copied, moved or taken
away, DuckDB is used directly, or the test ends. After a process was started, the rest of the test
opens and closes. Those of ``tests/store`` and ``tests/jobs`` that try the opening itself always do.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dcq.errors import StoreError
from dcq.incoming import reader_process
from dcq.store import Store, connect, migrations
from dcq.store.open_errors import translate

_STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn"}
_FILES = {"open", "os.rename", "os.remove", "os.link", "os.chmod", "os.truncate", "os.symlink"}
_FOLDERS = {"shutil.rmtree", "shutil.move", "os.rmdir"}
# Of tests/store, the files that need a store as it is opened outside of tests.
_TRY_OPENING = {
    *(
        "connect",
        "copies",
        "copy_rows",
        "hold",
        "keep_open",
        "moment",
        "older_store",
        "open_errors",
    ),
    *("sharing", "state", "structure"),
}
_READER = str(reader_process._CHILD)  # it decodes one file, and knows of no store
_original = Store._opened


@dataclass
class _Attached:
    name: str
    instance: duckdb.DuckDBPyConnection
    inode: int
    checked: bool = False  # all steps were there, and nothing was written since


class _Kept:
    """What is attached in this process, by file."""

    def __init__(self) -> None:
        self.on = False
        self.unconcerned = False  # what is started knows of no store
        self._files: dict[str, _Attached] = {}
        self._used = 0  # operations at work, which only the thread that has the store's lock counts

    @contextmanager
    def opened(
        self, store: Store, deadline: float, *, read_only: bool
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, bool]]:
        """In place of ``Store._opened``."""
        attached = self._attach(store) if self.on or self._used else None
        if attached is None:
            with _original(store, deadline, read_only=read_only) as opened:
                yield opened
            return
        if not read_only:
            store._check_not_held()
        self._used += 1
        try:
            with connect._instance.use() as instance:
                connection = instance.cursor()
                try:
                    connection.execute(f"USE {attached.name}")
                    if read_only:
                        connection.execute("BEGIN TRANSACTION READ ONLY")
                    if not attached.checked:
                        attached.checked = migrations.check(connection, store.path)
                    current, attached.checked = attached.checked, attached.checked and read_only
                    yield connection, current
                except duckdb.Error as error:
                    raise translate(error, store.path) or error from error
                finally:
                    connection.close()
        finally:
            self._used -= 1
            if not self.on:
                self.release()

    def _attach(self, store: Store) -> _Attached | None:
        """The store's file, attached; None where that must be left to the store."""
        path = str(store._file)
        try:
            inode = os.stat(path).st_ino
        except OSError:
            inode = 0
        attached = self._files.get(path)
        if attached is not None:
            if (attached.instance, attached.inode) == (connect._instance._connection, inode):
                return attached
            self._detach(path)
        if not inode:
            return None
        name = f"kept{next(connect._names)}"
        try:
            with connect._instance.use() as instance:
                store._attach(instance, name, read_only=False, deadline=0)
        except StoreError:
            return None
        self._files[path] = _Attached(name, instance, inode)
        return self._files[path]

    def _detach(self, path: str) -> None:
        attached = self._files.pop(path)
        if attached.instance is connect._instance._connection:
            try:
                attached.instance.execute(f"DETACH {attached.name}")
            except duckdb.Error:
                connect._instance.close()

    def release(self, path: str | None = None) -> None:
        """Close a file, or all, unless an operation is at work on them."""
        with connect._IN_PROCESS:
            if not self._used:
                for one in [*self._files] if path is None else {path} & self._files.keys():
                    self._detach(one)

    def stop(self) -> None:
        """Close all, and keep nothing open until the next test."""
        with connect._IN_PROCESS:  # else another thread opens anew what is attached still
            self.on = False
            self.release()

    def hear(self, event: str, words: tuple[Any, ...]) -> None:
        """An audit hook: whatever this process does that could concern the files."""
        if self.unconcerned or (event == "subprocess.Popen" and _READER in words[1]):
            return
        if event in _STARTS or (event == "socket.connect" and isinstance(words[1], str | bytes)):
            # The second is how a server that forks is asked for a process.
            with connect._IN_PROCESS:  # another thread may be attaching
                if self._files:
                    self.stop()
        elif not self._files:
            return
        elif event in _FOLDERS:
            self.release()
        elif event in _FILES:
            for word in words[:2]:
                if isinstance(word, str | os.PathLike):
                    path = os.path.realpath(word).removesuffix(".wal")
                    if path in self._files:
                        self.release(path)


_kept = _Kept()


def _opened(store: Store, deadline: float, *, read_only: bool) -> Any:
    return _kept.opened(store, deadline, read_only=read_only)


def _alone(work: Any) -> Any:
    """``work``, before which all is closed: it opens the file, or takes its place."""

    @functools.wraps(work)
    def alone(*args: Any, **kwargs: Any) -> Any:
        _kept.stop()
        return work(*args, **kwargs)

    return alone


def _connect(work: Any) -> Any:
    """``duckdb.connect``. Without a file it is what stores are attached to: it gets one thread,
    since for what tests ask a second takes a twelfth of their time and brings nothing."""
    with_file = _alone(work)

    @functools.wraps(work)
    def connected(*args: Any, **kwargs: Any) -> Any:
        if args[:1] != (":memory:",):
            return with_file(*args, **kwargs)
        return work(*args, **kwargs | {"config": {"threads": 1, **kwargs.get("config", {})}})

    return connected


def install() -> None:
    """From then on ``kept_open`` works in this process."""
    if Store._opened is _opened:
        return
    sys.addaudithook(_kept.hear)
    patch = pytest.MonkeyPatch()  # for good: an audit hook cannot be taken away either
    patch.setattr(Store, "_opened", _opened)
    for name in ("copy_file", "replace_file"):
        patch.setattr(Store, name, _alone(getattr(Store, name)))
    patch.setattr(duckdb, "connect", _connect(duckdb.connect))


def close() -> None:
    """Close all files: only then another process finds all in them that was written."""
    _kept.release()


@contextmanager
def unconcerned() -> Iterator[None]:
    """Within the block a process is started that knows of none of the stores."""
    _kept.unconcerned = True
    try:
        yield
    finally:
        _kept.unconcerned = False


@contextmanager
def kept_open(path: Path) -> Iterator[None]:
    """Stores that this process opens in a test of the file ``path`` stay open, as long as nothing
    else can want them."""
    folder, name = path.parent.name, path.stem.removeprefix("test_")
    _kept.on = folder not in {"jobs", "browser"} and (folder != "store" or name not in _TRY_OPENING)
    try:
        yield
    finally:
        _kept.stop()
