"""Output whose reader has had enough, as in ``dcq results | head``, which is no error."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class _Pipe(io.FileIO):
    """A file that takes all that is written to it; once nobody reads it, it keeps none."""

    def write(self, data: Any) -> int:
        """As the base class does; once the reader has closed its end, nothing happens."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(data)


def allow_closing() -> None:
    """Let the readers of stdout and stderr close them: the command then ends as it would have, with
    its own exit code. What a terminal cannot show, such as κ, is written as its number."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        stream.flush()
        try:
            number = stream.fileno()
        except io.UnsupportedOperation:  # kept in memory by whoever runs the command in a process
            stream.reconfigure(errors="backslashreplace")
            continue
        written = io.BufferedWriter(_Pipe(number, "wb", closefd=False))
        new = io.TextIOWrapper(
            written,
            encoding=stream.encoding,
            errors="backslashreplace",
            line_buffering=stream.line_buffering or name == "stderr",
        )
        setattr(sys, name, new)
