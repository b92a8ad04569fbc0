"""Publish a benchmark by lot, and prove later that a model saw it."""

from __future__ import annotations

import typer

from dcq.commands.lazy import lazy_group

# The file that has each command, as in ``dcq.cli``.
COMMANDS = {
    "make": "protect_make",
    "verify": "protect_make",
    "plan": "protect_scores",
    "check": "protect_check",
    "test": "protect_scores",
    "watch": "protect_check",
    "burn": "protect_burn",
}

protect = typer.Typer(
    cls=lazy_group(COMMANDS),
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@protect.callback()
def _group() -> None:
    """What all commands share: nothing."""
