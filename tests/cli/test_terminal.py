"""Names come from strangers: what a terminal would obey is shown, not sent."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace

import pytest
from rich.console import Group
from rich.text import Text
from typer.testing import CliRunner

from dcq import cli
from dcq.cli import app
from dcq.commands import asking, output, status
from dcq.store import Store, samples
from dcq.words import visible
from tests.conftest import small_sample
from tests.support.any_name import any_name

# Each tells a terminal something: colour, a window's title, back to the start of the line, a new
# line, C1's way to say ESC [, DEL, a line separator, text from right to left.
OBEYED = ["\x1b", "\r", "\n", "\x9b", "\x7f", "\u2028", "\u202e", "\u2066", "\x07", "\x00"]
NAME = "a" + "\x1b]0;owned\x07\x1b[2J\r\nFinished: contaminated\x9b31m\x7f\u2028\u202e\u2066" + "z"
NOT_OBEYED = "κ – é ж 中 ‌ \u200f"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is printed on a terminal with colours."""
    printed = io.StringIO()
    monkeypatch.setattr(
        output, "err", output.Terminal(file=printed, force_terminal=True, highlight=False)
    )
    monkeypatch.setattr(asking, "err", output.err)
    monkeypatch.setenv("FORCE_COLOR", "1")
    return printed


def harmless(printed: str) -> None:
    """Nothing but styles and the movements of a progress bar is left."""
    ours = re.sub(r"\x1b\[[0-9;?]*[mKAhl]|\r", "", printed)
    left = [letter for letter in ours if letter in OBEYED and letter != "\n"]
    assert left == []
    assert "owned" in printed


def test_an_error_and_a_note_are_one_line_each(terminal: io.StringIO) -> None:
    output.complain(f"There is no sample {NAME}.")
    output.remark(f"{NAME} is skipped.")
    harmless(terminal.getvalue())
    assert terminal.getvalue().count("\n") == 2
    assert r"\u001b]0;owned" in terminal.getvalue()


def test_lines_tables_and_whatever_else_is_printed(
    terminal: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    output.emit(None, False, f"Run of {NAME}: finished.")
    line = capsys.readouterr().out
    harmless(line)
    assert line.count("\n") == 1
    output.emit(None, False, [NAME, NAME])
    lines = capsys.readouterr().out
    harmless(lines)
    assert lines.count("\n") == 2
    output.emit(None, False, output.table(["model", f"{NAME}#"], [[NAME, None]]))
    harmless(capsys.readouterr().out)
    output.emit(None, False, Group(Text(NAME), output.table([NAME], [[NAME]])))
    harmless(capsys.readouterr().out)


def test_a_progress_bar(terminal: io.StringIO) -> None:
    with asking.make_progress() as progress:
        progress.add_task(NAME, total=3)
        progress.refresh()
    harmless(terminal.getvalue())


def test_json_is_json_and_harmless_too(capsys: pytest.CaptureFixture[str]) -> None:
    document = {NAME: [NAME, NOT_OBEYED]}
    output.emit(document, True, "")
    printed = capsys.readouterr().out
    harmless(printed)
    assert json.loads(printed) == document
    assert NOT_OBEYED in printed


def test_the_names_in_the_store(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "open_store", lambda: fresh_store)
    sample = small_sample()
    with any_name():
        samples.save(
            fresh_store, replace(sample, partition=replace(sample.partition, title=NAME, key="x"))
        )
    for words in (["status"], ["status", "--json"]):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0
        harmless(done.output + "owned")


def test_a_bug_that_quotes_a_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise RuntimeError(NAME)

    monkeypatch.setattr(cli, "app", fail)
    monkeypatch.setattr(sys, "argv", ["dcq"])
    assert cli._run() == 1
    said = capsys.readouterr().err
    harmless(said)
    assert "Traceback" in said


@pytest.mark.parametrize("word", [f"--{NAME}", f"run{NAME}", "\x1b[31m", "\u202efdp.csv"])
def test_an_argument_with_a_control_character_is_refused(
    word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["dcq", word])
    assert cli._run() == 2
    said = capsys.readouterr().err
    harmless(said + "owned")
    assert "control character" in said


def test_a_tab_and_a_line_end_in_an_argument_are_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["dcq", "study", "a\tname\nof two lines \\u0009"])
    cli._run()
    assert "control character" not in capsys.readouterr().err


def test_what_scripts_need_stays() -> None:
    assert visible(NOT_OBEYED) == NOT_OBEYED
    assert visible("a\nb", lines=True) == "a\nb"
    assert all(visible(one).startswith("\\u") for one in OBEYED)
    assert visible("\ud800") == r"\ud800"
