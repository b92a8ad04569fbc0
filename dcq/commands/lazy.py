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


def lazy_group(modules: Mapping[str, str]) -> type[TyperGroup]:
    """A group whose commands are imported when called. ``modules`` maps each command to its module
    in this folder. The module has a function of that name, hyphens as underscores, with a trailing
    underscore if the name is taken (``import_``); a subgroup is a ``typer.Typer`` of that name, and
    its help is the module's docstring."""

    class LazyGroup(TyperGroup):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.commands = cast("MutableMapping[str, Any]", _Commands(modules))  # none is added

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """As the base class does, without importing any command."""
            group = copy.copy(self)
            group.commands = {
                name: TyperCommand(name, help=_docstring(name, module))
                for name, module in modules.items()
            }
            TyperGroup.format_help(group, ctx, formatter)

    return LazyGroup


class _Commands(Mapping[str, Any]):
    """Commands by name, each made when it is looked up."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module = importlib.import_module(f"{_PACKAGE}.{self._modules[name]}")
            function_name = name.replace("-", "_")
            command = getattr(module, function_name, None) or getattr(module, f"{function_name}_")
            if isinstance(command, typer.Typer):
                self._made[name] = typer.main.get_command(command)
                return self._made[name]
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            app.command(name)(command)
            self._made[name] = typer.main.get_command(app)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def _docstring(name: str, module: str) -> str:
    """The docstring of a command, parsed from its module's file without importing it."""
    path = Path(__file__).with_name(f"{module}.py")
    tree = ast.parse(path.read_bytes())
    function_name = name.replace("-", "_")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.rstrip("_") == function_name:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == function_name:
            return ast.get_docstring(tree) or ""
    raise LookupError(f"{path} has no command {name}")
