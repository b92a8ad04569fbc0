from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.records import Kind
from dcq.runs import freeze
from dcq.store import Store
from tests.runs.conftest import answer


def test_an_unfinished_run_is_marked_and_gives_way_to_a_finished_one(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    monkeypatch.setenv("COLUMNS", "300")
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 2})
    shell = CliRunner()
    assert "2 of 6, unfinished" in shell.invoke(app, ["results"]).stdout
    [row] = json.loads(shell.invoke(app, ["results", "--json"]).stdout)
    assert row["n"] == 2
    answer(fresh_store, quiz, {"A": 6})
    answer(fresh_store, quiz, {"D": 3})
    assert "unfinished" not in shell.invoke(app, ["results"]).stdout
    [row] = json.loads(shell.invoke(app, ["results", "--json"]).stdout)
    assert (row["n"], row["correct"]) == (6, 0)
