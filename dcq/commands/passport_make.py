"""Signing an answer."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from dcq import writer
from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.errors import InputError
from dcq.store import studies
from dcq.store.studies import EVERYTHING


def make(
    to: Annotated[Path, typer.Option("--out", help="The passport to write, such as news.json.")],
    key: Annotated[Path, typer.Option(help="Your private key, from `passport key`.")],
    model: Annotated[str | None, typer.Option(help="The answer on this model.")] = None,
    partition: Annotated[
        str | None, typer.Option(help="The answer on this partition, KEY/SPLIT.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--study", help="As this saved study judges it.")
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Write the study's bundle here too (.zip), to compute it again."),
    ] = None,
    without_text: Annotated[
        bool, typer.Option("--without-text", help="Hashes in place of texts in the bundle.")
    ] = False,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Sign an answer of this bundle (.zip); no store is opened."),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it is valid.")] = 365,
    as_json: AsJson = False,
) -> None:
    """Sign one answer, with all that it rests on."""
    from dcq.passport import issue, keys

    _spare([to, bundle], [key, key.with_name(key.name + keys.PUBLIC_SUFFIX), source])
    private = keys.private_key(key)
    valid = timedelta(days=days)
    if source is not None:
        if bundle is not None or name is not None or without_text:
            raise InputError(
                "A bundle is signed as it is; --from goes with none of --study, "
                "--bundle and --without-text."
            )
        signed_answer = issue.from_bundle(source, private, model, partition, valid=valid)
    else:
        if bundle is not None and bundle.suffix.lower() != ".zip":
            raise InputError(f"A bundle ends in .zip, not {bundle.suffix!r}; name the file so.")
        store = open_store()
        within = EVERYTHING if name is None else studies.load(store, name)
        answer = issue.choose(store, within, model, partition)
        signed_answer = issue.sign(
            store, within, answer, private, with_text=not without_text, valid=valid
        )
    contents = {to: signed_answer.passport}
    if bundle is not None and signed_answer.bundle is not None:
        contents[bundle] = signed_answer.bundle
    writer.write_all(contents)
    if bundle is None and source is None:
        study = f" --study {shlex.quote(name)}" if name else ""
        remark(
            "To let others compute it again, write its bundle now: python -m dcq export bundle"
            f"{study}{' --without-text' if without_text else ''} --to FILE.zip"
        )
    predicate = signed_answer.statement["predicate"]
    signed = predicate["answer"]
    held_in = source or bundle
    emit(
        {
            "file": str(to),
            "signed_by": keys.key_id(private.public_key()),
            "model": signed["model"],
            "partition": signed["partition"],
            "ruling": signed["ruling"],
            "valid_until": predicate["valid_until"],
            "bundle": None if held_in is None else str(held_in),
            "manifest_sha256": predicate["bundle"]["manifest_sha256"],
        },
        as_json,
        f"{to}: {signed['sentence']} Valid until {predicate['valid_until'][:10]}.",
    )


def _spare(outputs: Sequence[Path | None], inputs: Sequence[Path | None]) -> None:
    """Raise InputError where an output would replace an input, or another output."""
    taken = {os.path.realpath(path) for path in inputs if path is not None}
    for path in outputs:
        if path is None:
            continue
        if os.path.realpath(path) in taken:
            raise InputError(f"{path} is named twice, and would be replaced; name another file.")
        taken.add(os.path.realpath(path))
