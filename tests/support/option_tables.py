"""The tables of arguments and options in docs/cli.md, made of the commands' own help.

    python -m tests.support.option_tables

writes each between its markers, ``<!-- options: COMMAND -->`` and ``<!-- end -->``. ``--json``,
which every command but one has, is said once on the page.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

import typer

from dcq.cli import app
from dcq.places import ROOT

PAGE = ROOT / "docs" / "cli.md"
_TABLE = re.compile(r"(<!-- options: ([\w ]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_SHARED = "run"  # what asks a model has many of this command's options


def commands(group: Any = None, before: str = "") -> dict[str, Any]:
    """All commands by name, those of a group with its name before theirs."""
    group = group or typer.main.get_command(app)
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        inner = hasattr(command, "commands")
        found |= commands(command, f"{name} ") if inner else {before + name: command}
    return found


def options(command: Any) -> set[str]:
    """The names of a command's options, both ways round where they have two."""
    return {name for one in command.params if _is_option(one) for name in _names(one)}


def rewrite(page: str) -> str:
    """``page`` with every table as the commands have it now."""
    found = commands()

    def fill(marked: re.Match[str]) -> str:
        return marked[1] + table(marked[2], found) + marked[4]

    return _TABLE.sub(fill, page)


def table(name: str, found: dict[str, Any]) -> str:
    """The arguments and options of the command ``name``, a row each; those that are the same as in
    ``run`` in one row."""
    shared = set() if name == _SHARED else {_row(one) for one in found[_SHARED].params}
    lines = ["|argument or option|meaning|", "|---|---|"]
    same = []
    for one in found[name].params:
        if "--json" in _names(one):
            continue
        if _is_option(one) and _row(one) in shared:
            same += _names(one)
        else:
            lines.append(_row(one))
    if same:
        named = ", ".join(f"`{option}`" for option in same)
        lines.append(f"|{named}|as for [`{_SHARED}`](#{_SHARED})|")
    return "\n".join(lines) + "\n"


def _row(one: Any) -> str:
    names = _names(one) if _is_option(one) else [one.name.upper()]
    meaning = one.help.rstrip(".").replace("|", "\\|")
    values = _values(one)
    if values and not any(re.search(rf"\b{re.escape(value)}\b", meaning) for value in values):
        meaning += f". One of {', '.join(f'`{value}`' for value in values)}"
    default = one.default.value if isinstance(one.default, Enum) else one.default
    if isinstance(one.show_default, str):  # it is filled in later
        default = one.show_default
    shown = "" if default is None or default is False else f" (default `{default}`)"
    return f"|{', '.join(f'`{name}`' for name in names)}|{meaning}{shown}|"


def _names(one: Any) -> list[str]:
    return [*one.opts, *one.secondary_opts]


def _is_option(one: Any) -> bool:
    return bool(one.param_type_name == "option")


def _values(one: Any) -> list[str]:
    """The words that a parameter takes, if it takes no others."""
    kind = one.type_descriptor.annotation
    is_choice = isinstance(kind, type) and issubclass(kind, Enum)
    return [member.value for member in kind] if is_choice else []


if __name__ == "__main__":
    PAGE.write_text(rewrite(PAGE.read_text("utf-8")), "utf-8")
