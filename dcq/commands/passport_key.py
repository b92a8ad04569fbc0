"""A pair of keys, made here and kept by the person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit


def key(
    to: Annotated[
        Path, typer.Option("--out", help="The private key; the public one is beside it, .pub.")
    ],
    as_json: AsJson = False,
) -> None:
    """Make a pair of Ed25519 keys for signing, encrypted where DCQ_PASSPHRASE is set.

    Keep the private one, and give the public one to whoever checks your passports."""
    from dcq.passport import keys

    key_id = keys.make(to)
    public = f"{to}{keys.PUBLIC_SUFFIX}"
    emit(
        {"private": str(to), "public": public, "key": key_id},
        as_json,
        f"{to} signs and is yours alone; give {public} to others. Key {key_id}.",
    )
