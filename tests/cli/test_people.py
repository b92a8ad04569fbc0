"""What people found, as a script reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import InputError
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.shell import Shell
from tests.support.sittings import take

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


def test_nobody_then_two(shell: Shell, fresh_store: Store, tmp_path: Path) -> None:
    sample = samples.save(fresh_store, small_sample(25))
    found = shell.json("people", sample)
    assert (found["people"], found["n"], found["kappa_fixed"]) == (0, 0, None)
    assert found["sittings"] == []
    assert "Nobody has taken the quiz" in shell.run("people", sample).stdout
    take(fresh_store, sample, "Ada [b]", 3)
    take(fresh_store, sample, "Ben", 20)
    found = shell.json("people", sample[:5])
    assert (found["people"], found["n"], found["correct"]) == (2, 40, 23)
    assert found["kappa_low"] < found["kappa_fixed"] < found["kappa_high"]
    shown = shell.run("people", sample).stdout
    assert "all people, pooled" in shown
    assert "Ada [b]" in shown
    file = tmp_path / "people.csv"
    assert shell.json("export", "people", sample, "--to", str(file))["rows"] == 40


def test_a_sample_that_is_not_there(shell: Shell) -> None:
    failed = shell.run("people", "nothing")
    assert failed.returncode == 2
    assert "No sample has the id 'nothing'" in failed.stderr


@pytest.mark.parametrize("name", ["R\nX", "R\u202eX", "x" * 500, "\u0410nna"])
@pytest.mark.parametrize("words", ["burn SAMPLE 0001 --by", "make SAMPLE --accepted-by"])
def test_decisions_are_kept_in_the_name_of_somebody_who_can_be_read(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch, words: str, name: str
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    line = [sample_id if word == "SAMPLE" else word for word in words.split()]
    done = CliRunner().invoke(app, ["protect", *line, name])
    assert isinstance(done.exception, InputError)
    assert "Name the person" in str(done.exception)
