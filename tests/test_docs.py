"""The documents keep up with the product: commands, options, JSON keys, and files they name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from dcq.cli import app
from dcq.settings import ROOT

DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "data/**/*.md")
    for path in ROOT.glob(pattern)
)
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group has them
CLI = (ROOT / "docs" / "cli.md").read_text("utf-8")

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_CALL = re.compile(r"python -m dcq ([a-z]\w*)([^`\n]*)")
_LINK = re.compile(r"\]\(([^)#:]+)\)")
_FOLDERS = "dcq|docs|data|pages|tests|benchmarks"
_PATH = re.compile(rf"(?<![\w/.<-])(?:{_FOLDERS})/[\w./-]*")


def section(command: str) -> str:
    """What docs/cli.md says under the heading of ``command``."""
    found = re.search(rf"^## `{command}`\n(.*?)(?=^## |\Z)", CLI, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def options(command: str) -> set[str]:
    """The options of ``command``, both ways round where it has two."""
    return {
        name
        for parameter in COMMANDS[command].params
        if parameter.param_type_name == "option"
        for name in (*parameter.opts, *parameter.secondary_opts)
    }


def named_files(document: Path) -> set[Path]:
    """Files that a document links to or names, from the project's root."""
    text = (ROOT / document).read_text("utf-8")
    linked = {Path(target) for target in _LINK.findall(text)}
    beside = {(ROOT / document.parent / target).resolve() for target in linked}
    return beside | {ROOT / path.rstrip(".") for path in _PATH.findall(text)}


def examples(command: str) -> Any:
    """The JSON example of ``command``."""
    [block] = re.findall(r"^```json\n(.*?)^```", section(command), re.MULTILINE | re.DOTALL)
    return json.loads(block)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_option_and_argument_is_described(command: str) -> None:
    text = section(command)
    assert text, f"docs/cli.md has no section on {command}"
    described = set(re.findall(r"`(--[a-z-]+)`", text))
    assert described == options(command)
    for parameter in COMMANDS[command].params:
        if parameter.param_type_name == "argument":
            assert f"| `{parameter.name.upper()}` |" in text


def test_no_section_describes_a_command_that_is_gone() -> None:
    assert set(re.findall(r"^## `(\w+)`$", CLI, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_call_in_a_document_can_be_made(document: Path) -> None:
    for command, rest in _CALL.findall((ROOT / document).read_text("utf-8")):
        assert command in COMMANDS
        assert set(_OPTION.findall(rest)) <= options(command)


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_file_that_a_document_names_is_there(document: Path) -> None:
    missing = [path.relative_to(ROOT) for path in named_files(document) if not path.exists()]
    assert missing == []


def test_the_json_examples_have_the_keys_that_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(tmp_path / "dcq.duckdb"))

    def call(*words: str) -> Any:
        done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
        return json.loads(done.stdout)

    sample = call("sample", "control-nli", "test", "--n", "2")
    quiz = call("quiz", sample["sample"])
    file = str(tmp_path / "sample.json")
    answers = tmp_path / "answers.csv"
    answers.write_text(
        "model,partition,role,instance_id,correct,answer\nm,p,target,1,A,A\nm,c,control,1,A,B\n"
    )
    printed = {
        "audit": call("audit", str(answers))[0],
        "datasets": call("datasets")[0],
        "sample": sample,
        "quiz": quiz,
        "kappa": call("kappa", "--correct", "65", "--n", "100"),
        "export": call("export", "sample", sample["sample"], "--to", file),
        "import": call("import", file),
        "status": call("status"),
    }
    for command, document in printed.items():
        assert list(examples(command)) == list(document), command
    assert examples("kappa") == printed["kappa"]
    for part in ("samples", "quizzes"):
        assert list(examples("status")[part][0]) == list(printed["status"][part][0])
