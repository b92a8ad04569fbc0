"""Choosing variants among candidates."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from dcq.commands.output import AsJson, emit, open_store, remark, table
from dcq.records import LETTERS
from dcq.variants import choose
from dcq.variants.balancing import balancing_document, strategy_rows, tell


def balance(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    move_accepted: Annotated[
        bool,
        typer.Option(
            "--move-accepted",
            help="Also move accepted variants and those that a person wrote; what moves is to be "
            "reviewed again.",
        ),
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the newest choice back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose the variants, among the candidates, by which text alone finds no original."""
    store = open_store()
    if undo:
        restored = choose.undo(store, sample)
        emit(
            {"restored": restored},
            as_json,
            f"{restored} instances have their earlier variants again.",
        )
        return
    found = choose.choose(store, sample, keep_accepted=not move_accepted)
    if found.without_choice:
        remark(
            f"{found.without_choice} of {found.instances} instances have no more than four usable "
            f"texts to choose from; ask for more with: python -m dcq perturb {found.sample} "
            "--candidates 8"
        )
    rows = strategy_rows(found.before, found.after)
    letters = [f"{letter}#" for letter in LETTERS[:4]]
    shown = table(["strategy", *letters], [list(row.values()) for row in rows])
    emit(
        balancing_document(found),
        as_json,
        Group(
            shown,
            Text(
                f"Variants of {found.changed} of {found.instances} instances changed. "
                f"{tell(found.before, found.after)}"
            ),
        ),
    )
