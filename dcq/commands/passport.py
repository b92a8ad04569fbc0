"""A signed statement of an answer that anyone can check."""

from __future__ import annotations

import typer

from dcq.commands.lazy import lazy_group

# The file that has each command, as in ``dcq.cli``.
COMMANDS = {
    "key": "passport_key",
    "make": "passport_make",
    "verify": "passport_verify",
}

passport = typer.Typer(
    cls=lazy_group(COMMANDS),
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@passport.callback()
def _group() -> None:
    """What all commands share: nothing."""
