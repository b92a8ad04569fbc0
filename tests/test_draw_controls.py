"""A person's own texts with alternatives become a sample that can be asked; mistakes say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from data import draw_controls
from dcq.cli import app
from dcq.errors import DcqError
from dcq.evidence.leak import leaks
from dcq.quiz.freeze import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, quizzes, samples, variants
from dcq.variants.leakage import text_only

PLACES = [f"{name} {kind}" for name in ("Orr", "Venn", "Tal", "Bree") for kind in ("Ford", "Mill")]
ROWS = [
    {
        "note": f"The {{bridge|crossing|footbridge}} at {place} was {{shut|closed|barred}} on the "
        f"{{morning|day}} after the {{flood|storm|deluge}}, and {{x:carters|drivers}} had to "
        "{turn|go} back; the {x} {complained|grumbled|protested}.",
        "kind": ("road", "river")[number % 2],
    }
    for number, place in enumerate(PLACES)
]


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def test_own_texts_become_a_quiz(
    tmp_path: Path,
    fresh_store: Store,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draw_controls, "SEEDS_OF_OWN", 20)
    own = write(tmp_path / "bridges.jsonl", ROWS)
    draw_controls.main([str(own), "--text", "note", "--label", "kind"])
    out = tmp_path / "bridges.sample.json"
    assert f"Next: python -m dcq import {out}" in capsys.readouterr().out
    first = out.read_bytes()
    draw_controls.main([str(own), "--text", "note", "--label", "kind"])
    assert out.read_bytes() == first

    environment = {"DCQ_STORE": str(fresh_store.path)}
    done = CliRunner().invoke(app, ["import", str(out), "--json"], env=environment)
    assert done.exit_code == 0, done.output
    sample_id = json.loads(done.stdout)["sample"]
    stored = samples.load(fresh_store, sample_id)
    assert (stored.partition.id, stored.partition.role) == ("bridges/test", PartitionRole.CONTROL)
    assert len(stored.instances) == len(ROWS)
    assert "Text: The " in stored.instances[0].text
    assert stored.instances[0].text.endswith("Label: road")
    assert not any(mark in stored.instances[0].text for mark in "{|}")
    assert variants.writers(fresh_store, [sample_id]) == {sample_id: "person"}
    quiz = quizzes.load(
        fresh_store, freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="B").quiz
    )
    assert len(quiz.items) == len(ROWS)
    assert all(len(set(item.options)) == 4 for item in quiz.items)
    found = {one.name: one.kappa for one in text_only(quiz.items, "en")}
    assert leaks(found) == ()


def test_target_and_controls_may_both_be_written_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw_controls, "SEEDS_OF_OWN", 1)
    own = write(tmp_path / "bridges.jsonl", ROWS)
    out = tmp_path / "out.json"
    words = ["--text", "note", "--role", "target", "--name", "Bridges", "--out", str(out)]
    draw_controls.main([str(own), *words])
    partition = json.loads(out.read_text("utf-8"))["partition"]
    assert (partition["role"], partition["title"], partition["task"]) == (
        "target", "Bridges", "text",
    )  # fmt: skip


def run(*words: str) -> str:
    """What the script says of a mistake."""
    with pytest.raises((SystemExit, DcqError, OSError)) as caught:
        draw_controls.main(words)
    return str(caught.value)


def test_mistakes_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = write(tmp_path / "few.jsonl", [{"note": "The {old|grey} mill stood."}])
    assert "has too few choices" in run(str(few), "--text", "note")
    named = write(tmp_path / "named.jsonl", [ROWS[0] | {"note": ROWS[0]["note"] + " {y}"}])
    assert "{y} repeats no choice" in run(str(named), "--text", "note")
    own = write(tmp_path / "own.jsonl", ROWS)
    assert "Choose the column" in run(str(own))
    assert "colour" in run(str(own), "--text", "colour")
    empty = write(tmp_path / "empty.jsonl", [])
    assert str(empty.name) in run(str(empty), "--text", "note")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe{}")
    assert "bytes.jsonl" in run(str(tmp_path / "bytes.jsonl"), "--text", "note")
    without = write(tmp_path / "without.jsonl", [*ROWS, {"note": "", "kind": "road"}])
    assert "too few choices" in run(str(without), "--text", "note")
    assert "absent.jsonl" in run(str(tmp_path / "absent.jsonl"), "--text", "note")
    assert "No dataset of the catalog" in run("nonsense")
    assert run() == "2"
    assert "name what to draw" in capsys.readouterr().err
