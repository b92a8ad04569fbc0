"""The process that scores texts under a GGUF file: ``-m dcq.models.scorers.child KIND PATH``.

A process of its own, because a stranger's file and native code may crash it or take all memory, and
because numpy reads how many threads it may use when it is imported. It reads requests from standard
input, answers on standard output (see ``frames``), and ends with standard input.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NoReturn

import numpy as np

from dcq.errors import EndpointError, EndpointRefusedError, RequestRejectedError
from dcq.incoming.child import limit_memory
from dcq.models.scorers.engine import Engine, score
from dcq.models.scorers.frames import read_frame, write_frame
from dcq.models.scorers.likelihood import Likelihood, ScoredText

# Bytes that a model may take: a base, and for each byte of its file, which has at most two weights,
# their 32-bit floats, once as they are read and once as they are joined.
_BASE_MEMORY, _MEMORY_PER_FILE_BYTE = 4 * 2**30, 16
NUMPY, LLAMA_CPP = "numpy", "llama.cpp"
# Errors by the name under which they go to the parent.
ERRORS: dict[str, type[EndpointError]] = {
    "refused": EndpointRefusedError,
    "rejected": RequestRejectedError,
}


def main(kind: str, path: str) -> NoReturn:
    """Load the model, send its settings, and answer requests until standard input closes; that ends
    the process."""
    # Ctrl-C reaches the whole process group; our parent ends us when it is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What native code prints must not get between the answers.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: SimpleQueue[list[ScoredText]] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    try:
        limit_memory(_BASE_MEMORY + _MEMORY_PER_FILE_BYTE * _file_size(path))
        engine = _load_engine(kind, Path(path))
    except EndpointError as error:
        _write_error(out, error)
        os._exit(1)
    except MemoryError:
        os._exit(1)  # without a word, as where the system ends it
    write_frame(out, {"settings": dict(engine.settings)})
    while True:
        try:
            _write_likelihoods(out, score(engine, requests.get()))
        except EndpointError as error:
            _write_error(out, error)


def _listen(pipe: IO[bytes], requests: SimpleQueue[list[ScoredText]]) -> None:
    """Queue the requests from ``pipe``; when it closes or a request is broken, end the process at
    once, even during a computation."""
    try:
        while True:
            texts, _ = read_frame(pipe)
            requests.put([ScoredText(text, context) for text, context in texts])
    finally:
        os._exit(0)


def _file_size(path: str) -> int:
    """Bytes; 0 if the file cannot be read."""
    try:
        return Path(path).stat().st_size
    except OSError:  # which loading will say in a sentence
        return 0


def _load_engine(kind: str, path: Path) -> Engine:
    if kind == NUMPY:
        from dcq.models.scorers.llama import Llama

        return Llama(path)
    from dcq.models.scorers.llama_cpp import LlamaCpp

    return LlamaCpp(path)


def _write_likelihoods(out: IO[bytes], likelihoods: list[Likelihood]) -> None:
    arrays = (
        array
        for likelihood in likelihoods
        for array in (likelihood.logprobs, likelihood.means, likelihood.spreads)
    )
    numbers = [array for array in arrays if array is not None]  # an engine leaves none out
    pieces = [likelihood.pieces for likelihood in likelihoods]
    tokens = [likelihood.tokens for likelihood in likelihoods]
    write_frame(out, {"tokens": tokens, "pieces": pieces}, np.concatenate(numbers))


def _write_error(out: IO[bytes], error: EndpointError) -> None:
    name = next(name for name, kind in ERRORS.items() if isinstance(error, kind))
    write_frame(out, {"error": name, "message": str(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
