"""What it takes to start the command line: seconds of processor time of the whole process, user and
system, beside an empty Python.

    python -m benchmarks.startup [--runs 9]

The median of several runs each, one after the other, on a store of its own with a sample in it.
Processor time and not time on the clock, because a busy machine changes that much less.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import read_options

CALLS: Mapping[str, Sequence[str]] = {
    "python -c pass (the peer)": ["-c", "pass"],
    "python -c 'import typer, duckdb'": ["-c", "import typer, duckdb"],
    "dcq --help": ["-m", "dcq", "--help"],
    "dcq kappa --correct 65 --n 100": ["-m", "dcq", "kappa", "--correct", "65", "--n", "100"],
    "dcq status": ["-m", "dcq", "status"],
    "dcq status --json": ["-m", "dcq", "status", "--json"],
    "dcq datasets": ["-m", "dcq", "datasets"],
    "dcq results": ["-m", "dcq", "results"],
}


def processor_seconds(words: Sequence[str], environment: Mapping[str, str]) -> float:
    """User and system time of one call of Python."""
    process = subprocess.Popen([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Processor time of the command line's start.")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--calls", nargs="*", default=list(CALLS), choices=list(CALLS))
    arguments = read_options(parser, runs=1, calls=["python -c pass (the peer)", "dcq status"])
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"DCQ_STORE": str(Path(folder) / "dcq.duckdb")}
        sample = ["-m", "dcq", "sample", "control-news", "test", "--n", "10"]
        processor_seconds(sample, environment)
        for name in arguments.calls:
            times = [processor_seconds(CALLS[name], environment) for _ in range(arguments.runs)]
            print(f"{name:34} {statistics.median(times):.3f} s (least {min(times):.3f})")


if __name__ == "__main__":
    main()
