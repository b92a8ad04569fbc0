"""Choosing and rewording: the catalog, samples and variants."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from dcq import settings
from dcq.commands.output import AsJson, emit, err, open_store, remark, table
from dcq.errors import InputError
from dcq.models.endpoints import resolve
from dcq.partitions import catalog, draw_sample, open_partition
from dcq.records import Role, TextLayout
from dcq.store import samples
from dcq.variants import placebo, reword
from dcq.variants.prompts import Protocol

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


def sample(
    dataset: Annotated[str, typer.Argument(help="A key of the catalog, OWNER/NAME, or any name.")],
    split: Annotated[str, typer.Argument(help="The split, such as train.")],
    n: Annotated[int, typer.Option("--n", max=MOST, help="How many instances.")] = 100,
    seed: Annotated[
        int, typer.Option(min=-MOST, max=MOST, help="The same seed draws the same instances.")
    ] = 0,
    stratified: Annotated[
        bool, typer.Option(help="Keep the share of each label as it is in the split.")
    ] = False,
    file: Annotated[Path | None, typer.Option(help="A csv, jsonl, json or parquet file.")] = None,
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
    role: Annotated[
        Role | None, typer.Option(help="What is known about this partition before asking.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of a dataset on the Hub.")] = None,
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
        revision=revision,
        layout=layout,
    )
    drawn = draw_sample(opened, n, seed=seed, stratified=stratified)
    saved = samples.load(open_store(), samples.save(open_store(), drawn))
    for sentence in saved.notes:
        remark(sentence)
    has_variants = f"{len(drawn.variants)} of them with variants" if drawn.variants else ""
    next_step = "quiz" if drawn.variants else "perturb"
    emit(
        {
            "sample": saved.id,
            "partition": saved.partition.id,
            "n": drawn.n,
            "requested": drawn.requested,
        },
        as_json,
        f"Sample {saved.id}: {drawn.n} instances of {saved.partition.id}"
        + (f", {has_variants}" if has_variants else "")
        + f". Next: python -m dcq {next_step} {saved.id}",
    )


def perturb(
    sample: Annotated[str, typer.Argument(help="Id of the sample, or its beginning.")],
    model: Annotated[
        str | None,
        typer.Option(help="The model that rewords; by default the offline generator (weaker)."),
    ] = None,
    variants: Annotated[int, typer.Option(help="Variants per instance, 3 or 4.")] = 4,
    prompt: Annotated[
        Protocol | None,
        typer.Option(
            help="The prompt for the model: v1, the paper's (default), or v2, that of the authors' "
            "release."
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", "--anew", help="Write all of them, not only those missing."),
    ] = False,
    make_placebo: Annotated[
        bool,
        typer.Option(
            "--placebo",
            help="Make a new control sample, in which one variant of each instance takes the role "
            "of the original, and write variants for it.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write word-level variants of a sample's instances and save them."""
    if prompt is not None and not model:
        raise InputError("The offline generator uses no prompt; add --model or drop --prompt.")
    endpoint = resolve(model, settings.load()) if model else None
    if make_placebo:
        made = placebo.make(open_store(), sample)
        sample = made.sample
        for sentence in made.notes:
            remark(sentence)
    with Progress(
        "[progress.description]{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    ) as progress:
        bar = progress.add_task("Writing variants", total=None)
        outcome = asyncio.run(
            reword.reword_sample(
                open_store(),
                sample,
                endpoint,
                wanted=variants,
                protocol=prompt or Protocol.V1,
                again=again,
                on_instance=lambda done, total: progress.update(bar, completed=done, total=total),
            )
        )
    for sentence in outcome.notes:
        remark(sentence)
    emit(
        {
            "sample": outcome.sample,
            "instances": outcome.instances,
            "variants": outcome.variants,
            "failed": outcome.failed,
        },
        as_json,
        f"{outcome.variants} variants written for {outcome.instances} instances, "
        f"{outcome.failed} failed. Next: python -m dcq quiz {outcome.sample}",
    )
