"""The process that decodes a stranger's file, without the time that Python takes to start.

Two thirds of what ``dcq.incoming.reader_process`` takes for a bundle is imports. Here its process
is forked, as in ``commands.py``, and has limits, streams and an end of its own. Started as it is it
stays in ``tests/partitions`` and ``tests/incoming``, and wherever a test of a bundle is about a
file that is damaged or takes too much.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from dcq.incoming import reader_process
from tests.support import commands, kept_open, read_child

_SECONDS = 120


class _Child:
    """As the ``subprocess.Popen`` of a reader; it has ended when it is there."""

    def __init__(self, words: Sequence[str], **_: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "stdout")
            out.touch()
            with kept_open.unconcerned():  # it knows of no store
                process = commands.fork(
                    read_child.read, words[3:], os.environ, str(out), os.devnull
                )
            process.join(_SECONDS)
            assert process.exitcode is not None
            self._code = process.exitcode
            self.stdout: IO[bytes] = out.open("rb")

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdout.close()

    def wait(self) -> int:
        return self._code

    def kill(self) -> None:
        """It has ended."""


def fork(patch: pytest.MonkeyPatch) -> None:
    """From then on these processes are forked."""
    pipes = {"PIPE": subprocess.PIPE, "DEVNULL": subprocess.DEVNULL}
    patch.setattr(reader_process, "subprocess", SimpleNamespace(Popen=_Child, **pipes))
