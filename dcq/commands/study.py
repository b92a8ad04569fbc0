"""A study in a file: planned, run, checked; and named choices of what is judged together."""

from __future__ import annotations

from typing import Any

import typer

from dcq.commands.lazy import lazy_group

# The file that has each command, as in ``dcq.cli``.
COMMANDS = {
    "init": "study_init",
    "plan": "study_run",
    "run": "study_run",
    "check": "study_check",
    "list": "study_saved",
    "show": "study_saved",
    "save": "study_saved",
    "remove": "study_saved",
}
_BY_NAME = "study NAME"  # the form of earlier releases, which no command has as its name


class _Group(lazy_group(COMMANDS)):  # type: ignore[misc]  # a class that is made for these commands
    """A group whose first word may also be a study's name, or missing, as in earlier releases."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As the base class does, with the earlier form as a command of its own."""
        is_new = bool(args) and (args[0] in self.commands or args[0] == "--help")
        parsed: list[str] = super().parse_args(ctx, args if is_new else [_BY_NAME, *args])
        return parsed

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """As the base class does, with the earlier form as a command of its own."""
        if args[0] != _BY_NAME:
            found: tuple[str | None, Any, list[str]] = super().resolve_command(ctx, args)
            return found
        from dcq.commands.study_saved import study_by_name

        form = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        form.command("study")(study_by_name)
        return "study", typer.main.get_command(form), args[1:]


study = typer.Typer(
    cls=_Group,
    help=__doc__,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@study.callback()
def _group() -> None:
    """What all commands share: nothing."""
