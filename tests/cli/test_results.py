from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from dcq.cli import app
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, studies
from tests.conftest import KEY
from tests.support import replications, scanned
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import answer


def test_an_unfinished_run_is_marked_and_gives_way_to_a_finished_one(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    monkeypatch.setenv("COLUMNS", "300")
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 2})
    shell = CliRunner()
    said = shell.invoke(app, ["results"]).stdout
    assert "unfinished" in said.splitlines()[0]
    assert "2 of 6" in said.splitlines()[1]
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
        *("verdict", "reasons", "outcomes", "method", "estimate", "low", "high", "unit"),
        "changed",
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
        in shell.invoke(app, ["results", "--compare", "--partition", "ag_news/test"]).stdout
    )


def _results(*options: str) -> Result:
    done = CliRunner().invoke(app, ["results", *options], catch_exceptions=False)
    assert done.exit_code == 0
    return done


@pytest.fixture(scope="module")
def once_replicated(
    empty_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """A store, and the runs in it of a model that recites one of four partitions; the others are
    controls."""
    path = tmp_path_factory.mktemp("replicated") / "dcq.duckdb"
    shutil.copy(empty_store, path)
    store, made = Store(path), {}
    with FakeProvider(key=KEY) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", running.base_url)
        patch.setenv("OPENAI_API_KEY", KEY)
        for key in ("brooks", "lakes", "ponds", "seas"):
            role = PartitionRole.TARGET if key == "brooks" else PartitionRole.CONTROL
            sample_id, texts = replications.save(store, 20, key=key, role=role)
            running.seen += tuple(texts[:-2]) if key == "brooks" else ()
            made[key] = asyncio.run(
                replicate(store, sample_id, "recites", Design(judge="judges"))
            ).run
    return path, made


@pytest.fixture
def replicated(
    once_replicated: tuple[Path, dict[str, str]],
    fresh_store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, str]:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    monkeypatch.setenv("COLUMNS", "300")
    path, made = once_replicated
    shutil.copy(path, fresh_store.path)
    return made


def test_replications_alone_are_results(replicated: dict[str, str]) -> None:
    """Before, "No results yet" was said of them."""
    rows = {row["partition"]: row for row in json.loads(_results("--json").stdout)}
    assert set(rows) == {f"{key}/test" for key in replicated}
    row = rows["brooks/test"]
    assert {key for key, value in row.items() if value is None} == {
        *("kind", "mode", "slot", "correct", "score", "kappa_fixed", "kappa_low", "kappa_high"),
        *("p_value", "kappa_control", "min", "max", "kappa", "changed"),
    }
    assert (row["method"], row["unit"], row["n"]) == ("replication", "match rate", 20)
    assert row["estimate"] == pytest.approx(0.9)
    assert (row["low"], row["high"]) == (
        pytest.approx(0.699, abs=1e-3),
        pytest.approx(0.972, abs=1e-3),
    )
    assert row["verdict"] == "contaminated"
    assert row["p_control"] == row["q_control"] == row["p_control_holm"] < 0.05
    assert any("90.0 % of the instances were completed" in reason for reason in row["reasons"])
    assert row["outcomes"] == {"completion": 40}
    control = rows["lakes/test"]
    assert (control["role"], control["verdict"], control["estimate"]) == ("control", None, 0.0)
    assert control["p_control"] is control["q_control"] is None
    said = _results().stdout
    assert "No results yet" not in said
    assert "90.0 %" in said
    assert "[70 %, 97 %]" in said
    assert "recites on brooks/test, replication: Contaminated. recites on Brooks test" in said
    assert "score" not in said.splitlines()[0]  # there is no quiz to make a table of


def test_quizzes_and_replications_stand_in_one_list(
    replicated: dict[str, str], fresh_store: Store, tmp_path: Path
) -> None:
    before = json.loads(_results("--json").stdout)
    put(fresh_store, "rivers", SEEN)
    rows = json.loads(_results("--json").stdout)
    assert [row["method"] for row in rows] == ["quiz", *["replication"] * 4]
    quiz = rows[0]
    assert len({tuple(row) for row in rows}) == 1  # the same keys in the same order
    assert (quiz["estimate"], quiz["unit"]) == (quiz["kappa_fixed"], "kappa")
    assert (quiz["low"], quiz["high"]) == (quiz["kappa_low"], quiz["kappa_high"])
    assert rows[1:] == before  # corrected apart
    said = _results().stdout
    assert " κ " in said.splitlines()[0]
    assert "match rate" in said
    for path in (tmp_path / "all.csv", tmp_path / "all.jsonl", tmp_path / "all.parquet"):
        CliRunner().invoke(app, ["export", "results", "--to", str(path)], catch_exceptions=False)
    table = pd.read_parquet(tmp_path / "all.parquet").set_index("run")
    assert len(table) == 5
    seen = table.loc[replicated["brooks"]]
    assert (seen["method"], seen["unit"], seen["exact"]) == ("replication", "match rate", 18)
    assert seen["reasons"].startswith("90.0 %")
    written = pd.read_csv(tmp_path / "all.csv", dtype=str).set_index("method")
    assert written.loc["quiz", "correct"] == "80"  # a count stays whole beside rows without it


def test_filters_and_studies_hold_for_every_method(
    replicated: dict[str, str], fresh_store: Store
) -> None:
    put(fresh_store, "rivers", SEEN)

    def shown(*options: str) -> list[tuple[str, str]]:
        rows: list[dict[str, Any]] = json.loads(_results("--json", *options).stdout)
        return [(row["method"], row["partition"]) for row in rows]

    assert shown("--partition", "brooks/test") == [("replication", "brooks/test")]
    assert {method for method, _ in shown("--model", "recites")} == {"replication"}
    assert shown("--model", "tester@http://127.0.0.1:9/v1") == [("quiz", "rivers/test")]
    whole = {row["partition"]: row for row in json.loads(_results("--json").stdout)}
    [alone] = json.loads(_results("--json", "--partition", "brooks/test").stdout)
    assert alone == whole["brooks/test"]
    studies.save(fresh_store, studies.Study("Quizzes", methods=(studies.QUIZ,)))
    assert {method for method, _ in shown("--study", "Quizzes")} == {"quiz"}
    assert "There is no result of judges yet." in _results("--model", "judges").stdout


def test_a_search_is_said_to_be_there_and_is_in_no_list(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    run = scanned.scan(fresh_store, scanned.save(fresh_store, 4), tmp_path / "corpus", [0, 1])
    done = _results("--json")
    assert json.loads(done.stdout) == []
    assert f"leads/test (run {run})" in done.stderr
    assert "page Overlap" in done.stderr
    assert _results("--partition", "ag_news/test").stderr == ""


def test_a_replication_without_a_judge_counts_exact_matches_only(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    sample_id, texts = replications.save(fresh_store, 4)
    provider.seen = (texts[0],)
    asyncio.run(replicate(fresh_store, sample_id, "recites"))
    [row] = json.loads(_results("--json").stdout)
    assert (row["n"], row["estimate"], row["verdict"]) == (4, 0.25, "inconclusive")
    assert row["q_control"] is None
    said = _results().stdout
    assert "only exact matches count" in said
    assert "✗ controls: There is no control partition" in said


def test_a_replication_of_which_nothing_is_usable_has_no_estimate(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    sample_id, _ = replications.save(fresh_store, 4)
    asyncio.run(replicate(fresh_store, sample_id, "refuses", Design(judge="judges")))
    [row] = json.loads(_results("--json").stdout)
    assert (row["n"], row["estimate"], row["low"], row["high"]) == (0, None, None, None)
    assert row["outcomes"] == {"refused": 8}
    assert "8 refused" in _results().stdout
