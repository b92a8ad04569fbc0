"""What training on a benchmark with its answers does to the score, and how much of it is found.

    python -m studies.effect --work FOLDER

Reviews, requests and notices among the control texts are halved. One half of each is the
benchmark, exported with its bundled rewordings as a task of lm-evaluation-harness
(``dcq.effect.task``). Four models learn the task from three quarters of the other half: three are
the references, the fourth goes on with the benchmark itself and its answers. An answer is the
choice that is likeliest after the question, as the harness takes it. FOLDER takes 5 GB; started
again, it goes on where it was. Needs requirements-likelihood.txt.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from dcq.effect import task as exported
from dcq.effect.matter import MatterFinding, ScoreContext, findings
from dcq.effect.scores import ItemVersion, ModelRole, read_scores, split_id
from dcq.effect.task import HarnessTask
from dcq.models.embedded import find_weights
from dcq.models.scorers.child import NUMPY
from dcq.models.scorers.child_scorer import ChildScorer
from dcq.models.scorers.likelihood import ScoredText
from dcq.partitions import draw_sample, open_partition
from dcq.protect import make
from dcq.records import PartitionRole, Sample
from dcq.store import Store, samples
from dcq.words import p_number
from studies.exposure import halve
from studies.local_model import expose

SOURCES = ("control-reviews", "control-requests", "control-notices")
DRAWN = 104  # instances of each
TASK_EXPOSURES, DOSES = 3, (1, 3)
REFERENCES = 3
TARGET = "target, {} exposures"


def main() -> None:
    """Run what is not there yet and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--n", type=int, default=DRAWN, help=f"texts of each source ({DRAWN})")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    tasks, others = benchmark(Store(arguments.work / "dcq.duckdb"), arguments.n)
    files = []
    for name, weights in train(arguments.work, tasks, others).items():
        files.append(arguments.work / f"{name.replace(' ', '-').replace(',', '')}.csv")
        answer(weights, tasks, files[-1], name)
    print("| model | originals | rewordings | drop | inflation | p | verdict |")
    print("|---|---|---|---|---|---|---|")
    references = [path for path in files if "reference" in path.name]
    chance = float(np.mean([1 / len(task.choices) for task in tasks for _ in task.items]))
    for path in files:
        if path not in references:
            scores = read_scores([str(file) for file in (path, *references)])
            for finding in findings(scores, ScoreContext({}, {}, chance)):
                if finding.role is ModelRole.TARGET or path == files[-1]:
                    print(_line(finding))


def benchmark(store: Store, n: int) -> tuple[list[HarnessTask], list[str]]:
    """The tasks of the halves that are the benchmark, and the texts of the others, in which sources
    take turns."""
    tasks, others = [], []
    for source in SOURCES:
        drawn = draw_sample(open_partition(source, "test"), n)
        members, held_out = halve(drawn.instances, seed=0)
        tasks.append(_task(store, drawn, {instance.id for instance in members}))
        others.append([instance.text for instance in held_out])
    return tasks, [text for turn in zip(*others, strict=False) for text in turn]


def _task(store: Store, drawn: Sample, members: set[str]) -> HarnessTask:
    """A target may be exported, a control may not."""
    sample = replace(
        drawn,
        partition=replace(
            drawn.partition, key=f"{drawn.partition.key}-half", role=PartitionRole.TARGET
        ),
        instances=tuple(instance for instance in drawn.instances if instance.id in members),
        variants={key: texts for key, texts in drawn.variants.items() if key in members},
    )
    sample_id = samples.save(store, sample)
    make.accept_open(store, sample_id, "the study")
    return exported.make(store, sample_id)


def train(work: Path, tasks: Iterable[HarnessTask], others: list[str]) -> dict[str, Path]:
    """The weights of each model, by its name: the embedded one, the references, and the target
    before it met the benchmark and after each of ``DOSES``."""
    paths = {"untrained": find_weights()}
    for number in range(REFERENCES + 1):
        name = f"reference {number + 1}" if number < REFERENCES else TARGET.format(0)
        task_texts = [
            text for place, text in enumerate(others) if place % (REFERENCES + 1) != number
        ]
        kept = expose(work / f"task-{number}", task_texts, [TASK_EXPOSURES], seed=number)
        paths[name] = kept[TASK_EXPOSURES]
    texts = [f"{item.original[1]} {item.answer}" for task in tasks for item in task.items]
    begun = paths[TARGET.format(0)]
    for dose, path in expose(work / "target", texts, DOSES, begin=begun).items():
        paths[TARGET.format(dose)] = path
    return paths


def answer(weights: Path, tasks: Iterable[HarnessTask], path: Path, name: str) -> None:
    """Write to ``path`` whether the likeliest choice is right, a row a wording, unless it is
    there."""
    if path.is_file():
        return
    role = ModelRole.REFERENCE if "reference" in name else ModelRole.TARGET
    rows = []
    with closing(ChildScorer(NUMPY, weights)) as scorer:
        for task in tasks:
            for item in task.items:
                for version, (identity, question) in zip(
                    ItemVersion, (item.original, item.reworded), strict=True
                ):
                    texts = [ScoredText(f" {choice}", question) for choice in task.choices]
                    scored = asyncio.run(scorer.score(texts))
                    best = int(np.argmax([likelihood.logprobs.sum() for likelihood in scored]))
                    correct = int(task.choices[best] == item.answer)
                    instance_id, _ = split_id(identity, path)
                    rows.append((name, role.value, instance_id, version.value, correct))
    begun = path.with_suffix(".part")
    with begun.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(("model", "role", "instance_id", "version", "correct"))
        out.writerows(rows)
    begun.rename(path)
    print(f"{name}: {len(rows)} answers", flush=True)


def _line(finding: MatterFinding) -> str:
    drop, above = finding.drop, finding.inflation
    cells: Mapping[str, str] = {
        "model": finding.model,
        "originals": f"{100 * (drop.original or 0):.1f}",
        "rewordings": f"{100 * (drop.reworded or 0):.1f}",
        "drop": _interval(drop.drop, drop.low, drop.high),
        "inflation": _interval(above.inflation, above.low, above.high) if above else "",
        "p": p_number(above.p_value) if above else "",
        "verdict": finding.ruling.value if finding.ruling else "",
    }
    return f"| {' | '.join(cells.values())} |"


def _interval(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None or high is None:
        return ""
    return f"{100 * value:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


if __name__ == "__main__":
    main()
