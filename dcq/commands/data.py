"""Choosing what to ask about: the catalog and samples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dcq.commands.output import (
    AsJson,
    conclude_words,
    emit,
    open_store,
    remark,
    remark_guess,
    table,
)
from dcq.effect.dates import date_window
from dcq.errors import InputError
from dcq.partitions import DateWindow, catalog, draw_sample, open_partition
from dcq.records import DatasetTask, PartitionRole, TextLayout
from dcq.store import samples

MOST = 2**31 - 1  # of instances, and the largest seed


def datasets(as_json: AsJson = False) -> None:
    """List the catalog."""
    entries = [
        {
            "dataset": entry.key,
            "title": entry.title,
            "splits": list(entry.splits),
            "task": entry.layout.task.value,
            "role": entry.role.value,
            "language": entry.language,
            "published": entry.published.isoformat() if entry.published else None,
            "licence": entry.licence,
            "source": entry.origin,
        }
        for entry in catalog.entries()
    ]
    emit(
        entries,
        as_json,
        table(
            ["dataset", "title", "splits", "task", "role", "published", "from"],
            [
                [
                    entry.key,
                    entry.title,
                    ", ".join(entry.splits),
                    entry.layout.task,
                    entry.role,
                    entry.published,
                    entry.origin,
                ]
                for entry in catalog.entries()
            ],
        ),
    )


def _window(column: str | None, after: str | None, until: str | None) -> DateWindow | None:
    if column is None:
        if after or until:
            raise InputError("Name the column of the dates with --date-column.")
        return None
    window, cautions = date_window(column, after or "", until or "")
    for caution in cautions:
        remark(caution)
    return window


def sample(
    dataset: Annotated[
        str,
        typer.Argument(
            help="A key of the catalog, OWNER/NAME or OWNER/NAME:CONFIG on the Hub, or with "
            "--file any name."
        ),
    ],
    split: Annotated[str, typer.Argument(help="The split, such as train.")],
    n: Annotated[int, typer.Option("--n", max=MOST, help="How many instances.")] = 100,
    seed: Annotated[
        int, typer.Option(min=-MOST, max=MOST, help="The same seed draws the same instances.")
    ] = 0,
    stratified: Annotated[
        bool, typer.Option(help="Keep the share of each label as it is in the split.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            help="A csv, tsv, jsonl, json or parquet file below 200 MB: in UTF-8, or as Excel "
            "saves Unicode text."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Column of the text.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the label.")] = None,
    template: Annotated[
        str | None, typer.Option(help='A template with {column} in it, such as "Q: {question}".')
    ] = None,
    layout: Annotated[
        TextLayout,
        typer.Option(
            help="How a row becomes text: as in the paper, or as in the authors' release."
        ),
    ] = TextLayout.PAPER,
    task: Annotated[
        DatasetTask | None,
        typer.Option(
            help="Whether a label is a class or an answer: classification or question-answering; "
            "left out, guessed from the labels."
        ),
    ] = None,
    role: Annotated[
        PartitionRole | None,
        typer.Option(help="What is known about this partition: target, control or positive."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help="Code of the texts' language, such as kk; left out, the catalog's, or guessed "
            "from the script."
        ),
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of a dataset on the Hub.")] = None,
    date_column: Annotated[
        str | None, typer.Option(help="Column of the date; rows without one are left out.")
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            help="Only later rows: a date such as 2023-10, or a model's name for its cut-off."
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Only rows not later than that, given likewise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a seeded sample of unique instances and save it."""
    opened = open_partition(
        dataset,
        split,
        file=file,
        text=text,
        label=label,
        template=template,
        role=role,
        language=language,
        revision=revision,
        layout=layout,
        task=task,
    )
    window = _window(date_column, after, until)
    drawn = draw_sample(opened, n, seed=seed, stratified=stratified, window=window)
    saved = samples.load(open_store(), samples.save(open_store(), drawn))
    for sentence in saved.notes:
        remark(sentence)
    remark_guess(opened.guessed)
    has_variants = f"{len(drawn.variants)} of them with variants" if drawn.variants else ""
    of_control = saved.partition.role is PartitionRole.CONTROL
    emit(
        {
            "sample": saved.id,
            "partition": saved.partition.id,
            "n": drawn.n,
            "requested": drawn.requested,
            "language": saved.partition.language,
            "task": saved.partition.task,
            "source": saved.partition.source,
            "revision": saved.revision,
            "rows": [instance.row for instance in saved.instances],
        },
        as_json,
        f"Sample {saved.id}: {drawn.n} instances of {saved.partition.id}"
        + (f", {has_variants}" if has_variants else "")
        + f". {conclude_words('TARGET' if of_control else saved.id)}",
    )
