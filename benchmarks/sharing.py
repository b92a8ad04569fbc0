"""Three writers and five readers on one store at once: how long each waits for its turn.

    python -m benchmarks.sharing [--seconds 10] [--writers 3] [--readers 5]

Every one is a process of its own. A writer keeps a batch of answers every half second, as the
worker does; a reader asks how far the run is every second, as the app does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import read_options
from benchmarks.material import fill
from dcq import settings
from dcq.asking import prepare
from dcq.models.endpoints import resolve
from dcq.quiz.method import QUIZ
from dcq.records import Answer, Outcome
from dcq.store import Store, run_progress
from dcq.store.answers import add_answers
from tests.support import commands

WRITE_EVERY, READ_EVERY, BATCH = 0.5, 1.0, 50  # seconds, seconds, answers
MOST_WAIT = 1.0  # seconds, for 99 of 100 operations


@dataclass(frozen=True)
class Shared:
    """What came of it: seconds of each operation from asking to done, and sentences of those that
    failed; ``lost`` counts answers that were kept and are not there."""

    waits: tuple[float, ...]
    failures: tuple[str, ...]
    lost: int

    @property
    def p99(self) -> float:
        """Seconds that 99 of 100 operations stay below."""
        return float(np.quantile(self.waits, 0.99))


def share(path: Path, *, writers: int, readers: int, seconds: float) -> Shared:
    """Let so many processes work on the store at ``path`` for so long."""
    store = Store(path)
    quiz_id = fill(store, items=BATCH)
    endpoint = resolve("model@http://127.0.0.1:9/v1", settings.load())
    run_ids = [prepare.plan_run(store, QUIZ, quiz_id, endpoint) for _ in range(writers)]
    roles = [("write", run_id) for run_id in run_ids]
    roles += [("read", run_ids[number % writers]) for number in range(readers)]
    with TemporaryDirectory() as folder:
        printed = [Path(folder, str(number)) for number in range(len(roles))]
        children = [
            commands.fork(
                _child, (role, str(path), run_id, str(seconds)), os.environ, str(out), os.devnull
            )
            for (role, run_id), out in zip(roles, printed, strict=True)
        ]
        for child in children:
            child.join()
        reports = [json.loads(out.read_text("utf-8")) for out in printed]
    stored = sum(report["kept"] for report in reports)
    with store.read() as db:
        row = db.execute("SELECT count(*) FROM answer").fetchone()
    return Shared(
        waits=tuple(wait for report in reports for wait in report["waits"]),
        failures=tuple(failure for report in reports for failure in report["failures"]),
        lost=stored - (row[0] if row else 0),
    )


def _child(words: list[str]) -> None:
    """One process: what it is to do, and for how many seconds."""
    role, path, run_id, seconds = words
    print(json.dumps(_work(role, Store(Path(path)), run_id, float(seconds))))


def _work(role: str, store: Store, run_id: str, seconds: float) -> dict[str, object]:
    """One process's part; an operation that fails is noted and the next one tried."""
    waits: list[float] = []
    failures: list[str] = []
    stored = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            if role == "write":
                add_answers(store, run_id, _batch(len(waits)))
                stored += BATCH
            else:
                run_progress.progress(store, [run_id])
        except Exception as error:
            failures.append(f"{type(error).__name__}: {error}")
        waits.append(time.monotonic() - began)
        time.sleep(max(0.0, (WRITE_EVERY if role == "write" else READ_EVERY) - waits[-1]))
    return {"waits": waits, "failures": failures, "kept": stored}


def _batch(attempt: int) -> Sequence[Answer]:
    now = datetime.now(UTC)
    return [
        Answer(n, attempt, Outcome.ANSWERED, "D", "", "D", "", 200, 1, 0.1, 1, {}, None, now)
        for n in range(BATCH)
    ]


def main() -> None:
    """Share a new store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--readers", type=int, default=5)
    arguments = read_options(parser, seconds=0.5, writers=1, readers=1)
    with TemporaryDirectory() as folder:
        report = share(
            Path(folder) / "dcq.duckdb",
            writers=arguments.writers,
            readers=arguments.readers,
            seconds=arguments.seconds,
        )
    print(
        f"{len(report.waits)} operations, {len(report.failures)} failed, {report.lost} answers "
        f"lost; median {np.median(report.waits):.3f} s, 99 % within {report.p99:.3f} s, "
        f"longest {max(report.waits):.3f} s"
    )
    for failure in sorted(set(report.failures)):
        print(failure)
    slow = report.p99 > MOST_WAIT and not arguments.quick
    sys.exit(bool(report.failures or report.lost or slow))


if __name__ == "__main__":
    from benchmarks.sharing import main as begin  # by this name other processes find its functions

    begin()
