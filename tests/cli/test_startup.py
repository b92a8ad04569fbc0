"""Commands that need little start soon: ``benchmarks/startup.py`` measures how soon; here is what
must not be imported for it."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from dcq.cli import COMMANDS, app
from dcq.commands import lazy, overlap, passport, protect, study
from dcq.places import ROOT
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.runs import answer

HEAVY = (
    "pandas",
    "scipy",
    "numpy",
    "datasets",
    "openai",
    "httpx2",
    "aiohttp",
    "pydantic_settings",
    "pyarrow",
)
# What judging a store with counted answers needs nothing of.
UNUSED = (
    *("datasets", "openai", "httpx2", "aiohttp", "pydantic_settings", "plotly", "streamlit"),
    *("nltk", "krippendorff"),
)
STATISTICS = ("scipy.stats", "scipy.optimize", "scipy.sparse")  # half a second
_COMMAND = """
import atexit, sys
atexit.register(lambda: print("imported", *sorted(sys.modules)))
sys.argv = ["dcq", *sys.argv[1:]]
from dcq.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["--help"], ["status"], ["status", "--json"], ["kappa", "--correct", "65", "--n", "100"]],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(store_path: Path, words: list[str]) -> None:
    _, imported = imports_of(store_path, words)
    assert imported & {"typer", "rich"}
    assert imported & set(HEAVY) == set()


@pytest.mark.slow
def test_results_are_judged_without_what_asks_models_or_draws(fresh_store: Store) -> None:
    _, imported = imports_of(fresh_store.path, ["results"])
    assert imported & {*UNUSED, *STATISTICS, "scipy.special", "langcodes"} == set()
    for role in (PartitionRole.TARGET, PartitionRole.CONTROL):
        sample_id = samples.save(fresh_store, small_sample(30, key=role, role=role))
        quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
        answer(fresh_store, quiz, {"A": 20, "D": 10})
    said, imported = imports_of(fresh_store.path, ["results"])
    assert "undecided" in said
    assert {"pandas", "scipy.special"} <= imported
    assert imported & {*UNUSED, *STATISTICS} == set()


def imports_of(store: Path, words: list[str]) -> tuple[str, set[str]]:
    """What a command says, and the modules that it imports."""
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, *words],
        env=os.environ | {"DCQ_STORE": str(store)},
        capture_output=True,
        text=True,
        check=True,
    )
    *said, imported = done.stdout.splitlines()
    return "\n".join(said), set(imported.split()[1:])


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_a_command_what_its_function_says(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]  # a group
    said = lazy._docstring(name, COMMANDS[name])
    assert said
    assert inspect.cleandoc(said) == inspect.cleandoc(command.help or "")


def test_every_file_of_commands_is_named() -> None:
    folder = Path(lazy.__file__).parent
    helpers = {
        *("__init__", "asking", "bundle", "lazy", "no_effect", "output", "replicate_audit"),
        *("plan", "shown", "closed_pipe", "study_options"),
    }
    files = {file.stem for file in folder.glob("*.py")} - helpers
    groups = (overlap, protect, passport, study)
    assert files == {
        *COMMANDS.values(),
        *(name for group in groups for name in group.COMMANDS.values()),
    }
    for file in files:
        ast.parse((folder / f"{file}.py").read_text("utf-8"))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "dcq").glob("*/detection.py")), ids=lambda path: path.parent.name
)
def test_what_a_method_shows_is_read_without_what_asks(path: Path) -> None:
    """Only what it says of new runs may import that; the rest runs when results are read."""
    asks = ("dcq.asking.", f"dcq.{path.parent.name}.method.")
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef) and function.name not in {"kinds", "propose"}:
            imported = [
                part.module for part in ast.walk(function) if isinstance(part, ast.ImportFrom)
            ]
            asking = [name for name in imported if f"{name}.".startswith(asks)]
            assert asking == [], f"{function.name}: what it needs belongs into cut.py"
