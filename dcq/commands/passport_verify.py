"""Checking a passport, on any machine and without a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dcq.commands.output import AsJson, complain, emit


def verify(
    file: Annotated[Path, typer.Argument(help="The passport.")],
    key: Annotated[Path, typer.Option(help="The signer's public key.")],
    bundle: Annotated[
        Path | None, typer.Option(help="Its bundle (.zip), to compute the answer again.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check who signed a passport, and with its bundle whether the answer follows from the rows.

    Ends with code 2 where something is wrong. The store is not opened."""
    from dcq.passport import keys
    from dcq.passport.verify import verify as check
    from dcq.store.connect import utc_now

    verification = check(file, keys.public_key(key), bundle, now=utc_now())
    lines = []
    if verification.answer is not None:
        lines.append(str(verification.answer["sentence"]))
    if verification.valid:
        lines.append(f"Signed by key {verification.signed_by}, and not changed since.")
        lines.append(
            "Computed again from the bundle, the answer is the same."
            if verification.recomputed
            else "The answer was not computed again; give its bundle with --bundle."
        )
    emit(verification.document(), as_json, lines)
    if not verification.valid:
        for problem in verification.problems:
            complain(problem)
        raise typer.Exit(2)
