"""How much the small controls differ for a model that has seen none of them.

    python -m benchmarks.small_controls --store /tmp/small.duckdb

The offline generator rewords the English ones, and the embedded model takes their quiz in
likelihood mode, at D. A line a task: how many sources can be compared, their mean score with the
lowest and the highest, the standard deviation between them, what chance alone would give for their
sizes, and the spread that the rule expects of one more. The scores of all sources go to stdout as
csv. Takes some minutes; started again on the same store it goes on where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import sys
from pathlib import Path

import numpy as np

from benchmarks import read_options
from benchmarks.likelihood import ask
from dcq.evidence.controls import expect
from dcq.evidence.record import Evidence
from dcq.investigation.control_rewordings import FEWEST
from dcq.investigation.more_controls import SMALL
from dcq.judging import snapshot
from dcq.partitions import entries
from dcq.store import Store


async def main() -> None:
    """Ask, print the spreads, and write the scores as csv to stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--sources", type=int, default=10, help="of each task")
    arguments = read_options(parser, sources=1)
    store = Store(arguments.store)
    keys_by_task: dict[str, list[str]] = {}
    for entry in entries():
        if entry.is_small and entry.language == "en":
            keys_by_task.setdefault(entry.layout.task, []).append(entry.key)
    for keys in keys_by_task.values():
        for key in keys[: arguments.sources]:
            await ask(store, key, "test", SMALL, offline=True)
    out = csv.writer(sys.stdout)
    out.writerow(["task", "source", "n", "score"])
    by_task: dict[str, list[Evidence]] = {}
    for evidence in snapshot.read(store).evidence.values():
        by_task.setdefault(evidence.task, []).append(evidence)
    for task, of_task in sorted(by_task.items()):
        for evidence in sorted(of_task, key=lambda evidence: evidence.partition):
            score = evidence.estimate.share
            out.writerow([task, evidence.partition, evidence.usable, f"{score or 0:.3f}"])
        print(_spread(task, of_task), file=sys.stderr)


def _spread(task: str, of_task: list[Evidence]) -> str:
    used = [evidence for evidence in of_task if evidence.usable >= FEWEST]
    scores = np.array([evidence.estimate.share or 0.0 for evidence in used])
    sizes = np.array([evidence.usable for evidence in used])
    expected = expect([evidence.measures[0].values for evidence in used])
    if expected is None:
        return f"{task}: nothing can be compared"
    mean = scores.mean()
    chance = float(np.sqrt(np.mean(mean * (1 - mean) / sizes)))
    return (
        f"{task}: {len(used)} of {len(of_task)} sources with {FEWEST} instances or more; mean "
        f"{mean:.2f} ({scores.min():.2f} to {scores.max():.2f}), deviation "
        f"{scores.std(ddof=1) if len(scores) > 1 else 0.0:.3f}, by chance {chance:.3f}; spread of "
        f"one more {expected.prediction.spread:.3f}"
    )


if __name__ == "__main__":
    asyncio.run(main())
