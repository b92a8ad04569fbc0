from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.quiz import freeze
from dcq.records import Kind
from dcq.store import Store
from tests.report.test_study import SEEN, UNSEEN, put, put_controls
from tests.support.runs import answer


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


def test_filters_change_what_is_shown_and_no_verdict(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    shell = CliRunner()

    def rows(*options: str) -> dict[str, dict[str, object]]:
        printed = shell.invoke(app, ["results", "--json", *options])
        return {row["partition"]: row for row in json.loads(printed.stdout)}

    whole = rows()
    assert set(whole["rivers/test"]) == {
        *("model", "partition", "role", "kind", "mode", "slot", "n", "correct", "score"),
        *("kappa_fixed", "kappa_low", "kappa_high", "p_value", "kappa_control", "p_control"),
        *("q_control", "p_control_holm", "min", "max", "kappa"),
        *("verdict", "reasons", "outcomes", "changed"),
    }
    assert whole["rivers/test"]["verdict"] == "contaminated"
    assert whole["rivers/test"]["slot"] == "D"
    assert whole["unseen-0/test"]["verdict"] is None
    assert rows("--partition", "rivers/test") == {"rivers/test": whole["rivers/test"]}
    path = fresh_store.path.parent / "results.jsonl"
    shell.invoke(app, ["export", "results", "--to", str(path)])
    written = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {r["partition"]: (r["verdict"], r["q_control"]) for r in written} == {
        key: (row["verdict"], pytest.approx(row["q_control"])) for key, row in whole.items()
    }


def test_comparisons_have_a_document_of_their_own(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", UNSEEN, model="other@http://127.0.0.1:9/v1")
    shell = CliRunner()
    [one] = json.loads(shell.invoke(app, ["results", "--compare", "--json"]).stdout)
    assert one["paired"]
    assert one["difference"] == pytest.approx(0.54)
    assert one["low"] < 0.54 < one["high"]
    assert one["p_holm"] == one["p_value"] < 0.001
    assert "+54 points" in shell.invoke(app, ["results", "--compare"]).stdout
    assert (
        "Nothing to compare"
        in shell.invoke(app, ["results", "--compare", "--partition", "none/test"]).stdout
    )
