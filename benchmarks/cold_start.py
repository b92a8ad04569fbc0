"""What a process takes that has judged nothing yet: `answer`, `results` and the first Overview.

    python -m benchmarks.cold_start [--rounds 3] [--instances 100] [--keep FOLDER]

The store has 142 results: three targets and six controls in the rotated quiz of eight models, the
targets and four controls completed by each model, and scored by the two that run on one's own
machine. Questions, requests and scores are frozen, read and kept as in a real run; only the replies
come from a seeded generator instead of a model. Each call is a process of its own, in turn on that
store and on an empty one, which shows what Python and its libraries take. Processor time of the
whole process, user and system, because a busy machine changes that less than the clock's. At the
end a browser is the first visitor of a server: from the visit to the sentence of the conclusion or,
on the empty store, to the page's heading.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from benchmarks import read_options
from benchmarks.browser import open_browser, report, served
from dcq.asking import prepare
from dcq.asking.prompt import sha256
from dcq.asking.task import Method, Task
from dcq.likelihood.detection import LIKELIHOOD_DETECTION
from dcq.likelihood.method import METHOD as LIKELIHOOD
from dcq.likelihood.method import LikelihoodTask
from dcq.likelihood.reply import write_likelihoods
from dcq.models.endpoints import resolve
from dcq.models.prices import estimate_tokens
from dcq.models.scorers.likelihood import Likelihood
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import (
    LETTERS,
    Answer,
    DatasetTask,
    Instance,
    Outcome,
    Partition,
    PartitionRole,
    QuizKind,
    Reply,
    Sample,
)
from dcq.replication.detection import REPLICATION_DETECTION
from dcq.replication.method import REPLICATION, ReplicationTask
from dcq.settings import ROOT, load
from dcq.store import Store, quizzes, runs, samples
from dcq.store.answers import add_answers

TARGETS, CONTROLS, MODELS = 3, 6, 8
COMPLETED_CONTROLS = 4
SCORED_MODELS = 2
RESULTS = MODELS * (2 * TARGETS + CONTROLS + COMPLETED_CONTROLS) + SCORED_MODELS * (
    TARGETS + COMPLETED_CONTROLS
)
_SUBJECTS = ("council", "harbour", "teacher", "market", "station", "village", "garden", "museum")
_VERBS = ("announced", "reported", "expected", "confirmed", "described", "considered", "measured")
_OBJECTS = ("prices", "profits", "repairs", "winters", "letters", "results", "journeys", "engines")
# Words in groups of one meaning: a rewording takes another of the same group.
_SWAPS = (
    ("large", "big", "sizeable", "considerable", "great"),
    ("quick", "fast", "rapid", "swift", "speedy"),
    ("began", "started", "opened", "commenced", "launched"),
    ("near", "beside", "alongside", "close to", "next to"),
    ("often", "frequently", "regularly", "repeatedly", "commonly"),
)

_OVERVIEW = """
from streamlit.testing.v1 import AppTest
shown = AppTest.from_file("app.py", default_timeout=600).run()
assert not shown.exception, shown.exception
assert shown.title, shown.main
"""
CALLS: Mapping[str, Sequence[str]] = {
    "dcq answer --json": ["-m", "dcq", "answer", "--json"],
    "dcq results --json": ["-m", "dcq", "results", "--json"],
    "Overview, first draw": ["-c", _OVERVIEW],
}


def _text(rng: random.Random, number: int, words: Sequence[str]) -> str:
    big, fast, began, near, often = words
    one, two, three, four = rng.choices(_SUBJECTS, k=4)
    first, second = rng.choices(_VERBS, k=2)
    return (
        f"In week {number} the {big} {one} {near} the {two} {first} {fast} "
        f"{rng.choice(_OBJECTS)} and {began} to count them. The {three} {often} {second} "
        f"{rng.choice(_OBJECTS)} that the {four} kept for {rng.randint(2, 90)} years."
    )


def draw(key: str, role: PartitionRole, instances: int) -> Sample:
    """Instances of two sentences, each with four rewordings."""
    made: list[Instance] = []
    variants: dict[str, tuple[str, ...]] = {}
    for number in range(instances):
        seed, chosen = f"{key}-{number}", random.Random(f"{key}-{number}-words")
        wordings = list(zip(*(chosen.sample(group, 5) for group in _SWAPS), strict=True))
        label = ("0 (World)", "1 (Sports)")[number % 2]
        bodies = [_text(random.Random(seed), number, words) for words in wordings]
        text, *rest = (f"Text: {body}\nLabel: {label}" for body in bodies)
        fields = {"text": bodies[0], "label": label[0]}
        made.append(Instance(text, fields, label, (f"Label: {label}",)))
        variants[made[-1].id] = tuple(rest)
    partition = Partition(key, "test", key.title(), "test", role, DatasetTask.CLASSIFICATION)
    return Sample(
        partition, tuple(made), instances, instances, 0, stratified=False, variants=variants
    )


def make(store: Store, instances: int) -> None:
    """Fill an empty store with 142 results; how much a model finds depends on the pair alone."""
    keys = {f"target-{number}": PartitionRole.TARGET for number in range(TARGETS)}
    keys |= {f"control-{number}": PartitionRole.CONTROL for number in range(CONTROLS)}
    completed = [*keys][: TARGETS + COMPLETED_CONTROLS]
    for key, role in keys.items():
        sample_id = samples.save(store, draw(key, role, instances))
        quiz = freeze.freeze(store, sample_id, QuizKind.ROTATED).quiz
        replication = REPLICATION_DETECTION.subject(store, sample_id) if key in completed else ""
        scored = LIKELIHOOD_DETECTION.subject(store, sample_id) if key in completed else ""
        for number in range(MODELS):
            model = f"model-{number}@http://127.0.0.1:9/v1"
            rng = random.Random(f"{key}-{model}")
            found = max(0.0, rng.uniform(-0.3, 0.6)) if role is PartitionRole.TARGET else 0.05
            correct = [item.correct or 0 for item in quizzes.load(store, quiz).items]
            ask(store, QUIZ, quiz, model, letters(rng, correct, found))
            if replication:
                ask(store, REPLICATION, replication, model, _completions(rng, found / 2))
            if scored and number < SCORED_MODELS:
                ask(store, LIKELIHOOD, scored, model, _likelihoods(rng, found))


Write = Callable[[Task, int], str]


def letters(rng: random.Random, correct: Sequence[int], found: float) -> Write:
    """Replies to a quiz: of a share ``found`` the right letter, else any."""

    def write(_: Task, position: int) -> str:
        slot = correct[position] if rng.random() < found else rng.randrange(4)
        return LETTERS[slot] if rng.random() < 0.98 else "I am not sure."

    return write


def _completions(rng: random.Random, found: float) -> Write:
    def write(task: Task, position: int) -> str:
        assert isinstance(task, ReplicationTask)
        piece, _ = task.request(position)
        if rng.random() < found:
            return task.pieces[piece].second
        words = task.pieces[piece].second.split()
        return " ".join(word if rng.random() < 0.4 else rng.choice(_OBJECTS) for word in words)

    return write


def _likelihoods(rng: random.Random, found: float) -> Write:
    numbers = np.random.default_rng(rng.randrange(2**32))

    def write(task: Task, position: int) -> str:
        assert isinstance(task, LikelihoodTask)
        original = task.requests[position].text
        likelihoods = []
        for text in task.texts(position):
            pieces = tuple(text.text.split())
            logprobs = -numbers.gamma(2.0, 1.5, len(pieces))
            if text.text == original and not text.context:
                logprobs *= 1 - found / 2
            likelihoods.append(Likelihood(logprobs, pieces=pieces))
        return write_likelihoods(likelihoods)[0]

    return write


def ask(store: Store, method: Method, subject: str, model: str, write: Write) -> None:
    """A finished run whose replies are what ``write`` gives for each request."""
    endpoint = resolve(model, load()) if method is QUIZ else method.endpoint(model)
    run_id = prepare.plan_run(store, method, subject, endpoint)
    task = method.reopen(store, runs.load(store, run_id).plan)
    answers = [_answer(task, position, write(task, position)) for position in range(task.size)]
    runs.note(store, run_id, runs.Event.STARTED)
    add_answers(store, run_id, answers)
    method.on_stored(store, run_id, task, answers)
    runs.note(store, run_id, runs.Event.FINISHED)


def _answer(task: Task, position: int, text: str) -> Answer:
    reading = task.read(position, Reply(text))
    assert reading.outcome is not Outcome.ERROR
    prompt = task.text(position)
    return Answer(
        *(position, 1, reading.outcome, reading.value, reading.reason, text, sha256(prompt)),
        *(
            estimate_tokens(prompt),
            estimate_tokens(text),
            0.5,
            1,
            {"temperature": 0.0},
            None,
            datetime.now(UTC),
        ),
    )


def spend(words: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Processor time and time on the clock of one call of Python."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words], env=environment, cwd=ROOT, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


def _environment(store: Path, compiled: Path) -> dict[str, str]:
    """Modules are compiled once, as on a person's machine, whatever this one does."""
    kept = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"DCQ_STORE": str(store), "PYTHONPYCACHEPREFIX": str(compiled)}


def _rounds(
    stores: Mapping[str, Path], compiled: Path, rounds: int
) -> Iterator[tuple[str, str, float, float]]:
    """What each call takes on each store, in turn, after one round that compiles all modules."""
    for turn in range(rounds + 1):
        for name, words in CALLS.items():
            for which, path in stores.items():
                used, seconds = spend(words, _environment(path, compiled))
                if turn:
                    yield name, which, used, seconds


def first_visit(path: Path, sought: str) -> float:
    """Milliseconds from the first visit to a server until a text is there."""
    with sync_playwright() as playwright, served(ROOT / "app.py", path) as address:
        browser = open_browser(playwright)
        page = browser.new_page()
        page.set_default_timeout(120_000)
        began = time.perf_counter()
        page.goto(address)
        page.get_by_text(sought).first.wait_for()
        return 1000 * (time.perf_counter() - began)


def main() -> None:
    """Print the first call after the runs, then the medians."""
    parser = argparse.ArgumentParser(description="What a process takes that has judged nothing.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="a folder where the store is made or found")
    arguments = read_options(parser, rounds=1, instances=12)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) if arguments.keep is None else arguments.keep
        place.mkdir(parents=True, exist_ok=True)
        path, empty = place / "dcq.duckdb", Path(folder) / "empty.duckdb"
        if not path.exists():
            began = time.perf_counter()
            make(Store(path), arguments.instances)
            print(f"{RESULTS} results, made in {time.perf_counter() - began:.0f} s")
        compiled = Path(folder) / "compiled"
        spend(CALLS["dcq answer --json"], _environment(empty, compiled))
        used, seconds = spend(CALLS["dcq answer --json"], _environment(path, compiled))
        _report("the first answer after the runs", used, seconds)
        times: dict[tuple[str, str], list[tuple[float, float]]] = {}
        stores = {f"{RESULTS} results": path, "empty": empty}
        for name, which, used, seconds in _rounds(stores, compiled, arguments.rounds):
            times.setdefault((name, which), []).append((used, seconds))
        for (name, which), both in times.items():
            used, seconds = (statistics.median(each) for each in zip(*both, strict=True))
            _report(f"{name}, {which}", used, seconds)
        visits = {
            which: [first_visit(each, sought) for _ in range(arguments.rounds)]
            for which, each, sought in (
                ("empty", empty, "Has the model seen the benchmark?"),
                (f"{RESULTS} results", path, "expected on unseen text"),
            )
        }
        for which, milliseconds in visits.items():
            report(f"first visit, {which}", milliseconds)


def _report(name: str, used: float, seconds: float) -> None:
    print(f"{name:36} {used:6.2f} s ({seconds:.2f} s on the clock)")


if __name__ == "__main__":
    main()
