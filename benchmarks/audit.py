"""Seconds and memory of auditing a file of 131,880 answers: 7 models, 165 partitions.

    python -m benchmarks.audit [--rows 131880]

The file is made again, once with the original in one slot and once rotated through four; 60 of the
partitions are controls. Answers are letters with some prose between.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks import read_options

MODELS, PARTITIONS, ROWS = 7, 165, 131_880
LETTERS = np.array(list("ABCD"))


def make_file(path: Path, rows: int, partitions: int, *, rotated: bool) -> None:
    """Write answers whose controls are 40 % right and targets 60 %."""
    rng = np.random.default_rng(0)
    row = np.arange(rows)
    cell = row % (MODELS * partitions)
    turn = row // (MODELS * partitions)
    partition = cell % partitions
    control = partition < 4 * partitions // 11
    slot = turn % 4 if rotated else np.full(rows, 3)
    right = rng.random(rows) < np.where(control, 0.4, 0.6)
    letter = LETTERS[np.where(right, slot, (slot + rng.integers(1, 4, rows)) % 4)]
    prose = rng.random(rows) < 0.2
    pd.DataFrame(
        {
            "model": np.char.add("model-", (cell // partitions).astype(str)),
            "partition": np.char.add("book-", partition.astype(str)),
            "role": np.where(control, "control", "target"),
            "instance_id": turn // 4 if rotated else turn,
            "correct": LETTERS[slot],
            "answer": np.where(prose, np.char.add(letter, ") the passage as printed"), letter),
        }
    ).to_csv(path, index=False)


def main() -> None:
    """Print seconds, of the wall and of the processor, and the peak memory of each audit."""
    parser = argparse.ArgumentParser(description="Seconds and memory of a large audit.")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--partitions", type=int, default=PARTITIONS)
    arguments = read_options(parser, rows=4 * MODELS * 11, partitions=11)
    with TemporaryDirectory() as folder:
        for rotated in (True,) if arguments.quick else (False, True):
            path = Path(folder) / "answers.csv"
            make_file(path, arguments.rows, arguments.partitions, rotated=rotated)
            started = time.perf_counter()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-m", "dcq", "audit", str(path), "--json"],
                stdout=subprocess.DEVNULL,
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(
                f"{'rotated' if rotated else 'one slot'}: {time.perf_counter() - started:.1f} s, "
                f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} s of "
                f"processor, {after.ru_maxrss / 1024:.0f} MB"
            )


if __name__ == "__main__":
    main()
