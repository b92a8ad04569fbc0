from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.documents import deck
from dcq.effect import matter, stored
from dcq.errors import InputError
from dcq.evidence.constat import constat
from dcq.store import Store
from tests.effect.test_task import accept, saved
from tests.support.matter import answers
from tests.support.result_files import write_csv

KEYS = {
    *("model", "n", "original", "reworded", "drop", "low", "high", "expected_drop"),
    *("inflation", "inflation_low", "inflation_high", "p_value", "verdict", "constat"),
}


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch, store_path: Path) -> None:
    monkeypatch.setenv("DCQ_STORE", str(store_path))
    monkeypatch.setattr(matter, "constat", partial(constat, samples=20))


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rows = [
        {
            "model": one.model,
            "role": one.role,
            "instance_id": one.instance_id,
            "version": one.version,
            "correct": int(one.correct),
        }
        for one in answers(n=120, gain=0.4)
    ]
    return write_csv(tmp_path / "scores.csv", rows)


def test_the_json_has_the_promised_keys(scores: Path, tmp_path: Path) -> None:
    seen = [{"model": "target", "instance_id": f"i{k}", "seen": k % 2} for k in range(120)]
    path = write_csv(tmp_path / "seen.csv", seen)
    done = CliRunner().invoke(app, ["matter", str(scores), "--seen", str(path), "--json"])
    first, *others = json.loads(done.stdout)
    assert done.exit_code == 0
    assert first.keys() >= KEYS
    assert first["constat"].keys() == {"delta", "low", "p_value"}
    assert first["within"].keys() >= {"seen", "rest", "difference", "low", "high", "p_value"}
    assert first["verdict"] == "inflated"
    assert {one["verdict"] for one in others} == {None}
    assert first["drop"] == pytest.approx(first["original"] - first["reworded"])


def test_what_a_person_reads(scores: Path) -> None:
    done = CliRunner().invoke(app, ["matter", str(scores), "--chance", "0.25"])
    assert "clean models lose" in done.stdout
    assert "Inflated." in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--chance", "1"], "--chance"),
        (["--reference", "nobody"], "nobody"),
        (["--keep"], "--partition"),
        (["--partition", "no/where"], "no/where"),
    ],
)
def test_mistakes_are_told(scores: Path, fresh_store: Store, words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["matter", str(scores), *words])
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)


def test_kept_scores_are_in_reports_and_say_the_same(scores: Path, fresh_store: Store) -> None:
    words = ["matter", str(scores), "--keep", "--partition", "rivers/test", "--json"]
    printed = json.loads(CliRunner().invoke(app, words).stdout)
    made = deck.build(fresh_store)
    [part] = [one for one in made.sections if one.part == "effect"]
    assert any("inflation" in sentence for sentence in part.sentences)
    assert [one["inflation"] for one in made.data["effects"]] == [
        one["inflation"] for one in printed
    ]
    assert "Inflated" in stored.beside(fresh_store, "target", "rivers/test")
    assert stored.beside(fresh_store, "target", "lakes/test") == ""
    assert stored.beside(fresh_store, "ref-0", "rivers/test") == ""


def test_a_task_is_exported(fresh_store: Store, tmp_path: Path) -> None:
    sample_id = saved(fresh_store)
    accept(fresh_store, sample_id)
    words = ["export", "task", sample_id, "--to", str(tmp_path / "task"), "--json"]
    done = CliRunner().invoke(app, words)
    assert json.loads(done.stdout)["rows"] == 6
    assert "keep the meaning as far as" in done.stderr
