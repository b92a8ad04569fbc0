"""Copies of the store: taken while runs go on, and put back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.errors import InputError
from dcq.jobs.restore import restore as put_back
from dcq.jobs.restore import say_whose
from dcq.store import copies, private_wordings
from dcq.words import counted


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, such as dcq-monday.duckdb.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if it is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the whole store to a file, also while runs go on."""
    store = open_store()
    size = copies.take(store, file, replace=force)
    if private := private_wordings.count_private(store):
        remark(
            f"{file} holds {counted(private, 'secret wording')} of protected benchmarks; keep it "
            "like the store itself."
        )
    emit({"file": str(file), "bytes": size}, as_json, f"{file}: {size / 1e6:,.1f} MB.")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace the store that is there; it is kept beside.")
    ] = False,
    mine: Annotated[
        bool,
        typer.Option(
            "--mine", help="The copy is of your own store, as on a new machine: its runs are yours."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a copy the store again; the store that is there is kept beside it under a dated name."""
    store = open_store()
    if store.path.exists() and not force:
        raise InputError(
            f"There is a store at {store.path}; replace it with --force (it is kept beside, under "
            "a dated name), or set DCQ_STORE to a new file."
        )
    path = put_back(store, file, mine=mine)
    words = f"The store {store.path} is that of {file} now."
    if path is not None:
        words += f" The one before it is {path}."
    if whose := say_whose(store):
        remark(whose)
    emit(
        {"file": str(file), "store": str(store.path), "kept": path and str(path)},
        as_json,
        words,
    )
