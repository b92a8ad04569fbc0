"""What ``kill -9`` costs: how many questions are asked again when a run is killed and resumed.

    python -m benchmarks.kills [--questions 300] [--kills 10] [--concurrency 8] [--latency 0.1]

The peer is the same run without a kill, which makes one call a question. A killed process takes
with it the calls that were in flight, and the answers that it had not stored yet: those of the last
half second at most.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from dcq.quiz import freeze
from dcq.records import Kind
from dcq.store import Store, run_progress, runs, samples
from tests.conftest import KEY, small_sample
from tests.support.provider import Provider

MODEL = "always-a"


def main() -> None:
    """Print calls, calls made again and the bound."""
    parser = argparse.ArgumentParser(description="What kill -9 costs a run.")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds that a reply takes")
    given = parser.parse_args()
    for kills in (0, given.kills):
        with tempfile.TemporaryDirectory() as folder, Provider(key=KEY) as provider:
            provider.latency = given.latency
            store = Store(Path(folder) / "dcq.duckdb")
            sample = samples.save(store, small_sample(given.questions))
            quiz = freeze.freeze(store, sample, Kind.STANDARD, slot="A").quiz
            words = [quiz, "--model", MODEL, "--concurrency", str(given.concurrency), "--resume"]
            lost = _run(store, provider, words, kills)
            run = run_progress.progress(store, runs.listing(store))[0]
            assert (run.done, run.errors) == (given.questions, 0)
            calls = provider.counts[MODEL]
            print(
                f"{kills} kills: {calls} calls for {given.questions} questions,"
                f" {calls - given.questions} asked again"
                + (f" ({lost} at most by the bound)" if kills else "")
            )


def _run(store: Store, provider: Provider, words: Sequence[str], kills: int) -> int:
    """Run to the end; the sum over all kills of calls in flight and answers of half a second."""
    chance, bound = random.Random(1), 0
    environment = os.environ | {
        "DCQ_STORE": str(store.path),
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_KEY": provider.key,
    }
    command = [sys.executable, "-m", "dcq", "run", *words]
    for _ in range(kills):
        before = provider.counts[MODEL]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        while provider.counts[MODEL] < before + 10 and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.5))
        process.kill()
        process.wait()
        now = time.monotonic()
        # Half a second of answers, and what it takes to write them.
        recent = sum(1 for at in provider.asked_at if at > now - 0.5 - provider.latency)
        bound += recent
    subprocess.run(command, env=environment, stderr=subprocess.DEVNULL, check=True)
    return bound


if __name__ == "__main__":
    main()
