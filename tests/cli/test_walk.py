"""The whole walk as a script would take it: real processes, a real HTTP server, a real store."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dcq.settings import DATA
from dcq.store import Store, variants
from tests.conftest import KEY
from tests.support.provider import FakeProvider
from tests.support.shell import Shell

pytestmark = pytest.mark.slow

NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


def test_from_a_file_to_a_kappa_table(
    store_path: Path, provider: FakeProvider, tmp_path: Path
) -> None:
    shell = Shell(store_path, provider.base_url, new_python=True)
    texts = [f"A heavy storm number {i} struck the little harbour at night" for i in range(8)]
    rows = tmp_path / "storms.csv"
    with rows.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "topic"])
        writer.writerows([text, "weather"] for text in texts)

    sample = shell.json(
        "sample", "storms", "train", "--file", str(rows), "--text", "body", "--label", "topic",
        "--n", "6",
    )  # fmt: skip
    assert set(sample) == {
        *("sample", "partition", "n", "requested", "language"),
        *("task", "source", "revision", "rows"),
    }
    assert (sample["n"], sample["requested"]) == (6, 6)

    shell.new_python = False  # what a start does is the same for each command
    written = shell.json("perturb", sample["sample"], "--model", "reword", "--variants", "4")
    assert written["sample"] == sample["sample"]
    assert (written["instances"], written["variants"], written["failed"]) == (6, 24, 0)
    assert written["tokens_out"] > 0

    modified = shell.json("quiz", sample["sample"], "--kind", "modified")
    assert modified == {"quiz": modified["quiz"], "kind": "modified", "items": 6, "slot": None}
    shell.json("run", modified["quiz"], "--model", "always-c")
    # Model C-lover never chose A, B or D: among the tied, D.
    standard = shell.json("quiz", sample["sample"], "--kind", "standard", "--model", "always-c")
    assert standard["slot"] == "D"

    shell.new_python = True
    run = shell.json("run", standard["quiz"], "--model", "always-d")
    shell.new_python = False
    assert set(run) == {
        "run", "quiz", "model", "outcomes", "correct", "n", "tokens_in", "tokens_out", "cost_usd",
        "cost_is_exact",
    }  # fmt: skip
    assert (run["correct"], run["n"], run["outcomes"]["answered"]) == (6, 6, 6)
    assert run["tokens_in"] > 0
    assert run["cost_usd"] is None  # nobody knows the price of always-d

    table = shell.json("results", "--model", "always-d")
    assert len(table) == 1
    assert set(table[0]) == {
        "model", "partition", "role", "kind", "mode", "slot", "n", "correct", "score",
        "kappa_fixed", "kappa_low", "kappa_high", "p_value", "kappa_control", "p_control",
        "q_control", "p_control_holm", "verdict", "reasons", "outcomes", "min", "max", "kappa",
        "method", "estimate", "low", "high", "unit", "changed",
    }  # fmt: skip
    assert (table[0]["score"], table[0]["kappa_fixed"]) == (1.0, 1.0)

    again = shell.json("run", standard["quiz"], "--model", "always-d", "--resume")
    assert again["run"] == run["run"]
    assert provider.counts["always-d"] == 6

    status = shell.json("status")
    assert {r["state"] for r in status["runs"]} == {"finished"}

    out = tmp_path / "out.csv"
    shell.json("export", "answers", run["run"], "--to", str(out))
    with out.open(newline="") as file:
        assert [row["letter"] for row in csv.DictReader(file)] == ["D"] * 6


def test_variants_are_written_with_the_prompt_that_is_chosen(
    shell: Shell, provider: FakeProvider, fresh_store: Store
) -> None:
    drawn = shell.json("sample", "control-nli", "test", "--n", "3")["sample"]
    asked = {}
    for prompt in ("v1", "v2"):
        provider.bodies.clear()
        written = shell.json("perturb", drawn, "--model", "reword", "--prompt", prompt, "--anew")
        assert (written["variants"], written["failed"]) == (12, 0)
        asked[prompt] = [str(body["messages"][0]["content"]) for body in provider.bodies]
        assert {(b["temperature"], b["max_tokens"]) for b in provider.bodies} == {(1.0, 4000)}
        now = variants.current(fresh_store, drawn).values()
        by_slot = {slot: {texts[slot].prompt for texts in now} for slot in range(4)}
        if prompt == "v1":
            assert by_slot == {slot: {"perturb/v1"} for slot in range(3)} | {3: {"perturb/v1-own"}}
        else:
            assert by_slot == {slot: {"perturb/v2"} for slot in range(4)}
    assert sum("create a three-choice quiz" in text for text in asked["v1"]) == 3
    assert sum("create a one-choice quiz" in text for text in asked["v1"]) == 3
    assert len(asked["v1"]) == 6
    assert len(asked["v2"]) == 3
    assert all(
        text.endswith("Fourth word-level perturbation goes here\n---\n") for text in asked["v2"]
    )
    code, said = shell.fails("perturb", drawn, "--prompt", "v2")
    assert code == 2
    assert "--model" in said


def test_offline_variants_are_written_without_a_model(shell: Shell) -> None:
    sample = shell.json("sample", "kjv", "verses", "--n", "4", "--seed", "3")
    written = shell.json("perturb", sample["sample"])
    assert written["variants"] + written["failed"] == 16
    assert written["variants"] >= 8


def test_a_sample_travels_as_a_file(shell: Shell, tmp_path: Path) -> None:
    sample = shell.json("sample", "control-summaries", "test", "--n", "5")["sample"]
    shell.json("export", "sample", sample, "--to", str(tmp_path / "sample.json"))
    elsewhere = Shell(tmp_path / "other" / "dcq.duckdb")
    assert elsewhere.json("import", str(tmp_path / "sample.json"))["sample"] == sample
    assert elsewhere.json("quiz", sample, "--kind", "rotated")["items"] == 20


def test_kappa_gives_table_1_by_the_formula(shell: Shell) -> None:
    rows = shell.json("kappa")
    assert len(rows) == 28
    with (DATA / "reference" / "dcq_table1.csv").open(newline="") as file:
        for row, printed in zip(rows, csv.DictReader(file), strict=True):
            assert f"{100 * row['contamination']:.2f}" == printed["formula_contamination_pct"]
    [misprint] = [r for r in rows if abs(r["contamination"] - r["printed"]) > 1e-3]
    assert (misprint["model"], misprint["dataset"]) == ("gpt-4-0613", "WNLI")
    one = shell.json("kappa", "--correct", "65", "--n", "100")
    assert list(one) == [
        "n",
        "correct",
        "score",
        "kappa_fixed",
        "kappa_low",
        "kappa_high",
        "p_value",
    ]
    assert round(one["kappa_fixed"], 4) == 0.5333
    assert shell.json("kappa", "--correct", "0", "--n", "0")["kappa_fixed"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("kappa", "--correct", "5"), "--n"),
        (("kappa", "--correct", "9", "--n", "5"), "correct"),
        (("sample", "ag_nws", "train"), "ag_news"),
        (("sample", "control-news", "no-such-split"), "choose from"),
        (("sample", "control-news", "test", "--n", "0"), "at least 1"),
        (("sample", "mine", "x", "--file", "/no/such/file.csv"), "/no/such/file.csv"),
        (("perturb", "nosuch"), "status"),
        (("quiz", "nosuch"), "status"),
        (("run", "nosuch", "--model", "always-a"), "status"),
        (("export", "answers"), "--to"),
        (("export", "nonsense", "--to", "x.csv"), "choose from"),
        (("import", "/no/such/file.json"), "cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_2(
    shell: Shell, words: tuple[str, ...], message: str
) -> None:
    code, stderr = shell.fails(*words)
    assert code == 2
    assert message in stderr
    assert len(stderr.splitlines()) == 1


def test_endpoint_trouble_is_one_sentence_and_exit_1(
    shell: Shell, provider: FakeProvider, store_path: Path
) -> None:
    sample = shell.json("sample", "control-nli", "test", "--n", "3")["sample"]
    quiz = shell.json("quiz", sample, "--kind", "standard")["quiz"]
    code, stderr = shell.fails("run", quiz, "--model", "no-such-model")
    assert code == 1
    assert "no-such-model" in stderr.splitlines()[-1]
    wrong = Shell(store_path, provider.base_url, key="sk-wrong-and-secret")
    code, stderr = wrong.fails("run", quiz, "--model", "always-a")
    assert code == 1
    assert "OPENAI_API_KEY" in stderr
    assert "sk-wrong" not in stderr
    missing = Shell(store_path, "https://api.openai.com/v1", key="")
    assert missing.fails("run", quiz, "--model", "gpt-4o")[0] == 2
    assert shell.json("results") == []


def test_a_budget_is_kept(shell: Shell, provider: FakeProvider) -> None:
    sample = shell.json("sample", "control-news", "test", "--n", "20")["sample"]
    quiz = shell.json("quiz", sample, "--kind", "standard")["quiz"]
    done = shell.run("run", quiz, "--model", "gpt-4o-mini", "--budget", "0.0007", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert "budget" in done.stderr
    assert 0 < report["n"] < 20
    assert report["cost_usd"] <= 0.0007
    assert shell.json("run", quiz, "--model", "gpt-4o-mini", "--resume", "--budget", "1")["n"] == 20
    code, stderr = shell.fails("run", quiz, "--model", "always-a", "--budget", "1")
    assert code == 2
    assert "price" in stderr


def test_doctor_never_shows_a_key(shell: Shell) -> None:
    done = shell.run("doctor")
    assert done.returncode == 0
    assert "OPENAI_API_KEY set" in done.stdout
    assert KEY not in done.stdout + done.stderr


@pytest.mark.embedded
def test_the_embedded_model_takes_a_quiz(store_path: Path) -> None:
    shell = Shell(store_path)
    sample = shell.json("sample", "control-nli", "test", "--n", "2")["sample"]
    for kind in ("modified", "standard"):
        quiz = shell.json("quiz", sample, "--kind", kind)["quiz"]
        run = shell.json("run", quiz, "--model", "embedded")
        assert sum(run["outcomes"].values()) == 2
        assert run["outcomes"]["error"] == 0
        assert run["cost_usd"] == 0
    assert [row["kind"] for row in shell.json("results")] == ["modified", "standard"]
