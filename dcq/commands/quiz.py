"""Freezing a quiz."""

from __future__ import annotations

from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.models import embedded
from dcq.models.presets import EMBEDDED
from dcq.quiz import freeze
from dcq.records import Kind, slot_letter


def quiz(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    kind: Annotated[Kind, typer.Option(help="Which quiz to build.")] = Kind.STANDARD,
    slot: Annotated[
        str | None,
        typer.Option(
            help="Slot of the original in a standard quiz or a bcq, A to D. Left out, the least "
            "chosen in the newest finished modified quiz, or D; for a bcq the first that the "
            "newest finished bdq does not prefer."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model whose modified quiz or bdq proposes the slot, or whose bdq a bcq is "
            "made from."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Freeze a quiz: its questions never change again."""
    made = freeze.freeze(open_store(), sample, kind, slot=slot, model=model)
    asked = "NAME" if embedded.missing() else EMBEDDED
    for sentence in made.notes:
        remark(sentence)
    emit(
        {
            "quiz": made.quiz,
            "kind": kind.value,
            "items": made.items,
            "slot": slot_letter(made.slot),
        },
        as_json,
        f"Quiz {made.quiz}: {made.items} questions ({kind}"
        + (f", original at {slot_letter(made.slot)}" if made.slot is not None else "")
        + f"). Next: python -m dcq run {made.quiz} --model {asked}",
    )
