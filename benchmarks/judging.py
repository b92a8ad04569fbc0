"""What it takes to judge a store: seconds for 200, 800 and 2,400 results.

    python -m benchmarks.judging [--results 200 800 2400] [--profile]

Half of the results are of quizzes with the original in one slot, half of quizzes that turn it
through four. A third of the partitions are controls, on which a model is right in about 30 % of
cases; of the targets some were seen. Each store is judged twice in one process: the first time
is what a command takes, the second what a page takes whose server has judged before.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import read_options
from benchmarks.material import fill_runs
from dcq.judging import study
from dcq.store import Store

INSTANCES = 40
SIZES = {
    8: (2, 2),
    200: (10, 10),
    800: (20, 20),
    2400: (40, 30),
}  # models and partitions, two quizzes each

LARGE = [200, 800, 2400]


def make(store: Store, models: int, partitions: int) -> None:
    """A store with two quizzes of each partition and a run of each for every model."""
    fill_runs(
        store,
        partitions=partitions,
        items=INSTANCES,
        models=models,
        runs=models,
        rotated=(False, True),
    )


def judge(store: Store, count: int) -> None:
    """All findings of the store; ``count`` is how many there must be."""
    total = len(study.findings(store))
    assert total == count, total


def timed(store: Store, count: int) -> str:
    """What judging takes, in words."""
    began, processor = time.perf_counter(), time.process_time()
    judge(store, count)
    seconds, used = time.perf_counter() - began, time.process_time() - processor
    return f"{seconds:.2f} s ({used:.2f} s of processor)"


def show_profile(store: Store, count: int) -> None:
    """The functions in which judging spends most, with what they call and without."""
    profile = cProfile.Profile()
    profile.runcall(judge, store, count)
    for order, lines in (("cumulative", 60), ("tottime", 25)):
        pstats.Stats(profile).sort_stats(order).print_stats(lines)


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description="Seconds that it takes to judge a store.")
    parser.add_argument("--results", type=int, nargs="+", default=LARGE, choices=list(SIZES))
    parser.add_argument("--profile", action="store_true", help="where the first judging spends it")
    arguments = read_options(parser, results=[8])
    for count in arguments.results:
        with TemporaryDirectory() as folder:
            store = Store(Path(folder) / "dcq.duckdb")
            make(store, *SIZES[count])
            if arguments.profile:
                show_profile(store, count)
            else:
                words = [timed(store, count) for _ in range(2)]
                print(f"{count:5,} results: {words[0]}, again {words[1]}")


if __name__ == "__main__":
    main()
