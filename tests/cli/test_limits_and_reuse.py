"""``run --reuse``, ``--rpm`` and ``--tpm`` as a person types them."""

from __future__ import annotations

import json
import os
import time

import pytest
from typer.testing import CliRunner, Result

from dcq.cli import app
from dcq.errors import InputError, ModelChoiceError
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store
from tests.support import commands
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow


@pytest.fixture
def quiz(fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    return freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz


# 150 a minute are two and a half a second; as many may be saved up.
AT_ONCE = 2.5


def took(provider: FakeProvider, began: float) -> float:
    """Seconds until the last call came. The first one may come late, as a connection is made for
    it, and the others need not wait for that."""
    return max(provider.asked_at) - began


def run(quiz: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["run", quiz, "--model", "guess", "--json", *words])


def test_what_is_reused_is_counted_on_stderr(quiz: str, provider: FakeProvider) -> None:
    first, second = run(quiz), run(quiz, "--reuse")
    assert second.exit_code == 0
    assert "6 replies are reused" in second.stderr
    before, again = json.loads(first.stdout), json.loads(second.stdout)
    assert again["run"] != before["run"]
    assert (again["outcomes"], again["n"]) == (before["outcomes"], 6)
    assert (again["tokens_in"], again["tokens_out"]) == (0, 0)
    assert provider.counts["guess"] == 6


def test_requests_a_minute_are_kept(quiz: str, provider: FakeProvider) -> None:
    began = time.monotonic()
    assert run(quiz, "--rpm", "150").exit_code == 0
    assert len(provider.asked_at) == 6
    assert took(provider, began) >= (6 - AT_ONCE) / 2.5


def test_processes_keep_the_limits_of_a_provider_together(
    quiz: str, provider: FakeProvider
) -> None:
    words = ["run", quiz, "--rpm", "150", "--model"]
    began = time.monotonic()
    both = [commands.start([*words, model]) for model in ("always-a", "always-b")]
    for process in both:
        process.join(120)
    assert [process.exitcode for process in both] == [0, 0]
    assert provider.counts == {"always-a": 6, "always-b": 6}
    assert took(provider, began) >= (12 - AT_ONCE) / 2.5


@pytest.mark.parametrize("option", ["--rpm", "--tpm"])
def test_a_limit_of_nothing_is_a_mistake(quiz: str, provider: FakeProvider, option: str) -> None:
    failed = run(quiz, option, "0")
    assert isinstance(failed.exception, ModelChoiceError)
    assert failed.exception.exit_code == 2
    assert not provider.counts


def test_a_run_is_gone_on_with_by_its_id(quiz: str, provider: FakeProvider) -> None:
    first = json.loads(run(quiz, "--limit", "2").stdout)
    run(quiz, "--limit", "1")  # another of the same quiz and model
    done = CliRunner().invoke(app, ["run", "--run", first["run"][:-1], "--json"])
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["run"] == first["run"]
    assert json.loads(done.stdout)["n"] == 6
    assert provider.counts["guess"] == 7


@pytest.mark.parametrize(
    "words", [[], ["QUIZ"], ["--model", "guess"], ["QUIZ", "--run", "x"], ["--run", "no-such"]]
)
def test_a_run_needs_to_know_its_quiz_and_model(
    quiz: str, provider: FakeProvider, words: list[str]
) -> None:
    words = [quiz if word == "QUIZ" else word for word in words]
    failed = CliRunner().invoke(app, ["run", *words])
    assert isinstance(failed.exception, InputError)
    assert not provider.counts


def test_a_model_with_brackets_in_its_name_is_asked(quiz: str, provider: FakeProvider) -> None:
    words = ["run", quiz, "--model", f"m[/x]@{provider.base_url}"]
    shows_progress = os.environ | {"FORCE_COLOR": "1", "DCQ_API_KEY": provider.key}
    done = commands.run(*words, environment=shows_progress)
    assert provider.counts == {"m[/x]": 1}
    assert "Traceback" not in done.stderr
    assert "m[/x]" in done.stderr


def test_a_rewording_that_stops_says_what_is_open(
    quiz: str, sample_id: str, provider: FakeProvider
) -> None:
    words = ["perturb", sample_id, "--model", "reword", "--again", "--max-calls", "2"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, done.output
    [sentence] = [line for line in done.stdout.splitlines() if "variants written" in line]
    assert sentence.startswith("6 variants written for 6 instances, 18 left open. Next: ")
    rest = sentence.partition("python -m dcq ")[2].split()
    assert CliRunner().invoke(app, [*rest, "--max-calls", "99"]).exit_code == 0
