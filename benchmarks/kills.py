"""What ``kill -9`` costs: how many questions are asked again when a run is killed and resumed.

    python -m benchmarks.kills [--questions 300] [--kills 10] [--concurrency 8] [--latency 0.1]
    python -m benchmarks.kills --after-a-reply 50

The peer is the same run without a kill, which makes one call a question. A killed process takes
with it the calls that were in flight, and the answers that it had not stored yet: those of the last
half second at most. ``--after-a-reply`` counts the second kind alone: one call in flight, and so
many processes, each killed within half a second of a reply that it had received.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from benchmarks import read_options
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, run_progress, runs, samples
from tests.conftest import KEY, small_sample
from tests.support import commands
from tests.support.provider import FakeProvider

MODEL = "always-a"
SLOW = 0.7  # seconds of a reply: none comes between the one that was received and the kill


def main() -> None:
    """Print calls, calls made again and the bound."""
    parser = argparse.ArgumentParser(description="What kill -9 costs a run.")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds that a reply takes")
    parser.add_argument("--after-a-reply", type=int, default=0, metavar="PROCESSES")
    arguments = read_options(parser, questions=20, kills=1, latency=0.05)
    if arguments.after_a_reply:
        _kill_after_a_reply(arguments.after_a_reply)
        return
    for kills in (arguments.kills,) if arguments.quick else (0, arguments.kills):
        with tempfile.TemporaryDirectory() as folder, FakeProvider(key=KEY) as provider:
            provider.latency = arguments.latency
            store = Store(Path(folder) / "dcq.duckdb")
            sample = samples.save(store, small_sample(arguments.questions))
            quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot="A").quiz
            words = [
                quiz,
                "--model",
                MODEL,
                "--concurrency",
                str(arguments.concurrency),
                "--resume",
            ]
            lost = _run(store, provider, words, kills)
            run = run_progress.progress(store, runs.listing(store))[0]
            assert (run.done, run.errors) == (arguments.questions, 0)
            calls = provider.counts[MODEL]
            print(
                f"{kills} kills: {calls} calls for {arguments.questions} questions,"
                f" {calls - arguments.questions} asked again"
                + (f" ({lost} at most by the bound)" if kills else "")
            )


def _kill_after_a_reply(processes: int) -> None:
    """Print how many of the replies that a process had received when it was killed were lost."""
    chance, received, lost = random.Random(2), 0, 0
    with tempfile.TemporaryDirectory() as folder, FakeProvider(key=KEY, latency=SLOW) as provider:
        store = Store(Path(folder) / "dcq.duckdb")
        sample = samples.save(store, small_sample(3 * processes))
        quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot="A").quiz
        words = [quiz, "--model", MODEL, "--concurrency", "1", "--resume"]
        for _ in range(processes):
            before = provider.counts[MODEL]
            stored = sum(run.done for run in run_progress.progress(store, runs.listing(store)))
            process = _start(store, provider, words)
            # With one call in flight the second is made when the first has its reply.
            while provider.counts[MODEL] < before + 2:
                time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.5))
            process.kill()
            process.join()
            received += provider.counts[MODEL] - before - 1
            [run] = run_progress.progress(store, runs.listing(store))
            lost += provider.counts[MODEL] - before - 1 - (run.done - stored)
    print(f"{lost} of {received} replies were received, lost by a kill, and are asked again")


def _start(store: Store, provider: FakeProvider, words: Sequence[str]) -> ForkServerProcess:
    environment = os.environ | {
        "DCQ_STORE": str(store.path),
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_KEY": provider.key,
    }
    return commands.start(["run", *words], environment)


def _run(store: Store, provider: FakeProvider, words: Sequence[str], kills: int) -> int:
    """Run to the end; the sum over all kills of calls in flight and answers of half a second."""
    chance, bound = random.Random(1), 0
    for _ in range(kills):
        before = provider.counts[MODEL]
        process = _start(store, provider, words)
        while provider.counts[MODEL] < before + 10 and process.is_alive():
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.5))
        process.kill()
        process.join()
        now = time.monotonic()
        # Half a second of answers, and what it takes to write them.
        recent = sum(1 for at in provider.asked_at if at > now - 0.5 - provider.latency)
        bound += recent
    last = _start(store, provider, words)
    last.join()
    assert last.exitcode == 0
    return bound


if __name__ == "__main__":
    main()
