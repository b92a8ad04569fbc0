"""Two processes that start in the same instant: each question is asked once, the second is told."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from dcq.asking import launch
from dcq.asking.options import Options, Terms
from dcq.protect.secret import to_bytes
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, runs, samples
from tests.conftest import small_sample
from tests.support import commands
from tests.support.protected import a_secret
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for, wait_until_ended
from tests.support.scoring import accepted

pytestmark = pytest.mark.slow

PAIRS = {
    "run": (["run", "QUIZ"], ["run", "QUIZ"]),
    "limit": (["run", "QUIZ"], ["run", "QUIZ", "--limit", "3", "--concurrency", "2"]),
    "calls": (["run", "QUIZ", "--max-calls", "40"], ["run", "QUIZ", "--resume"]),
    "v2": (["v2", "SAMPLE"], ["v2", "SAMPLE"]),
    "v2 and its bdq": (["v2", "SAMPLE"], ["run", "BDQ"]),
    "replicate": (["replicate", "SAMPLE"], ["replicate", "SAMPLE", "--limit", "3"]),
    "first instances": (["replicate", "SAMPLE", "--first-instances"],) * 2,
    "perturb": (["perturb", "SAMPLE", "--again"],) * 2,
    "likelihood": (["likelihood", "SAMPLE"],) * 2,
    "score": (["score", "SCORED"],) * 2,
    "protect check": (["protect", "check", "SECRET"],) * 2,
    "investigate": (["investigate", "SAMPLE"],) * 2,
}
MODELS = {"perturb": "reword", "likelihood": "words"}


def _asked(provider: FakeProvider) -> Counter[str]:
    """How often each request came."""
    return Counter(json.dumps(body.get("messages", body.get("prompt"))) for body in provider.bodies)


def _errors(folder: Path, count: int) -> list[str]:
    return [(folder / f"{number}.err").read_text("utf-8") for number in range(count)]


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_is_asked_twice_by_two_that_start_at_once(
    name: str, fresh_store: Store, sample_id: str, provider: FakeProvider, tmp_path: Path
) -> None:
    provider.latency, model = 0.3, MODELS.get(name, "always-a")
    secret = tmp_path / "private.dcqsecret"
    secret.write_bytes(to_bytes(a_secret(6)))
    samples.save(fresh_store, small_sample(key="lakes", role=PartitionRole.CONTROL))
    known = {
        "SECRET": str(secret),
        "SCORED": accepted(fresh_store, 8) if name == "score" else "",
        "SAMPLE": sample_id,
        "QUIZ": freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD).quiz,
        "BDQ": freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz,
    }
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    started = [
        commands.start(
            [*(known.get(word, word) for word in words), "--model", model],
            environment,
            stderr=str(tmp_path / f"{number}.err"),
        )
        for number, words in enumerate(PAIRS[name])
    ]
    for process in started:
        process.join(60)
    errors = _errors(tmp_path, 2)
    codes = [process.exitcode or 0 for process in started]
    asks_other_questions = name.startswith("v2 and") and 0 in codes
    assert codes.count(2) == 1 or asks_other_questions, errors  # the other may find no answer
    asked = _asked(provider)
    assert asked
    assert set(asked.values()) == {1}, errors
    told = next(error for error, code in zip(errors, codes, strict=True) if code == max(codes))
    assert "since" in told or "about to begin" in told
    assert "Traceback" not in told


def test_a_command_that_comes_after_the_app_is_told(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    provider.latency = 0.3
    [run_id] = launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a"], Options(Terms(limit=4)))
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    done = commands.run("run", quiz_id, "--model", "always-a", environment=environment)
    assert done.returncode == 2
    assert run_id in done.stderr
    wait_until_ended(fresh_store, [run_id])
    assert set(_asked(provider).values()) == {1}
    again = commands.run("run", quiz_id, "--model", "always-a", environment=environment)
    assert again.returncode == 0


def test_other_questions_of_the_same_sample_are_asked_beside_them(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    provider.latency = 0.2
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    started = [
        commands.start(
            ["run", freeze.freeze(fresh_store, sample_id, kind).quiz, "--model", "always-a"],
            environment,
        )
        for kind in (QuizKind.STANDARD, QuizKind.MODIFIED)
    ]
    for process in started:
        process.join(60)
    assert [process.exitcode for process in started] == [0, 0]


def test_after_a_killed_holder_the_next_may_begin_at_once(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 2
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    words = ["run", quiz_id, "--model", "always-a"]
    first = commands.start(words, environment)
    wait_for(lambda: provider.counts["always-a"] > 2)
    told = commands.run(*words, environment=environment)
    assert told.returncode == 2
    assert f"PID {first.pid}" in told.stderr
    first.kill()
    first.join(10)
    provider.answers_at_most = float("inf")
    commands.run(*words, "--resume", environment=environment).check_returncode()
    assert len(runs.listing(fresh_store)) == 1
