"""How two commits are compared by what all commands print (`tests/support/same_answers.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.settings import ROOT
from tests.support import command_calls, option_tables, same_answers

TOLD = '{"run": "261127-0a1b2c3d", "at": "2026-11-27T10:00:00Z", "q_value": 0.002, "seconds": 1.5}'


def _written(folder: Path, text: str) -> Path:
    place = folder / "every"
    place.mkdir(parents=True)
    (place / "answer-1.txt").write_text(text, "utf-8")
    return folder


def test_every_command_is_called_or_named_with_the_reason_why_not() -> None:
    assert command_calls.unknown() == set()
    assert command_calls.gone() == set()
    assert set(command_calls.CALLS) & set(command_calls.NOT_CALLED) == set()


def test_calls_have_options_that_there_are() -> None:
    commands = option_tables.commands()
    for name, calls in command_calls.CALLS.items():
        named = {word for call in calls for word in call if word.startswith("--")}
        assert named <= option_tables.options(commands[name]), name
        assert "--json" in option_tables.options(commands[name]), name


def test_what_is_arbitrary_makes_no_difference(tmp_path: Path) -> None:
    other = TOLD.replace("0a1b2c3d", "ffff0000").replace("10:00:00", "11:30:07")
    first = _written(tmp_path / "a", TOLD)
    second = _written(tmp_path / "b", other.replace("1.5", "22.25"))
    assert same_answers.differences(first, second) == []


@pytest.mark.parametrize(
    ("old", "new"), [("0.002", "0.009"), ("q_value", "q"), ('"run": "261127-0a1b2c3d", ', "")]
)
def test_a_figure_or_a_key_that_differs_is_a_difference(tmp_path: Path, old: str, new: str) -> None:
    first, second = _written(tmp_path / "a", TOLD), _written(tmp_path / "b", TOLD.replace(old, new))
    assert same_answers.differences(first, second)


def test_one_run_in_place_of_another_is_a_difference(tmp_path: Path) -> None:
    runs = ["261127-0a1b2c3d", "261127-ffff0000"]
    first = _written(tmp_path / "a", json.dumps([runs[0], runs[1], runs[0]]))
    second = _written(tmp_path / "b", json.dumps([runs[0], runs[1], runs[1]]))
    assert same_answers.differences(first, second)


def test_a_file_in_one_folder_alone_is_a_difference(tmp_path: Path) -> None:
    first, second = _written(tmp_path / "a", TOLD), _written(tmp_path / "b", TOLD)
    (second / "every" / "study-1.txt").write_text("", "utf-8")
    assert same_answers.differences(first, second) == [f"only in {second}: every/study-1.txt"]


@pytest.mark.ci
@pytest.mark.slow
def test_commands_are_asked_on_a_copy_of_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(same_answers, "STORES", {"strange": same_answers.STORES["strange"]})
    monkeypatch.setattr(
        command_calls, "CALLS", {"audit": command_calls.CALLS["audit"], "answer": ((),)}
    )
    monkeypatch.setattr(command_calls, "unknown", set)
    same_answers.prepare(tmp_path / "stores")
    before = (tmp_path / "stores" / "strange" / "dcq.duckdb").read_bytes()
    for out in ("a", "b"):
        same_answers.ask(tmp_path / "stores", tmp_path / out, ROOT)
    assert {path.name for path in (tmp_path / "a" / "strange").glob("*.txt")} == {
        *("answer-1.txt", "audit-1.txt", "audit-2.txt")
    }
    assert (tmp_path / "a" / "strange" / "audit-2.txt").read_text("utf-8").startswith("0\n[")
    assert same_answers.differences(tmp_path / "a", tmp_path / "b") == []
    assert (tmp_path / "stores" / "strange" / "dcq.duckdb").read_bytes() == before
