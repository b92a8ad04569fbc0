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
from dcq.commands import lazy, overlap

HEAVY = ("pandas", "scipy", "numpy", "datasets", "openai", "httpx2", "aiohttp", "pydantic_settings")
_COMMAND = """
import atexit, sys
atexit.register(lambda: print("imported", *sorted({n.partition(".")[0] for n in sys.modules})))
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
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, *words],
        env=os.environ | {"DCQ_STORE": str(store_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stdout.splitlines()[-1].split()[1:])
    assert imported & {"typer", "rich"}
    assert imported & set(HEAVY) == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_a_command_what_its_function_says(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]  # a group
    said = lazy._docstring(name, COMMANDS[name])
    assert said
    assert inspect.cleandoc(said) == inspect.cleandoc(command.help or "")


def test_every_file_of_commands_is_named() -> None:
    folder = Path(lazy.__file__).parent
    helpers = {"__init__", "asking", "bundle", "lazy", "output", "replicate_audit"}
    files = {file.stem for file in folder.glob("*.py")} - helpers
    assert files == {*COMMANDS.values(), *overlap.COMMANDS.values()}
    for file in files:
        ast.parse((folder / f"{file}.py").read_text("utf-8"))
