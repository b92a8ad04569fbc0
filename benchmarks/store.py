"""What the pages ask of a store of a million answers, beside the same SQL on a bare connection.

    python -m benchmarks.store [--answers 1000000] [--rounds 5]

Ours waits its turn, opens the store, looks whether its shape is known, asks and makes the frame;
the peer opens a bare connection for the very same SQL and values and makes the frame. Both close
again: nobody may hold the file. What the same takes on a connection that is kept open, and so shuts
everyone else out, stands behind it. Then each page is run in a session without a server.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from streamlit.testing.v1 import AppTest

from benchmarks import read_options
from benchmarks.material import fill_runs
from dcq.settings import ROOT
from dcq.store import Store, choices, quizzes, results, run_progress, runs, samples

PARTITIONS, MODELS = 10, 20
MOST_TIMES = 1.3
MOST_SECONDS = 2.0
PAGES = ("overview", "dataset", "variants", "quiz", "results", "ablation")


class _Tapped(Store):
    """A store that notes the SQL that goes through it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked: list[tuple[str, object]] = []

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with super().read() as db:
            yield _Noting(db, self.asked)  # type: ignore[misc]  # as much of a connection as is used


class _Noting:
    """A connection that notes what it is asked."""

    def __init__(self, db: duckdb.DuckDBPyConnection, asked: list[tuple[str, object]]) -> None:
        self.db, self.asked = db, asked

    def execute(self, sql: str, values: object = None) -> duckdb.DuckDBPyConnection:
        self.asked.append((sql, values))
        return self.db.execute(sql, values)


def best_of(rounds: int, work: Callable[[], object]) -> float:
    """The least seconds of so many tries."""
    timings = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        timings.append(time.perf_counter() - began)
    return min(timings)


def compare(path: Path, rounds: int) -> bool:
    """Print a line for each query; True if none is slower than allowed."""
    store = Store(path)
    run_ids = runs.listing(store)
    [some_quiz, *_] = quizzes.listing(store)["quiz"]
    queries: dict[str, Callable[[Store], object]] = {
        "results.counts, newest": results.counts,
        "results.counts, every run": lambda s: results.counts(s, every_run=True),
        "results.counts, one model": lambda s: results.counts(s, model="model-3", every_run=True),
        "results.item_answers, 20 runs": lambda s: results.item_answers(s, run_ids[:20]),
        "results.positions": lambda s: results.positions(s, run_ids[0], answer="D"),
        "results.answers, 20 rows": lambda s: results.answers(
            s, run_ids[0], positions=list(range(20))
        ),
        "results.load_answer": lambda s: results.load_answer(s, run_ids[0], 7),
        "choices.calls": lambda s: choices.calls(s, run_ids[:1]),
        "run_progress.progress, 8 runs": lambda s: run_progress.progress(s, run_ids[:8]),
        "samples.listing": samples.listing,
        "quizzes.listing": quizzes.listing,
        "quizzes.item_at": lambda s: quizzes.item_at(s, some_quiz, 7),
    }
    met = True
    for name, ask in queries.items():
        tapped = _Tapped(path)
        ask(tapped)
        ours = best_of(rounds, lambda ask=ask: ask(store))  # type: ignore[misc]  # binds the loop's

        def bare(tapped: _Tapped = tapped) -> None:
            with duckdb.connect(str(path), read_only=True) as db:
                ask_again(db, tapped)

        def ask_again(db: duckdb.DuckDBPyConnection, tapped: _Tapped = tapped) -> None:
            for sql, values in tapped.asked:
                db.execute(sql, values).df()

        peer = best_of(rounds, bare)
        with duckdb.connect(str(path), read_only=True) as db:
            kept_open = best_of(rounds, lambda db=db: ask_again(db))  # type: ignore[misc]  # as above
        ratio = ours / peer
        met = met and ratio <= MOST_TIMES
        print(
            f"{name:30} {1000 * ours:7.0f} ms   {ratio:5.2f} times the bare {1000 * peer:.0f} ms"
            f"   ({1000 * kept_open:.0f} ms kept open)"
        )
    return met


def open_pages(path: Path, pages: Sequence[str]) -> bool:
    """Print the seconds to each of ``pages``; True if none takes too long."""
    os.environ["DCQ_STORE"] = str(path)
    met = True
    for page in pages:
        app = AppTest.from_file(ROOT / "app.py", default_timeout=120).run()
        app.switch_page(f"pages/{page}.py").run()  # imports, which a server does once
        seconds = best_of(2, app.run)
        assert not app.exception, app.exception
        met = met and seconds <= MOST_SECONDS
        print(f"page {page:25} {1000 * seconds:7.0f} ms")
    return met


def main() -> None:
    """Make the store, compare the queries, open the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=1_000, help="of each quiz")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", nargs="*", default=PAGES, choices=PAGES)
    arguments = read_options(parser, answers=200, items=20, rounds=1, pages=["overview"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "dcq.duckdb"
        runs_each = arguments.answers // (PARTITIONS * arguments.items)
        store, items = Store(path), arguments.items
        fill_runs(store, partitions=PARTITIONS, items=items, models=MODELS, runs=runs_each)
        print(f"{arguments.answers:,} answers, {path.stat().st_size / 1e6:.0f} MB")
        fast = compare(path, arguments.rounds)
        fast = open_pages(path, arguments.pages) and fast
    sys.exit(0 if fast or arguments.quick else 1)


if __name__ == "__main__":
    main()
