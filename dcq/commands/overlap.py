"""Find instances in texts, corpora and on the web, and what that does to accuracy."""

from __future__ import annotations

import typer

from dcq.commands.lazy import lazy_group

# The file that has each command, as in ``dcq.cli``.
COMMANDS = {
    "match": "overlap_match",
    "scan": "overlap_scan",
    "search": "overlap_search",
    "effect": "overlap_effect",
}

overlap = typer.Typer(
    cls=lazy_group(COMMANDS),
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@overlap.callback()
def _group() -> None:
    """What all commands share: nothing."""
    # Without a callback typer would make a group of one command that command.
