from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import InputError
from tests.support import commands
from tests.support.result_files import GSM8K, answers, release_rows, write_csv


def speak(*words: str) -> str:
    """What the command says on stdout; in this process, which is quicker."""
    done = CliRunner().invoke(app, ["audit", *words])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def dcq(*words: str) -> subprocess.CompletedProcess[str]:
    return commands.run("audit", *words)


@pytest.fixture
def release_csv(tmp_path: Path) -> Path:
    rows = release_rows(GSM8K)
    for row in rows[3:6]:
        row["option_c"] = row["instance"]
    return write_csv(tmp_path / "gsm8k.csv", rows)


@pytest.mark.slow
def test_a_release_as_json_and_for_a_person(release_csv: Path) -> None:
    done = dcq(str(release_csv), "--format", "dcq", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["max"] == 0.79
    assert found["defects"]["option_equals_original"] == 3
    printed = speak(str(release_csv))
    first = printed.splitlines()[0]
    assert "78.8 % to 79.0 % contamination over 100 instances; the verdict is undecided" in first
    assert "Without the 3 rows with a defect" in printed
    assert "option equals original     3  4–6" in printed
    assert "always the most central" in printed
    assert "medoid" not in printed
    assert "+77 [" in printed  # (76 − 1)/97: the rows whose bdq held no original


def test_answers_as_json_and_for_a_person(tmp_path: Path) -> None:
    rows = answers("m", "[red]p[/red]", "target", 38, 40)
    for i in range(4):
        rows += answers("m", f"control-{i}", "control", 16 + i, 40)
    path = str(write_csv(tmp_path / "answers.csv", rows))
    assert [found["verdict"] for found in json.loads(speak(path, "--json"))] == [
        "contaminated", *["no evidence"] * 4,
    ]  # fmt: skip
    printed = speak(path)
    assert printed.startswith(
        "m on [red]p[/red] is contaminated. 95.0 % of the originals were found"
    )
    assert "- 95.0 % of the originals" in printed


def test_an_unknown_format_is_a_mistake(release_csv: Path) -> None:
    with pytest.raises(InputError, match="choose from dcq, answers"):
        CliRunner().invoke(
            app, ["audit", str(release_csv), "--format", "xml"], catch_exceptions=False
        )


@pytest.mark.slow
def test_a_mistake_is_one_sentence_and_exit_2() -> None:
    done = dcq("none.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
