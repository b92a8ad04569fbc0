"""``python -m dcq`` in processes of their own that need no time to start.

Python and our imports take more than a second, most tests of commands a fraction of that. So these
processes are forked from one that has the imports done. They have an environment, streams, memory
and an end of their own, as those that a person starts; what is not tried here is the start itself.
That is tried in ``test_startup.py``, ``test_walk.py`` and ``test_secrets.py`` of ``tests/cli``, in
``test_launch.py`` of ``tests/asking``, and in ``test_walk.py`` and ``test_installed.py`` of
``tests/browser``.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from dcq.cli import COMMANDS, main
from dcq.jobs.process import ExitCode
from dcq.store import Store

_STARTING = threading.Lock()
_FORKS = multiprocessing.get_context("forkserver")
_server: Any = forkserver._forkserver
PRELOADED = (
    "tests.support.commands",
    *sorted(f"dcq.commands.{file}" for file in set(COMMANDS.values())),
    # What these import when they need it.
    *("openai", "openai.resources.chat", "openai.resources.models", "rich.progress", "rich.table"),
    *("genai_prices", "duckdb", "pyarrow.parquet", "charset_normalizer"),
    *("dcq.overlap.scan.scan", "dcq.files.variant_sheet", "dcq.files.bundle_import"),
    "tests.support.read_child",
)


def start(
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    stdout: str = os.devnull,
    stderr: str = os.devnull,
    *,
    tell_peak: bool = False,
    daemon: bool = True,
) -> ForkServerProcess:
    """Start ``python -m dcq`` with ``words``; what it prints is added to these files. With
    ``tell_peak`` it ends with how much memory it took at most. ``daemon`` as in ``fork``."""
    variables = os.environ if environment is None else environment
    work = _command_and_peak if tell_peak else _command
    return fork(work, words, variables, stdout, stderr, daemon=daemon)


def fork(
    work: Callable[[list[str]], None],
    words: Sequence[str],
    environment: Mapping[str, str],
    stdout: str,
    stderr: str,
    preloaded: Sequence[str] = PRELOADED,
    *,
    daemon: bool = True,
) -> ForkServerProcess:
    """Start ``work(words)`` in a process of its own; the first call settles what is preloaded.

    The end of the tests need not wait for a ``daemon`` that is still at work; another one may start
    processes by ``multiprocessing``."""
    _FORKS.set_forkserver_preload(list(preloaded))
    process = _FORKS.Process(
        target=_be, args=(work, list(words), dict(environment), stdout, stderr), daemon=daemon
    )
    with _without_main_module():
        process.start()
    return process


def begin(preloaded: Sequence[str]) -> None:
    """Start the process that others are forked from; it has these modules, whatever is asked of it
    later."""
    _FORKS.set_forkserver_preload(list(preloaded))
    with _without_main_module():
        forkserver.ensure_running()


def place() -> str:
    """Where that process is asked for others."""
    return str(_server._forkserver_address)


def be_sibling(place: str) -> None:
    """In a process that was forked: what this starts is forked from where it came from itself, and
    not from one of its own, which would have to import all once more."""
    _server._forkserver_address = place
    _server.ensure_running = lambda: None


def run(
    *words: str,
    environment: Mapping[str, str] | None = None,
    timeout: float = 120,
    tell_peak: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m dcq`` with ``words`` to its end, as ``subprocess.run`` would."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "stdout"), Path(folder, "stderr")
        process = start(words, environment, str(out), str(err), tell_peak=tell_peak)
        process.join(timeout)
        if (code := process.exitcode) is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(words), timeout)
        return subprocess.CompletedProcess(
            list(words), code, out.read_text("utf-8"), err.read_text("utf-8")
        )


def spawn(store: Store, words: Sequence[str], output: IO[bytes]) -> ExitCode:
    """In place of ``dcq.jobs.process.spawn``."""
    environment = os.environ | {"DCQ_STORE": str(store.path.absolute())}
    process = start(words, environment, output.name, output.name)
    codes: list[int | None] = []

    def wait() -> None:
        process.join()
        codes.append(process.exitcode)

    threading.Thread(target=wait, daemon=True).start()
    return lambda: codes[0] if codes else None


@contextmanager
def _without_main_module() -> Iterator[None]:
    """What is forked runs the main module of its parent once more: here pytest's or, after a test
    of a page, that page."""
    with _STARTING:
        main_module = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main_module


def _command(words: list[str]) -> None:
    sys.argv = ["dcq", *words]
    main()


def _command_and_peak(words: list[str]) -> None:
    try:
        _command(words)
    finally:
        print(f"peak {peak():.0f} MB", file=sys.stderr)


def peak() -> float:
    """The most MB of memory that this process took, and not the one that started it, from which
    ``ru_maxrss`` begins."""
    status = Path("/proc/self/status").read_text("ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def _be(
    work: Callable[[list[str]], None],
    words: list[str],
    environment: dict[str, str],
    stdout: str,
    stderr: str,
) -> None:
    os.setsid()  # as ``process.spawn`` has it
    os.environ.clear()
    os.environ.update(environment)
    for stream, path in ((sys.stdout, stdout), (sys.stderr, stderr)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, stream.fileno())
        os.close(file)
    try:
        work(words)
    finally:
        atexit._run_exitfuncs()  # a forked process does not do so by itself
