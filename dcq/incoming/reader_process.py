"""Running a reader of files in a process of its own, with a limit on memory.

A parser can take far more than the file has bytes before anything that it returns can be counted.
Only a limit on the process holds then (see ``child``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import IO, Any

from dcq.errors import DcqError, InputError
from dcq.incoming.child import TOO_LARGE
from dcq.incoming.memory import LIMIT, Budget, too_large
from dcq.incoming.plain_file import check_plain

_ROOT = Path(__file__).resolve().parents[2]
_CHILD = Path(__file__).with_name("child.py")
_SECONDS = 300.0  # more than any file below the limits takes
_VALUE, _REFUSED = b"=", b"!"  # what a line from the process begins with

Reader = Callable[[Path], Iterable[Any]]


def values(reader: Reader, path: Path, refusal: InputError, name: str = "") -> Iterator[Any]:
    """The values that ``reader`` yields for ``path``, run in another process: values that JSON can
    hold, which together take at most ``memory.LIMIT`` bytes.

    ``reader`` is a function of a module that imports little. ``name`` is the file's name in errors,
    if not its own. Raises InputError as the reader does; ``refusal`` where it fails in any other
    way; and PartitionError where the process or the values take too much.
    """
    check_plain(path)  # the other process would wait for it
    name = name or path.name
    words = [name, reader.__module__, reader.__name__, str(path.absolute())]
    with output((__name__, "write_values"), words, LIMIT, LIMIT, name, refusal) as lines:
        for line in lines:
            if not line.endswith(b"\n"):  # it ended within: its exit code says why
                break
            value = json.loads(line[1:])
            if line.startswith(_REFUSED):
                raise InputError(value)
            yield value


def write_values(limit: int, name: str, module: str, function: str, path: str) -> int:
    """In the other process: write what the reader yields, a line for each value."""
    budget = Budget(name, limit)
    try:
        for value in getattr(import_module(module), function)(Path(path)):
            text = json.dumps(value)
            budget.spend_json(text)
            _write(_VALUE, text)
    except DcqError as error:
        _write(_REFUSED, json.dumps(str(error)))
    return 0


def _write(kind: bytes, text: str) -> None:
    sys.stdout.buffer.write(kind + text.encode("ascii") + b"\n")


@contextmanager
def output(
    function: tuple[str, str], words: Iterable[str], limit: int, most: int, name: str,
    refusal: DcqError,
) -> Iterator[IO[bytes]]:  # fmt: skip
    """What a ``function`` (module, name) writes to stdout in another process, limited to ``most``
    bytes; it is called with ``limit`` and ``words``. At the end raises PartitionError, which calls
    the file ``name``, where that was too little, and ``refusal`` where the function failed."""
    arguments = [str(_ROOT), *function, str(limit), str(most), *words]
    with subprocess.Popen(  # noqa: S603  (our own script)
        [sys.executable, "-P", str(_CHILD), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        timer = Timer(_SECONDS, child.kill)
        timer.start()
        try:
            assert child.stdout is not None  # noqa: S101  (a pipe)
            yield child.stdout
            code = child.wait()
        finally:
            timer.cancel()
            child.kill()
    if code == TOO_LARGE:
        raise too_large(name, limit)
    if code:
        raise refusal
