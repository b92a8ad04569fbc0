"""Processes that scan parts of a corpus. They end when the process that started them ends, however
that happens."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.synchronize import Event
from pathlib import Path
from types import ModuleType

from dcq.incoming.child import limit_memory
from dcq.incoming.memory import LIMIT
from dcq.overlap.meteor import MeteorSettings
from dcq.overlap.scan.arrow_files import FORMS
from dcq.overlap.scan.index import Index
from dcq.overlap.scan.shards import Shard, ShardResult, scan_shard

_MOST_MEMORY = 2 * LIMIT  # of a process, beyond what it has at its start
_WORTH_PROCESS = 32_000_000  # bytes that take as long to scan as a process to start
LOST = "The system ended a scanning process, perhaps for want of memory; go on with fewer processes"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worth(size: int) -> int:
    """How many processes pay off for so many bytes."""
    return min(cores(), 1 + size // _WORTH_PROCESS)


def apart(count: int, forms: Iterable[str]) -> bool:
    """Whether files of these ``forms`` are scanned in ``count`` other processes rather than in this
    one. Parquet and Arrow are always decoded in another process, where memory has a limit."""
    return count > 1 or (count == 1 and not FORMS.isdisjoint(forms))


class Scanners:
    """``count`` processes with one index and a limit on memory. Leaving the block stops them."""

    def __init__(self, index: Index, settings: MeteorSettings, count: int) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks of our threads
        self._stop = context.Event()
        # In a file, not among the arguments: these are written to a pipe that we hold open too, and
        # if a new process is killed before it reads them all, writing would wait for ever.
        self._job = tempfile.NamedTemporaryFile(suffix=".scan")  # noqa: SIM115  (closed on exit)
        pickle.dump((index, settings), self._job)
        self._job.flush()
        self._pool = ProcessPoolExecutor(count, context, _prepare, (self._job.name, self._stop))

    def __enter__(self) -> Scanners:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop()
        if kind is not None:
            # A pool that lost a process sends the others SIGTERM and waits for them; one that was
            # just being started has been seen not to end by it.
            for process in list(self._pool._processes.values()):
                process.kill()
        self._pool.shutdown(cancel_futures=True)
        self._job.close()

    def submit(self, shard: Shard) -> Future[ShardResult | None]:
        """The result of scanning ``shard``; None if the scan was stopped."""
        with _without_main():
            return self._pool.submit(_work, shard)

    def stop(self) -> None:
        """Start no further shard."""
        self._stop.set()


@contextmanager
def _without_main() -> Iterator[None]:
    """Processes that are started meanwhile do not run the caller's script again, as they do for the
    sake of functions in it, whether or not it minds."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@dataclass(frozen=True)
class _Job:
    index: Index
    settings: MeteorSettings
    stop: Event


_jobs: list[_Job] = []  # of this process: the one that it was started for


def _prepare(path: str, stop: Event) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started us says when to stop
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_memory(_MOST_MEMORY)
    with Path(path).open("rb") as file:
        index, settings = pickle.load(file)  # noqa: S301  (written by the process that started us)
    _jobs[:] = [_Job(index, settings, stop)]


def _end_with_parent() -> None:
    """A process that waits for work does not see that nobody is left to give it any."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(shard: Shard) -> ShardResult | None:
    [job] = _jobs
    return scan_shard(shard, job.index, job.settings, job.stop.is_set)
