"""A study's file to begin with."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from dcq import writer
from dcq.commands.output import AsJson, emit
from dcq.errors import InputError


def init(
    to: Annotated[Path, typer.Option(help="The file to write; nothing may be there.")] = Path(
        "study.toml"
    ),
    file: Annotated[
        str | None,
        typer.Option(help="The benchmark: a csv, tsv, jsonl, json or parquet file beside it."),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Column of the text.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the label.")] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model to ask; may be repeated.")
    ] = None,
    rewordings: Annotated[
        str | None, typer.Option(help="The model that writes the rewordings.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(help="Never spend more than this on all of it, in USD.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a study's file that runs as it is, with a comment on each key."""
    from dcq.study.draft import Draft, write_draft
    from dcq.study.file import read_text

    if os.path.lexists(to):
        raise InputError(f"{to} is there already; name another file with --to.")
    if not file and (text or label):
        raise InputError("--text and --label are columns of a file; name it with --file.")
    draft = Draft(
        file=os.path.relpath(file, to.parent) if file else "",
        text=text or "",
        label=label or "",
        models=tuple(model or ()),
        rewordings=rewordings or "",
        budget=budget,
    )
    content = write_draft(draft)
    read_text(content, to)  # what it was given may be no name, or lie elsewhere
    writer.write(to, content.encode())
    emit(
        {"file": str(to)},
        as_json,
        f"{to} is written. Next: python -m dcq study plan {shlex.quote(str(to))}",
    )
