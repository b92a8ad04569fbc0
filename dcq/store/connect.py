"""Opens the store late and closes it early, so that app, workers and command line share it.

DuckDB lets one writing process (or several reading ones) hold a file. No process holds it for
longer than one operation; whoever finds it taken waits a little and tries again. A process keeps a
database instance without data and attaches the file for each operation: starting an instance takes
some 20 ms, attaching the file some 5. Who asks models writes again and again, so that such a
process leaves the file attached from one operation to the next (``Store.keep_open``), and lets go
as soon as another process waits.

Processes queue for the store. A failed attempt to open a DuckDB file costs about as much as opening
it, so processes that only try again take each other's time; and readers that come and go would keep
a writer out for ever. So each process waits for a lock of the operating system first, which is
cheap to try and is released however its holder dies. A writer keeps it until its work is done, a
reader until the file is open.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import math
import os
import random
import shutil
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import duckdb
import stamina
from filelock import lock_descriptor

from dcq.errors import StoreError, StoreLockedError, StoreReadOnlyError
from dcq.store import migrations, new_file, structure
from dcq.store.attach import attach, check_file
from dcq.store.log_check import sound_part
from dcq.store.open_errors import damaged_log, first_line, is_held, translate

# One connection at a time in this process: DuckDB refuses to open one file both for reading and
# for writing within a process, and Streamlit runs each session in a thread of its own.
_IN_PROCESS = threading.RLock()
# By file, while its thread has the lock: the connection, and the file's state.
_held: dict[Path, tuple[duckdb.DuckDBPyConnection, Hashable]] = {}
_keepers: Counter[Path] = Counter()  # who wants a file left open
# Under which name a file is left attached, its inode, and since when nobody used it.
_kept: dict[Path, tuple[str, int, float]] = {}
_writes: dict[Path, Counter[str]] = defaultdict(Counter)  # of this process, by what they change
_ANYTHING = ""
_watching = threading.Event()
_LOOK = 0.01  # seconds between looks at whether another process waits for a file that is left open
_IDLE = 0.05  # seconds without use after which it is closed: other programs do not queue for it
_sound: dict[Path, Hashable] = {}  # by file, its state when it was last known to be whole
_names = itertools.count()
_CHUNK = 1 << 20  # bytes
# Two writes within one tick of the file system's clock look like one. Where it keeps whole seconds
# only (FAT counts in twos), a tick is long.
_TICK, _LONG_TICK = 100_000_000, 3_000_000_000  # ns
_MOMENT = 1.0  # seconds
stamina.instrumentation.set_on_retry_hooks([])  # else each retry is logged as a warning


def utc_now() -> datetime:
    """The time in UTC without a time zone, as the store has all times (DuckDB's type with a time
    zone needs another package)."""
    return datetime.now(UTC).replace(tzinfo=None)


class Store:
    """A results store at ``path``; made with its folder on first use.

    ``timeout`` is how many seconds to wait for another process before giving up.
    """

    def __init__(self, path: Path | str, *, timeout: float = 15.0) -> None:
        self.path = Path(path)
        self.timeout = timeout

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Store) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def waiting(self, timeout: float) -> Store:
        """The same store for somebody who waits ``timeout`` seconds for another process."""
        return Store(self.path, timeout=timeout)

    @cached_property
    def _file(self) -> Path:
        """Where the file truly lies: one store under two names has one set of locks, and one log of
        what is not yet in the file."""
        return Path(os.path.realpath(self.path))  # resolve() fails on a link to itself

    @cached_property
    def runs_folder(self) -> Path:
        """The folder beside the store, with its queue, and a lock file and a log for every run."""
        return _runs_folder(self._file)

    def check_there(self) -> None:
        """Raise StoreError where the file does not exist: for callers that go on with existing
        work. Others create a store by using it."""
        if not self._file.exists():
            raise StoreError(f"The store {self.path} is gone; put it back and resume.")

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection that cannot write; several processes may hold one at once."""
        began = time.monotonic()
        with _IN_PROCESS:
            if self._file in _held:
                yield _held[self._file][0]
                return
            if not self.path.exists():
                self._migrate()
            with self._opened(self._deadline(began), read_only=True) as (connection, current):
                if current:
                    yield connection
                    return
            self._migrate()
            with self._opened(self._deadline(began), read_only=True) as (connection, _):
                yield connection

    def version(self, of: Collection[str] | None = None) -> Hashable | None:
        """A value that stays equal until somebody writes; with ``of``, until something of that is
        written, or by whoever did not say what (see ``write``). None where that is unknown: the
        file does not exist, or it was written a moment ago and may be written again before its
        clock ticks. While the file is left open, nobody else writes, and while it is held, nobody
        does."""
        state, writes = self._seen_state(), _writes[self._file]
        if state is None:
            return None
        if of is None:
            return state, writes.total()
        return state, tuple(writes[each] for each in (_ANYTHING, *of))

    def _seen_state(self) -> Hashable | None:
        """A value that stays equal until another process writes; None where that is unknown."""
        if held := _held.get(self._file):
            return held[1]
        if kept := _kept.get(self._file):
            return kept[:2]
        file_states = []
        for file in (self._file, _log(self._file)):
            try:
                status = file.stat()
            except OSError:
                if file == self._file:
                    return None
                continue
            tick = _TICK if status.st_mtime_ns % 1_000_000_000 else _LONG_TICK
            if time.time_ns() - status.st_mtime_ns < tick:
                return None
            file_states.append(
                (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            )
        return tuple(file_states)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the store open for reading, so that everything that this thread reads meanwhile is
        of one moment. Other processes can read; writers wait, so nothing slow should be done.
        Writing meanwhile in the same thread is an error of the caller."""
        with _IN_PROCESS, self._versioned() as (connection, version):
            if self._file in _held:
                yield
                return
            _held[self._file] = connection, version
            try:
                yield
            finally:
                del _held[self._file]

    @contextmanager
    def _versioned(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, Hashable]]:
        """A connection that cannot write, and the state of what it reads."""
        before, left_open = self._seen_state(), self._file in _kept
        with self.read() as connection:
            same = before is not None and (left_open or before == self._seen_state())
            yield connection, before if same else ("held", next(_names))

    @contextmanager
    def keep_open(self) -> Iterator[None]:
        """Within the block, the file stays open after this process has written to it, for a moment
        or until another process wants it. For whoever writes often: opening takes longer than most
        writes."""
        with _IN_PROCESS:
            _keepers[self._file] += 1
            if not _watching.is_set():
                _watching.set()
                threading.Thread(target=_watch, daemon=True).start()
        try:
            yield
        finally:
            with _IN_PROCESS:
                _keepers[self._file] -= 1
                if not _keepers[self._file]:
                    del _keepers[self._file]
                    _let_go(self._file)

    @property
    def is_held(self) -> bool:
        """Whether this thread is inside a ``hold``, or another one is."""
        return self._file in _held

    @contextmanager
    def write(self, only: Collection[str] = ()) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection inside one transaction: all of it is kept, or on an exception none.

        Whoever writes again and again while models are asked says what ``only`` changes, so that
        other reads need not be repeated (``moment.until_written``): the id of a run, or a name of
        ``moment``."""
        began = time.monotonic()
        with (
            _IN_PROCESS,
            self._opened(self._deadline(began), read_only=False) as (connection, current),
        ):
            if not current:
                migrations.apply(connection, self.path)
                structure.check(connection, self.path)
            connection.begin()
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
            _writes[self._file].update(only or (_ANYTHING,))

    def _deadline(self, began: float) -> float:
        """Until when to try, by the monotonic clock, for somebody who has waited for other threads
        since ``began``. Who waited so long because these had the store gets a moment more, and who
        waited because another process has it hears so at once."""
        now = time.monotonic()
        moment = 0.0 if now - _last_refusal.at < _MOMENT else min(_MOMENT, self.timeout)
        return max(began + self.timeout, now + moment)

    def copy_file(self, folder: Path) -> Path:
        """Copy the store between two writes into an empty ``folder``; returns the copy, a single
        file. Others can read meanwhile, and writers wait. Raises OSError where ``folder`` has no
        room."""
        copy = folder / self._file.name
        with _IN_PROCESS:
            _let_go(self._file)  # closing any file of that name gives up the lock on it
            self._copy(copy)
        Store(copy)._migrate()  # moves what is in the log into the file
        shutil.copymode(self._file, copy)
        return copy

    def _copy(self, copy: Path) -> None:
        with self.read():
            sources = [path for path in (self._file, _log(self._file)) if path.exists()]
            with ExitStack() as opened:
                # All are closed at the end: where one is, the system forgets DuckDB's lock too.
                files = [opened.enter_context(path.open("rb")) for path in sources]
                for path, file in zip((copy, _log(copy)), files, strict=False):
                    with path.open("wb") as to:
                        shutil.copyfileobj(file, to, _CHUNK)

    def replace_file(self, new: Path, backup: Path, check: Callable[[], None]) -> None:
        """Put the file ``new`` in the store's place while nobody has it open, after ``check``; an
        existing file is kept as ``backup``. Both must be on the store's disk."""
        deadline = time.monotonic() + self.timeout
        with _IN_PROCESS, wait_for_turn(self.runs_folder, deadline=deadline):
            self._check_not_held()
            _let_go(self._file)
            self._wait_for_others(deadline)
            check()
            for old, name in ((_log(self._file), _log(backup)), (self._file, backup)):
                if old.exists():
                    _link(old, name)
            if self._file.exists():
                shutil.copymode(self._file, new)
            _log(self._file).unlink(missing_ok=True)  # it would be read into the new file
            new.replace(self._file)

    def _check_not_held(self) -> None:
        """Raise RuntimeError inside a ``hold``: a StoreError would pass for a busy file, which some
        callers leave as it is."""
        if self._file in _held:
            raise RuntimeError(f"The store {self.path} is written while it is held for reading.")

    def _wait_for_others(self, deadline: float) -> None:
        """Until nobody has the store open; a file that cannot be opened is nobody's."""
        if not self._file.exists():
            return
        name = f"store{next(_names)}"
        try:
            with _instance.use() as instance:
                self._attach(instance, name, read_only=False, deadline=deadline)
                instance.execute(f"DETACH {name}")
        except (StoreLockedError, StoreReadOnlyError):
            raise
        except (StoreError, duckdb.Error):
            return

    def _migrate(self) -> None:
        with self.write():
            pass

    @contextmanager
    def _opened(
        self, deadline: float, *, read_only: bool
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, bool]]:
        """A connection, and whether the store has all that this release keeps."""
        if not read_only:
            self._check_not_held()
        if name := self._take_kept():
            with _instance.use() as instance, self._attached(instance, name, current=True) as there:
                yield there
            return
        name = f"store{next(_names)}"
        with (
            _instance.use() as instance,
            wait_for_turn(self.runs_folder, deadline=deadline) as turn,
        ):
            if not read_only and not self._file.exists():
                new_file.make(instance, self._file, self.path)
            self._attach(instance, name, read_only=read_only, deadline=deadline)
            if read_only:
                turn.close()  # others may read at the same time
            with self._attached(instance, name, read_only=read_only) as there:
                yield there

    def _take_kept(self) -> str:
        """The name under which the file was left attached, empty where it was not or where another
        file has taken its place."""
        if self._file not in _kept:
            return ""
        with contextlib.suppress(OSError):
            name, inode, _ = _kept[self._file]
            if self._file.stat().st_ino == inode:
                del _kept[self._file]
                return name
        _let_go(self._file)
        return ""

    @contextmanager
    def _attached(
        self,
        instance: duckdb.DuckDBPyConnection,
        name: str,
        *,
        read_only: bool = False,
        current: bool = False,
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, bool]]:
        """A connection to the file that is attached as ``name``, and whether the store has all that
        this release keeps; ``current`` where that is known. The file is detached after it, or left
        for the next operation."""
        connection, stays = instance.cursor(), False
        try:
            connection.execute(f"USE {name}")
            if not current:
                current = migrations.check(connection, self.path)
                if current and _sound.get(self._file) != _state(self._file):
                    structure.check(connection, self.path)
            yield connection, current
            stays = current and not read_only and self._file in _keepers
        except duckdb.Error as error:
            raise structure.told(error, connection, self.path) from error
        finally:
            connection.close()
            state = self._file.stat() if stays and self._file.exists() else None
            if state is not None:
                _kept[self._file] = name, state.st_ino, time.monotonic()
            else:
                _detach(instance, name)
        _sound[self._file] = _state(self._file)  # whatever changed it was ours

    def _attach(
        self, instance: duckdb.DuckDBPyConnection, name: str, *, read_only: bool, deadline: float
    ) -> None:
        check_file(self.path)
        sound = sound_part(_log(self._file))
        if sound is not None and sound == sound_part(_log(self._file)):  # nobody writes it now
            raise damaged_log(self.path, sound)
        try:
            for attempt in stamina.retry_context(
                on=is_held,
                attempts=None,
                timeout=max(0.001, deadline - time.monotonic()),
                # A tenth longer each time: short waits end soon, long ones cost little.
                wait_initial=0.001,
                wait_exp_base=1.1,
                wait_max=0.02,
                wait_jitter=0.001,
            ):
                with attempt:
                    attach(instance, self._file, name, read_only=read_only)
        except duckdb.Error as error:
            if is_held(error):
                _last_refusal.at = time.monotonic()
            raise translate(error, self.path) or StoreError(
                f"The store {self.path} could not be opened ({first_line(error)})."
            ) from error


class _DatabaseInstance:
    """This process's database instance, for one thread at a time."""

    def __init__(self) -> None:
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._users = 0
        self._failed = False

    @contextmanager
    def use(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The instance; after any trouble the next user gets another one, because DuckDB refuses
        all further work on one that met a broken file."""
        if self._connection is None:
            # Large queries may need more than memory; by default that lands in the current folder.
            spill = Path(tempfile.gettempdir()) / f"dcq-{os.getpid()}"
            self._connection = duckdb.connect(":memory:", config={"temp_directory": str(spill)})
        self._users += 1
        try:
            yield self._connection
        except BaseException:
            self.fail()
            raise
        finally:
            self._users -= 1
            if self._failed and not self._users:
                self.close()

    def fail(self) -> None:
        """Let the next user have another one."""
        self._failed = True

    def close(self) -> None:
        """End it, if there is one."""
        if self._connection is not None:
            self._connection.close()
            _kept.clear()
        self._connection, self._failed = None, False


class _Refusal:
    """When another process last kept this one from the store."""

    at = -math.inf  # by the monotonic clock


_last_refusal = _Refusal()
_instance = _DatabaseInstance()
atexit.register(_instance.close)  # DuckDB's binding complains of what outlives the interpreter


def _detach(instance: duckdb.DuckDBPyConnection, name: str) -> None:
    """Close a file. That moves what was written from the log into it, for which a full disk has no
    room; what was committed is safe in the log."""
    try:
        instance.execute(f"DETACH {name}")
    except duckdb.Error:
        _instance.fail()


def _let_go(file: Path) -> None:
    """Close a file that was left open; the caller has the lock of this process."""
    if file in _kept:
        name, *_ = _kept.pop(file)
        with _instance.use() as instance:
            _detach(instance, name)
        _sound[file] = _state(file)


def _watch() -> None:
    """Close files that are left open when other processes wait for them, or nobody uses them; ends
    with the last one that is to be left open."""
    while True:
        time.sleep(_LOOK)
        for file, (*_, used_at) in list(_kept.items()):
            if time.monotonic() - used_at > _IDLE or _is_wanted(file):
                with _IN_PROCESS:
                    _let_go(file)
        with _IN_PROCESS:
            if not _keepers:
                _watching.clear()
                return


def _is_wanted(file: Path) -> bool:
    """Whether another process waits for a store, or might without our seeing it."""
    try:
        with _lock_file(_runs_folder(file)).open("ab") as lock:
            return not lock_descriptor(lock.fileno(), blocking=False)
    except OSError:
        return True


def _runs_folder(file: Path) -> Path:
    return file.with_suffix(".runs")


def _lock_file(folder: Path) -> Path:
    return folder / "store.lock"


def _log(file: Path) -> Path:
    """Where DuckDB keeps what is committed and not yet in the file."""
    return file.with_name(f"{file.name}.wal")


def _state(file: Path) -> Hashable:
    """A value that differs once another program has written to the file; None without one."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _link(old: Path, name: Path) -> None:
    """Hard-link a file under a second name, so that a crash never leaves it without a name; copy it
    where the file system has no hard links."""
    try:
        os.link(old, name)
    except OSError:
        shutil.copy2(old, name)


@contextmanager
def wait_for_turn(folder: Path, *, deadline: float) -> Iterator[ExitStack]:
    """Wait in the queue, and hold the first place until the block ends or the stack is closed. Past
    the ``deadline`` (monotonic clock), or where ``folder`` cannot be written, the block runs
    without it: DuckDB has a lock of its own, whose error names the holder."""
    with ExitStack() as turn:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            lock = turn.enter_context(_lock_file(folder).open("ab")).fileno()
            while not lock_descriptor(lock, blocking=False) and time.monotonic() < deadline:
                time.sleep(random.uniform(0.002, 0.008))  # noqa: S311  (jitter, not a secret)
        yield turn
