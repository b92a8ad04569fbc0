"""Every command that a document names can be run; what needs no model and no minutes is run here.

Commands of dcq are parsed as they stand, and the walks of the README and of docs/cli.md are taken
on fewer instances. Benchmarks run in their shortest form, ``--quick``; those that drive a browser
do so in ``tests/browser/test_benchmarks.py``. Studies draw their figures and tables again.
"""

from __future__ import annotations

import importlib
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.places import ROOT
from tests.support.documents import COMMANDS, DOCUMENTS
from tests.support.provider import FakeProvider

_MODULE = re.compile(r"python[\d.]* -m ((?:benchmarks|studies|data)\.\w+)([^`\n]*)")
_DCQ = re.compile(r"(?:\.venv/bin/)?(?:python -m dcq|dcq) ([a-z].*)")
_MAKE = re.compile(r"^make ([a-z]+)")
_PLACEHOLDERS = ("COMMAND", "METHOD", "[", "…")

# What cannot be run here, and why; their modules are imported and their options looked up.
NOT_RUN = {
    "benchmarks.likelihood": "minutes of the embedded model",
    "benchmarks.small_controls": "minutes of the embedded model",
    "benchmarks.curation": "tests/browser/test_benchmarks.py runs it",
    "benchmarks.explorer": "tests/browser/test_benchmarks.py runs it",
    "benchmarks.first_content": "tests/browser/test_benchmarks.py runs it",
}


def text_of(document: Path) -> str:
    """A document, each command on one line."""
    return re.sub(r"\\\n\s*", "", (ROOT / document).read_text("utf-8"))


def block_lines(document: Path) -> Iterator[str]:
    """The lines of code blocks, indented or fenced as shell."""
    fence = None
    for line in text_of(document).splitlines():
        if line.startswith("```"):
            fence = line[3:].strip() if fence is None else None
        elif fence in {"", "sh"} or (fence is None and line.startswith("    ")):
            yield line.strip()


def modules() -> dict[str, set[str]]:
    """Modules that documents call, each with the options that they name."""
    found: dict[str, set[str]] = {}
    for document in DOCUMENTS:
        for module, rest in _MODULE.findall(text_of(document)):
            found.setdefault(module, set()).update(re.findall(r"--[a-z-]+", rest.split("#")[0]))
    return found


MODULES = modules()
BENCHMARKS = sorted(name for name in MODULES if name.startswith("benchmarks."))
CALLS = sorted(
    {
        found[1].split("  #")[0].strip()
        for document in DOCUMENTS
        for line in block_lines(document)
        if (found := _DCQ.search(line)) and not any(word in line for word in _PLACEHOLDERS)
    }
)


TARGETS = sorted(
    {
        target
        for document in DOCUMENTS
        for place in (*block_lines(document), *re.findall(r"`([^`\n]+)`", text_of(document)))
        for target in _MAKE.findall(place)
    }
)


def run(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> str:
    """What ``python -m MODULE WORDS`` prints."""
    monkeypatch.setattr("sys.argv", [module, *words])
    try:
        if module.startswith("benchmarks."):
            monkeypatch.delitem(sys.modules, module, raising=False)
            runpy.run_module(module, run_name="__main__")  # where what it is called can matter
        elif module == "data.draw_controls":
            importlib.import_module(module).main(words)
        else:
            importlib.import_module(module).main()
    except SystemExit as left:
        if left.code:
            raise
    return capsys.readouterr().out


@pytest.mark.parametrize("call", CALLS)
def test_every_call_of_dcq_in_a_block_can_be_parsed(call: str) -> None:
    words = shlex.split(call.partition(" > ")[0])
    name = next(name for name in (" ".join(words[:2]), words[0]) if name in COMMANDS)
    COMMANDS[name].make_context(name, words[len(name.split()) :])


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_of_make_is_there(target: str) -> None:
    make = shutil.which("make")
    assert make
    done = subprocess.run([make, "-n", target], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_option_that_a_document_gives_a_module_is_there(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = run(module, monkeypatch, capsys, "--help")
    assert {one for one in MODULES[module] if one not in shown} == set()


@pytest.mark.slow
@pytest.mark.ci
@pytest.mark.parametrize("module", sorted({*BENCHMARKS} - {*NOT_RUN}))
def test_every_benchmark_runs_in_its_shortest_form(
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(tmp_path / "dcq.duckdb"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    assert run(module, monkeypatch, capsys, "--quick")
    if module == "benchmarks.controls":
        assert run(module, monkeypatch, capsys, "--quick", "--scenarios", "1")
    if module == "benchmarks.combining":
        assert run(module, monkeypatch, capsys, "--quick", "--measured")


def test_only_benchmarks_that_documents_name_are_left_out() -> None:
    assert {*NOT_RUN} <= {*BENCHMARKS}


@pytest.mark.slow
@pytest.mark.ci
@pytest.mark.parametrize("name", ["consistency", "contaminate", "example", "panel"])
def test_a_study_prints_the_tables_of_its_report(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = importlib.import_module(f"studies.{name}")
    if name == "example":
        bundle = tmp_path / "example.zip"
        shutil.copy(module.BUNDLE, bundle)
        monkeypatch.setattr(module, "BUNDLE", bundle)
    else:
        monkeypatch.setattr(module, "PICTURES", tmp_path / name)
    printed = run(f"studies.{name}", monkeypatch, capsys).splitlines()
    report = (ROOT / "studies" / f"{name}.md").read_text("utf-8").splitlines()
    rows = [line for line in report if line.startswith("| ")]
    assert rows
    assert [row for row in rows if row not in printed] == []


def walk(document: str, after: str) -> list[str]:
    """The commands of the first block of a document that comes after these words."""
    text = (ROOT / document).read_text("utf-8").partition(after)[2]
    [block] = re.findall(r"\A[\s\S]*?\n\n((?:    .*\n)+)", text)[:1]
    return [line.strip().removeprefix("python -m dcq ") for line in block.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("document", "after"),
    [("README.md", "## On the command line"), ("docs/cli.md", "## A complete example")],
)
def test_the_walk_of_a_document_can_be_taken(
    document: str,
    after: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    provider: FakeProvider,
) -> None:
    """With a fake model in place of the embedded one, which takes minutes."""
    monkeypatch.setenv("DCQ_STORE", str(tmp_path / "dcq.duckdb"))
    known: dict[str, str] = {}
    last: object = None
    for line in walk(document, after):
        shown = line.replace("embedded", "always-a")
        # Of a few instances no conclusion is possible, so nothing would be started.
        shorter = shown if "--yes" in shown else re.sub(r"--n \d+", "--n 6", shown)
        words = [known.get(word, word) for word in shlex.split(shorter, comments=True)]
        done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
        assert done.exit_code == 0, (line, done.output)
        last = json.loads(done.stdout)
        if isinstance(last, dict):
            known.setdefault("SAMPLE", last.get("sample", ""))
            known["QUIZ"] = last.get("quiz", "")
    assert isinstance(last, list)
    assert last[0]["model"] == "always-a"
    assert "verdict" in last[0]


@pytest.mark.slow
def test_the_readme_shows_what_the_example_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    calls = ["import data/example.zip", "answer --partition example-reviews/test"]
    assert set(calls) <= set(CALLS)
    monkeypatch.setenv("DCQ_STORE", str(tmp_path / "example.duckdb"))
    monkeypatch.chdir(ROOT)
    for call in calls:
        assert call in readme
        done = CliRunner().invoke(app, shlex.split(call), catch_exceptions=False)
        assert done.exit_code == 0, done.output
    [shown] = re.findall(r"```text\n(.*?)```", readme, re.DOTALL)
    assert shown in done.stdout
