"""Commands that are imported only when they are called, because their imports take a second."""

from __future__ import annotations

import ast
import copy
import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

_PACKAGE = "dcq.commands"


def lazy_group(files: Mapping[str, str]) -> type[TyperGroup]:
    """A group of commands. ``files`` maps each to its file in this folder. A command's function has
    its name, with underscores for hyphens and one after it where that is a Python keyword; a group
    of its own is a ``typer.Typer`` of that name, described by its file's docstring."""

    class LazyGroup(TyperGroup):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.commands = cast("MutableMapping[str, Any]", _Commands(files))  # none is added

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """As the base class does, without importing any command."""
            group = copy.copy(self)
            group.commands = {
                name: TyperCommand(name, help=_docstring(name, file))
                for name, file in files.items()
            }
            TyperGroup.format_help(group, ctx, formatter)

    return LazyGroup


class _Commands(Mapping[str, Any]):
    """Commands by name, each made when it is looked up."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module = importlib.import_module(f"{_PACKAGE}.{self._files[name]}")
            word = name.replace("-", "_")
            command = getattr(module, word, None) or getattr(module, f"{word}_")
            if isinstance(command, typer.Typer):
                self._made[name] = typer.main.get_command(command)
                return self._made[name]
            alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            alone.command(name)(command)
            self._made[name] = typer.main.get_command(alone)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _docstring(name: str, file: str) -> str:
    """The docstring of a command, parsed from its file without importing it."""
    path = Path(__file__).with_name(f"{file}.py")
    module = ast.parse(path.read_bytes())
    word = name.replace("-", "_")
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name.rstrip("_") == word:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == word:
            return ast.get_docstring(module) or ""
    raise LookupError(f"{path} has no command {name}")
