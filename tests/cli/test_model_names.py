"""A model's name that goes nowhere, or to somebody who was not meant, is refused by every command
that asks models, before a call.

The options are those of the commands themselves: a new one that names a model fails here until it
is listed with a call that comes to it, or among those that only choose among what was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import ModelChoiceError
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, runs, samples
from tests.conftest import small_sample
from tests.support.scoring import accepted

ASKING = {
    "perturb --model": "perturb {sample} --model {name}",
    "run --model": "run {quiz} --model {name}",
    "v2 --model": "v2 {sample} --model {name}",
    "investigate --model": "investigate {sample} --model {name}",
    "investigate --rewordings": "investigate {sample} --model embedded --rewordings {name} --yes",
    "replicate --model": "replicate {sample} --model {name}",
    "replicate --judge": "replicate {sample} --model embedded --judge {name}",
    "likelihood --model": "likelihood {sample} --model {name}",
    "score --model": "score {scored} --model {name}",
    "score --reference": "score {scored} --model embedded --reference {name}",
    "protect check --model": "protect check {secret} --model {name}",
    "protect watch --model": "protect watch {secret} --model {name}",
}
CHOOSING = {
    *("quiz --model", "results --model", "answer --model", "consistency --model"),
    *("study save --model", "matter --reference", "passport make --model", "export --model"),
    *(
        "study init --model",
        "study init --rewordings",
    ),  # written into a file, which the commands that ask read
    "ask --model",  # by the engine, as the others; no method of today is without its own command
    "imported ask-again --model",  # asks by ``run``: tests/files/test_others.py
}
WRONG = {
    "antropic:claude-3-haiku": "anthropic:claude-3-haiku",
    "knows@127.0.0.1:8901/v1": "knows@http://127.0.0.1:8901/v1",
    "claude-3-5-sonnet": "anthropic:claude-3-5-sonnet",
    "http://127.0.0.1:8901/v1": "NAME@http://127.0.0.1:8901/v1",
}


def _named() -> Iterator[str]:
    def walk(command: Any, path: str) -> Iterator[str]:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                yield from walk(inner, f"{path} {name}".strip())
            return
        for parameter in command.params:
            for option in parameter.opts:
                if option.strip("-") in ("model", "judge", "reference", "writer", "rewordings"):
                    yield f"{path} {option}"

    return walk(typer.main.get_command(app), "")


def test_every_option_that_names_a_model_is_listed() -> None:
    assert set(_named()) == {*ASKING, *CHOOSING}


@pytest.fixture
def places(fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "a key")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    sample = samples.save(fresh_store, small_sample(8))
    closed = samples.save(fresh_store, small_sample(8, key="lakes"))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="A").quiz
    made = CliRunner().invoke(
        app, ["protect", "make", closed, "--out", str(tmp_path / "p"), "--accepted-by", "R."]
    )
    assert made.exit_code == 0, made.exception
    secret = tmp_path / "p" / "private.dcqsecret"
    return {
        **{"sample": sample, "quiz": quiz, "scored": accepted(fresh_store, 8)},
        "secret": str(secret),
    }


@pytest.mark.parametrize("option", list(ASKING))
def test_a_name_that_is_not_meant_so_is_refused(
    fresh_store: Store, places: dict[str, str], option: str
) -> None:
    for name, right in WRONG.items():
        words = [word.format(**places, name=name) for word in ASKING[option].split()]
        done = CliRunner().invoke(app, words)
        assert isinstance(done.exception, ModelChoiceError), (words, done.output, done.exception)
        assert right in str(done.exception)
    assert runs.listing(fresh_store) == []
