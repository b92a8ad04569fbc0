"""``run --reuse``, ``--rpm`` and ``--tpm`` as a person types them."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner, Result

from dcq.cli import app
from dcq.errors import ModelChoiceError
from dcq.records import Kind
from dcq.runs import freeze
from dcq.store import Store
from tests.support.provider import Provider


@pytest.fixture
def quiz(fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    return freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz


def run(quiz: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["run", quiz, "--model", "guess", "--json", *words])


def test_what_is_reused_is_counted_on_stderr(quiz: str, provider: Provider) -> None:
    first, second = run(quiz), run(quiz, "--reuse")
    assert second.exit_code == 0
    assert "6 answers are reused" in second.stderr
    told, again = json.loads(first.stdout), json.loads(second.stdout)
    assert again["run"] != told["run"]
    assert (again["outcomes"], again["n"]) == (told["outcomes"], 6)
    assert (again["tokens_in"], again["tokens_out"]) == (0, 0)
    assert provider.counts["guess"] == 6


def test_requests_a_minute_are_kept(quiz: str, provider: Provider) -> None:
    began = time.monotonic()
    assert run(quiz, "--rpm", "150").exit_code == 0  # two and a half a second; as many saved up
    assert time.monotonic() - began >= 3.5 / 2.5 - 0.5
    assert provider.counts["guess"] == 6


@pytest.mark.parametrize("option", ["--rpm", "--tpm"])
def test_a_limit_of_nothing_is_a_mistake(quiz: str, provider: Provider, option: str) -> None:
    failed = run(quiz, option, "0")
    assert isinstance(failed.exception, ModelChoiceError)
    assert failed.exception.exit_code == 2
    assert not provider.counts
