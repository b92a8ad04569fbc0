"""Paired bootstrap beside the plain Python loop, in one run.

    python -m benchmarks.evidence [--instances 1000] [--samples 10000]

10,000 resamples of 1,000 instances, for right/wrong answers and for soft scores. The loop is timed
on a part of its resamples and scaled up.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from benchmarks import read_options
from dcq.evidence.bootstrap import paired_bootstrap

SAMPLES, N, TIMED = 10_000, 1_000, 300


def loop(first: list[float], second: list[float], samples: int) -> list[float]:
    """The peer: resample instances one by one."""
    means = []
    for _ in range(samples):
        total = 0.0
        for _ in range(len(first)):
            place = random.randrange(len(first))
            total += second[place] - first[place]
        means.append(total / len(first))
    return sorted(means)


def main() -> None:
    """Print seconds and ratio for both kinds of score."""
    parser = argparse.ArgumentParser(description="Paired bootstrap beside a plain loop.")
    parser.add_argument("--instances", type=int, default=N)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    arguments = read_options(parser, instances=50, samples=TIMED)
    samples = arguments.samples
    rng = np.random.default_rng(0)
    uniform = rng.random((2, arguments.instances))
    for kind, (first, second) in {
        "right/wrong": (uniform < [[0.4], [0.6]]).astype(float),
        "soft": uniform,
    }.items():
        started = time.perf_counter()
        loop(first.tolist(), second.tolist(), TIMED)
        plain = (time.perf_counter() - started) * samples / TIMED
        ours = []
        for _ in range(3):
            started = time.perf_counter()
            paired_bootstrap(first, second, samples=samples)
            ours.append(time.perf_counter() - started)
        print(f"{kind}: loop {plain:.2f} s, ours {min(ours):.4f} s, {plain / min(ours):.0f} times")


if __name__ == "__main__":
    main()
