"""``app``: what becomes of its options. That the app comes up: tests/browser/test_installed.py."""

from __future__ import annotations

import os
import sys

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.places import APP


class Replaced(Exception):  # noqa: N818  (no error: this process would be another now)
    pass


@pytest.fixture(autouse=True)
def no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def execv(path: str, words: list[str]) -> None:
        raise Replaced(path, words)

    monkeypatch.setattr(os, "execv", execv)


@pytest.mark.parametrize(
    ("given", "handed_on"),
    [
        ([], []),
        (["--port", "8600"], ["--server.port", "8600"]),
        (["--headless"], ["--server.headless", "true"]),
        (["--no-headless"], ["--server.headless", "false"]),
        (["--", "--server.baseUrlPath", "quiz"], ["--server.baseUrlPath", "quiz"]),
        (["--port", "8600", "--", "--x", "; rm"], ["--server.port", "8600", "--x", "; rm"]),
    ],
    ids=str,
)
def test_options_are_handed_on(given: list[str], handed_on: list[str]) -> None:
    done = CliRunner().invoke(app, ["app", *given])
    assert isinstance(done.exception, Replaced), done.output
    begins = [sys.executable, "-P", "-m", "streamlit", "run", str(APP)]
    assert done.exception.args == (sys.executable, [*begins, *handed_on])


@pytest.mark.parametrize("given", [["--port", "0"], ["--port", "65536"], ["--key", "sk-1"]])
def test_what_makes_no_sense_is_refused(given: list[str]) -> None:
    assert CliRunner().invoke(app, ["app", *given]).exit_code == 2


def test_it_says_which_release_it_is() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, "dcq 0.1.0\n")
