"""What scoring texts under the embedded model's file takes, by numpy and by llama.cpp.

    python -m benchmarks.scorers [--quick]

An item is four options of about 80 tokens. Seconds of a processor are those that the process took;
on a machine with other work more of them pass. Takes about a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from dcq.models.embedded import find_weights
from dcq.models.scorers.child import LLAMA_CPP, NUMPY
from dcq.models.scorers.child_scorer import ChildScorer
from dcq.models.scorers.likelihood import Likelihood, Numbers, ScoredText

ITEMS = 5
SENTENCE = (
    "The {} river winds its long way past green hills and wide meadows, and the people of the"
    " valley have always told their children that it was once a road. "
)
WORDS = ("old", "slow", "grey", "quiet")


@dataclass(frozen=True)
class Cost:
    """What one way of scoring took."""

    name: str
    loading: float
    item: float
    item_wall: float
    megabytes: float
    likelihoods: list[Likelihood]


def main() -> None:
    """Measure both and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one short item instead of five")
    items, sentences = (1, 1) if parser.parse_args().quick else (ITEMS, 3)
    costs = [
        asyncio.run(measure(kind, find_weights(), items, sentences)) for kind in (NUMPY, LLAMA_CPP)
    ]
    print(f"{'':10} {'to load':>9} {'an item':>9} {'(passed)':>9} {'peak':>9}   tokens an item")
    for cost in costs:
        print(
            f"{cost.name:10} {cost.loading:7.1f} s {cost.item:7.2f} s {cost.item_wall:7.2f} s"
            f" {cost.megabytes:6.0f} MB  "
            f" {sum(likelihood.tokens for likelihood in cost.likelihoods)}"
        )
    apart = np.abs(numbers(costs[0].likelihoods) - numbers(costs[1].likelihoods)).mean(axis=1)
    print("mean difference: log p {:.3f}, its mean {:.3f}, its deviation {:.3f}".format(*apart))


async def measure(kind: str, path: Path, items: int, sentences: int) -> Cost:
    """Load, then score so many items, whose options have so many sentences."""
    scorer = ChildScorer(kind, path)
    await scorer.score([ScoredText("a")])
    assert scorer.pid is not None
    loading = seconds(scorer.pid)
    took, passed, likelihoods = [], [], []
    for number in range(items):
        texts = [ScoredText(f"{number}. " + sentences * SENTENCE.format(word)) for word in WORDS]
        began, before = time.monotonic(), seconds(scorer.pid)
        likelihoods = await scorer.score(texts)
        passed.append(time.monotonic() - began)
        took.append(seconds(scorer.pid) - before)
    peak = next(
        line
        for line in Path(f"/proc/{scorer.pid}/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    scorer.close()
    return Cost(
        kind, loading, median(took), median(passed), int(peak.split()[1]) / 1024, likelihoods
    )


def seconds(pid: int) -> float:
    """Of a processor, that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def numbers(likelihoods: list[Likelihood]) -> Numbers:
    """Log-probabilities, means and deviations of all tokens, one below the other."""
    parts = []
    for likelihood in likelihoods:
        assert likelihood.means is not None
        assert likelihood.spreads is not None
        parts.append(np.array([likelihood.logprobs, likelihood.means, likelihood.spreads]))
    return np.hstack(parts)


if __name__ == "__main__":
    main()
