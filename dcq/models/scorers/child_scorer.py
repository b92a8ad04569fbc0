"""Likelihoods under a GGUF file, computed in a process of our own (``child``)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dcq.errors import EndpointBusyError
from dcq.models.scorers.child import ERRORS
from dcq.models.scorers.frames import read_frame, write_frame
from dcq.models.scorers.likelihood import Likelihood, Numbers, ScoredText
from dcq.places import PROCESS_FOLDER, PYTHON

_STOP_SECONDS = 5.0
# A BLAS thread waits for the others by spinning: on a machine that has other work, several took ten
# times as long as one.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ChildScorer:
    """Scores texts under the file at ``path``, in a process of the given ``kind`` (see ``child``).
    The process starts with the first texts, and again after it was lost; ``close`` ends it."""

    def __init__(self, kind: str, path: Path) -> None:
        self._kind = kind
        self._path = path
        self._child: subprocess.Popen[bytes] | None = None
        self._told: Mapping[str, object] = {}
        self._turn = threading.Lock()  # one model, one process
        self._closed = False

    @property
    def settings(self) -> Mapping[str, object]:
        """The file and how scores are computed; the latter once it is loaded."""
        return {"file": self._path.name, **self._told}

    @property
    def pid(self) -> int | None:
        """The process's id, while it runs."""
        child = self._child
        return child.pid if child and child.poll() is None else None

    async def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """See ``Scorer.score``."""
        return await asyncio.to_thread(self._score, texts)

    def close(self) -> None:
        """End the process, also amid a computation; no further one starts."""
        self._closed = True
        if self._child is not None:
            self._child.kill()
        with self._turn:
            self._end()

    def _score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        if not texts:
            return []
        with self._turn:
            try:
                if self.pid is None:
                    self._start()
                document, numbers = self._ask([(text.text, text.context) for text in texts])
            except (EOFError, OSError) as error:
                raise self._lost() from error
        return _read(document, numbers)

    def _start(self) -> None:
        self._end()
        self._child = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
            [*PYTHON, "-m", "dcq.models.scorers.child", self._kind, str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=PROCESS_FOLDER,
        )
        if self._closed:  # meanwhile
            self._child.kill()
        self._told = self._hear()[0]["settings"]

    def _ask(self, texts: Sequence[tuple[str, str]]) -> tuple[Any, Numbers]:
        child = self._child
        assert child is not None  # noqa: S101  (started)
        assert child.stdin is not None  # noqa: S101  (a pipe)
        write_frame(child.stdin, texts)
        return self._hear()

    def _hear(self) -> tuple[Any, Numbers]:
        """The next message; raises the error that it tells."""
        child = self._child
        assert child is not None  # noqa: S101  (started)
        assert child.stdout is not None  # noqa: S101  (a pipe)
        document, numbers = read_frame(child.stdout)
        if name := document.get("error"):
            raise ERRORS[name](document["message"])
        return document, numbers

    def _lost(self) -> EndpointBusyError:
        """The error for a process that ended by itself."""
        self._end()
        return EndpointBusyError(
            f"The process that scores texts under {self._path.name} ended unexpectedly, as it does"
            " when memory runs out or the file is damaged; free some memory or choose a smaller"
            " model, and try again."
        )

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):  # what was not sent yet
                assert pipe is not None  # noqa: S101  (asked for)
                pipe.close()
        try:
            child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _read(document: Any, numbers: Numbers) -> list[Likelihood]:
    ends = np.cumsum([3 * tokens for tokens in document["tokens"]])[:-1]
    parts = [part.reshape(3, -1) for part in np.split(numbers, ends)]
    return [
        Likelihood(logprobs, means, spreads, tuple(pieces))
        for (logprobs, means, spreads), pieces in zip(parts, document["pieces"], strict=True)
    ]


def _environment() -> dict[str, str]:
    """Our environment without any key, since the process calls no provider, and with one thread."""
    environment = {name: value for name, value in os.environ.items() if "KEY" not in name.upper()}
    return environment | _ONE_THREAD
