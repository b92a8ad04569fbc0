"""What a store of many pairs takes to read: `answer`, `answer --model`, `results` and `status`.

    python -m benchmarks.many_pairs [--targets 50] [--models 12] [--keep FOLDER]

The store has what a study of 50 targets, 12 models and ten small controls leaves: of each target
the modified and the rotated quiz of 40 instances, of each control the rotated one of 12, without
rewordings that failed. Questions are frozen and kept as in a real run; only the replies come from
a seeded generator. Processor time of the whole process, in turn with an empty store, which shows
what Python and its libraries take.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

from benchmarks import read_options
from benchmarks.cold_start import ask, draw, letters, spend
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, answer_plans, quizzes, samples
from dcq.store.answer_plans import PlannedMethod

CONTROLS, CONTROL_SIZE = 10, 12
_WEIGHTS = [PlannedMethod("quiz", str(QuizKind.ROTATED), 1.0)]
_KINDS = {
    PartitionRole.TARGET: (QuizKind.MODIFIED, QuizKind.ROTATED),
    PartitionRole.CONTROL: (QuizKind.ROTATED,),
}


def make(store: Store, targets: int, models: int, instances: int) -> None:
    """Fill an empty store; how much a model finds depends on the pair alone."""
    sizes = {f"target-{number}": (PartitionRole.TARGET, instances) for number in range(targets)}
    sizes |= {
        f"control-{number}": (PartitionRole.CONTROL, CONTROL_SIZE) for number in range(CONTROLS)
    }
    with store.keep_open():
        for key, (role, n) in sizes.items():
            sample_id = samples.save(store, draw(key, role, n))
            for kind in _KINDS[role]:
                quiz = freeze.freeze(store, sample_id, kind).quiz
                correct = [item.correct or 0 for item in quizzes.load(store, quiz).items]
                for number in range(models):
                    model = f"model-{number}@http://127.0.0.1:9/v1"
                    rng = random.Random(f"{key}-{model}")
                    seen = role is PartitionRole.TARGET and kind is QuizKind.ROTATED
                    if kind is QuizKind.MODIFIED:  # before the first reply
                        answer_plans.add(store, model, f"{key}/test", _WEIGHTS)
                    found = max(0.0, rng.uniform(-0.6, 0.6)) if seen else 0.05
                    ask(store, QUIZ, quiz, model, letters(rng, correct, found))


def main() -> None:
    """Print what each command takes on the store and on an empty one."""
    parser = argparse.ArgumentParser(description="What a store of many pairs takes to read.")
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--keep", type=Path, help="a folder where the store is made or found")
    arguments = read_options(parser, targets=2, models=2, instances=12)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) if arguments.keep is None else arguments.keep
        place.mkdir(parents=True, exist_ok=True)
        path, empty = place / "dcq.duckdb", Path(folder) / "empty.duckdb"
        if not path.exists():
            began = time.perf_counter()
            make(Store(path), arguments.targets, arguments.models, arguments.instances)
            print(f"made in {time.perf_counter() - began:.0f} s")
        print(f"the store has {path.stat().st_size / 2**20:.0f} MB")
        for name, words in {
            "answer": ["answer", "--json"],
            "answer --model X": ["answer", "--json", "--model", "model-0@http://127.0.0.1:9/v1"],
            "results": ["results", "--json"],
            "status": ["status"],
        }.items():
            used = min(_spend(["-m", "dcq", *words], path) for _ in range(3))
            print(f"{name:32} {used:6.2f} s of processor", flush=True)
        used = min(_spend(["-m", "dcq", "answer", "--json"], empty) for _ in range(3))
        print(f"{'answer, an empty store':32} {used:6.2f} s of processor", flush=True)


def _spend(command: list[str], store: Path) -> float:
    return spend(command, os.environ | {"DCQ_STORE": str(store)})[0]


if __name__ == "__main__":
    main()
