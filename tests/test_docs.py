"""The documents keep up with the product: commands, options, JSON keys, and files they name."""

from __future__ import annotations

import json
import pkgutil
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dcq
from dcq.cli import app
from dcq.settings import ROOT
from tests.support import option_tables
from tests.support.documents import COMMANDS, DOCUMENTS

CLI = (ROOT / "docs" / "cli.md").read_text("utf-8")

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_CALL = re.compile(r"python -m dcq ([a-z][\w-]*)([^`\n]*)")
_LINK = re.compile(r"\]\(([^)#:]+)\)")
_NAMES = re.compile(r"(?<![A-Za-z])(?:NAME|IDEA|FILE)(?![A-Za-z])")  # to be filled in by a reader
_MODULE_FILE = re.compile(r"(?<![\w/.*-])[\w.-]*[\w/-]+\.(?:py|toml|ya?ml|md)\b")
_DOTTED = re.compile(r"(?<![\w/.])dcq(?:\.[a-z_]\w*)+")
_FOLDERS = "dcq|docs|data|pages|tests|benchmarks|studies"
_PATH = re.compile(rf"(?<![\w/.<-])(?:{_FOLDERS})/[\w./-]*")


def section(command: str) -> str:
    """What docs/cli.md says under the heading of ``command``."""
    found = re.search(rf"^## `{command}`\n(.*?)(?=^## |\Z)", CLI, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def named_files(document: Path) -> set[Path]:
    """Files that a document links to or names, from the project's root."""
    text = (ROOT / document).read_text("utf-8")
    linked = {Path(target) for target in _LINK.findall(text)}
    beside = {(ROOT / document.parent / target).resolve() for target in linked}
    named = (path.rstrip(".") for path in _PATH.findall(text) if not _NAMES.search(path))
    return beside | {ROOT / path for path in named}


def examples(command: str) -> Any:
    """The JSON example of ``command``."""
    [block] = re.findall(r"^```json\n(.*?)^```", section(command), re.MULTILINE | re.DOTALL)
    return json.loads(block)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_section_with_the_table_of_its_options(command: str) -> None:
    text = section(command)
    assert text, f"docs/cli.md has no section on {command}"
    has_table = f"<!-- options: {command} -->\n" in text
    assert has_table == (len(COMMANDS[command].params) > 1)  # all but one have --json
    known = {option for one in COMMANDS.values() for option in option_tables.options(one)}
    assert set(re.findall(r"`(--[a-z-]+)`", text)) <= known


def test_the_tables_of_options_are_those_of_the_commands() -> None:
    assert option_tables.rewrite(CLI) == CLI, "write them: python -m tests.support.option_tables"


def test_no_section_describes_a_command_that_is_gone() -> None:
    assert set(re.findall(r"^## `([\w -]+)`$", CLI, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_call_in_a_document_can_be_made(document: Path) -> None:
    for word, rest in _CALL.findall((ROOT / document).read_text("utf-8")):
        inner = f"{word} {rest.split()[0]}" if rest.split() else word
        command = inner if inner in COMMANDS else word
        assert command in COMMANDS
        assert set(_OPTION.findall(rest)) <= option_tables.options(COMMANDS[command])


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_file_that_a_document_names_is_there(document: Path) -> None:
    missing = [path.relative_to(ROOT) for path in named_files(document) if not path.exists()]
    assert missing == []


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_file_and_module_for_developers_is_there(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    files = [name for name in _MODULE_FILE.findall(text) if not _NAMES.search(name)]
    assert len(files) > 20
    places = (ROOT, (ROOT / document).parent, *(ROOT / "dcq").iterdir())
    assert [name for name in files if not any((at / name).exists() for at in places)] == []
    modules = {name for name in _DOTTED.findall(text) if not _NAMES.search(name)}
    modules -= {"dcq.duckdb", "dcq.runs"}
    for name in sorted(modules):
        pkgutil.resolve_name(name)


def test_the_packages_that_imports_are_checked_for_are_all_there() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    [layers] = [c["layers"] for c in contracts["contracts"] if c["name"] == "Layers"]
    named = {name.strip() for layer in layers for name in layer.split("|")}
    [methods] = [layer.split(" | ") for layer in layers if "dcq.quiz" in layer]
    [alone] = [c["modules"] for c in contracts["contracts"] if c["name"].startswith("Methods ")]
    assert sorted(alone) == sorted(methods)
    packages = {f"dcq.{path.parent.name}" for path in (ROOT / "dcq").glob("*/__init__.py")}
    assert packages <= named
    for contract in contracts["contracts"]:
        if contract["name"].startswith("Only "):
            assert contract["source_modules"] == ["dcq.*"], contract["name"]
    tour = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert [name for name in named - {"dcq.__main__", "dcq.cli"} if name not in tour] == []
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    missing = [name for name in packages if f"| `{name.replace('.', '/')}/` |" not in table]
    assert missing == []


def test_the_newest_release_of_the_changelog_is_this_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert released[0].split()[0] == dcq.__version__


def test_hooks_run_what_make_lint_runs() -> None:
    made = (ROOT / "Makefile").read_text("utf-8")
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", made, re.MULTILINE)
    assert recipe
    checks = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE) == checks


def _overlap(folder: Path, call: Any) -> dict[str, Any]:
    pairs, queries, labels, results = (
        folder / name for name in ("pairs.jsonl", "queries.jsonl", "labels.csv", "results.csv")
    )
    pairs.write_text('{"query": "a big cat sat", "text": "yes: A big cat sat there"}')
    queries.write_text('{"id": 1, "query": "a big cat sat"}')
    labels.write_text("instance_id,category,score\n1,clean,0.1\n2,input-only,0.8\n")
    results.write_text("model,instance_id,correct\nm,1,0\nm,2,1\n")
    return {
        "overlap match": call("overlap", "match", str(pairs), "--gamma", "0.5")[0],
        "overlap scan": call("overlap", "scan", str(queries), str(pairs)),
        "overlap effect": call("overlap", "effect", str(results), "--labels", str(labels))[0],
    }


def _protect(folder: Path, sample: str, call: Any) -> dict[str, Any]:
    out = str(folder / "protected")
    made = call("protect", "make", sample, "--out", out, "--accepted-by", "R. Reader")
    files = made["secret"], made["commitment"], made["published"]
    return {
        "protect make": made,
        "protect verify": call("protect", "verify", *files),
        "protect plan": call("protect", "plan", "--k", "4", "--n", "141"),
    }


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
        **_overlap(tmp_path, call),
        "datasets": call("datasets")[0],
        "sample": sample,
        "quiz": quiz,
        "balance": call("balance", sample["sample"]),
        "kappa": call("kappa", "--correct", "65", "--n", "100"),
        "people": call("people", sample["sample"]),
        "export": call("export", "sample", sample["sample"], "--to", file),
        "import": call("import", file),
        "status": call("status"),
        **_protect(tmp_path, sample["sample"], call),
    }
    for command, document in printed.items():
        assert list(examples(command)) == list(document), command
    assert examples("kappa") == printed["kappa"]
    for part in ("samples", "quizzes"):
        assert list(examples("status")[part][0]) == list(printed["status"][part][0])
