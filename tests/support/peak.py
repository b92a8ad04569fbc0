"""What reading a file takes at most, measured where nothing else is counted: another process."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dcq.errors import DcqError
from tests.support import commands


@dataclass(frozen=True)
class Peak:
    """``before`` and ``peak`` in MB of resident memory, of the process or its largest child;
    ``said`` is the error's sentence, empty without one; ``opened`` the files that Python opened."""

    before: float
    peak: float
    said: str
    opened: tuple[str, ...]


def measure(work: str, path: Path, *, imports: str) -> Peak:
    """Run ``work``, a statement in which ``path`` is the file, after ``imports``."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "stdout"), Path(folder, "stderr")
        process = commands.fork(
            _measure, [imports, work, str(path)], os.environ, str(out), str(err), daemon=False
        )
        process.join(280)
        process.kill()
        process.join()
        assert process.exitcode == 0, err.read_text("utf-8")[-2000:]
        found = json.loads(out.read_text("utf-8").splitlines()[-1])
    return Peak(found["before"], found["peak"], found["said"], tuple(found["opened"]))


def _measure(words: list[str]) -> None:
    imports, work, path = words
    opened: list[str] = []
    sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
    names = {"path": Path(path)}
    exec(imports, names)  # noqa: S102  (a test's own)
    before = commands.peak()
    said = ""
    try:
        exec(work, names)  # noqa: S102
    except DcqError as error:
        said = str(error)
    peak = max(commands.peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    print(json.dumps({"before": before, "peak": peak, "said": said, "opened": opened}), flush=True)
