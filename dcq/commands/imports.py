"""Importing files: a sample file of dcq, a bundle, or a published quiz."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dcq import settings
from dcq.audit import release_sample
from dcq.audit.release_sample import About
from dcq.commands import no_effect
from dcq.commands.bundle import SUFFIX, read_bundle
from dcq.commands.output import AsJson, conclude_words, emit, open_store, remark, remark_guess
from dcq.errors import InputError
from dcq.files import label_studio, sample_file
from dcq.records import DatasetTask, PartitionRole, Sample
from dcq.store import Store, samples

_QUIZ_ONLY = "of a published quiz"


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="A sample or an export of Label Studio (.json), a bundle (.zip), or a published "
            "quiz (.csv, .tsv, .jsonl or .parquet)."
        ),
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map", help=f"A column {_QUIZ_ONLY}, such as instance=text; may be repeated."
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            help="A key of the catalog, or the dataset's name in the prompt; left out, the file's "
            "name."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Name of the split in the prompt; by default test.")
    ] = None,
    role: Annotated[
        PartitionRole | None, typer.Option(help=f"Role {_QUIZ_ONLY}; left out, the catalog's.")
    ] = None,
    task: Annotated[
        DatasetTask | None, typer.Option(help=f"Task {_QUIZ_ONLY}; left out, the catalog's.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help=f"Language {_QUIZ_ONLY}, such as kk; left out, the catalog's, or guessed."
        ),
    ] = None,
    add_variants: Annotated[
        bool,
        typer.Option(
            "--add-variants",
            help="If the store already has the sample, add the variants that differ.",
        ),
    ] = False,
    sender: Annotated[
        str | None,
        typer.Option(
            "--from", help="Of a bundle: who sent it; by default it is named after its file."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import a sample with its variants or a published quiz, or keep a bundle beside your own
    results."""
    is_bundle = file.suffix.lower() == SUFFIX
    if sender is not None and not is_bundle:
        raise InputError(f"{file.name} is no bundle, so nobody sent runs in it; drop --from.")
    if file.suffix.lower() in release_sample.SUFFIXES:
        mapped = _read_map(columns or [])
        about = About(dataset, split, role, task, language, mapped)
        _import_quiz(file, about, as_json, add_variants=add_variants)
        return
    if (
        columns
        or not all(value is None for value in (dataset, split, role, task, language))
        or (is_bundle and add_variants)
    ):
        kind = "bundle" if is_bundle else "sample file"
        raise InputError(
            f"{file.name} is a {kind}, which has its own columns and names; drop the other options."
        )
    if is_bundle:
        read_bundle(file, sender=sender or "", as_json=as_json)
        return
    if label_studio.is_tasks(file):
        no_effect.refuse(
            {"--add-variants": add_variants}, "An export of Label Studio has decisions alone"
        )
        decisions = label_studio.take(open_store(), file)
        emit(decisions.document(), as_json, decisions.sentence().split("\n"))
        return
    into, author = open_store(), settings.load().author
    sample = sample_file.read(file)
    sample_id = samples.save(into, sample, author=author)
    saved = samples.load(into, sample_id)
    offer = _offer(into, sample_id, sample, author, add_variants=add_variants)
    emit(
        _document(saved, offer, add_variants=add_variants),
        as_json,
        f"Sample {sample_id}: {len(saved.instances)} instances of {saved.partition.id}. "
        f"{conclude_words(sample_id)}",
    )
    for sentence in sample_file.describe(offer, added=add_variants):
        remark(sentence)


def _offer(
    into: Store, sample_id: str, sample: Sample, author: str, *, add_variants: bool
) -> sample_file.Offer:
    """The variants that were added; without ``add_variants``, the variants that could be added."""
    offer = sample_file.offer(into, sample_id, sample, author)
    return sample_file.add(into, sample_id, offer) if add_variants else offer


def _document(
    saved: samples.StoredSample, offer: sample_file.Offer, *, add_variants: bool
) -> dict[str, object]:
    """The JSON fields that both kinds of file share."""
    return {
        "sample": saved.id,
        "partition": saved.partition.id,
        "n": len(saved.instances),
        "variants_added": len(offer.new) if add_variants else 0,
        "variants_left": offer.decided + (0 if add_variants else len(offer.new)),
    }


def _import_quiz(file: Path, about: About, as_json: bool, *, add_variants: bool) -> None:
    quiz = release_sample.read(file, about)
    into, author = open_store(), settings.load().author
    sample_id = release_sample.save(into, quiz, author=author)
    saved = samples.load(into, sample_id)
    partition = saved.partition
    offer = _offer(into, sample_id, quiz.sample, author, add_variants=add_variants)
    for sentence in (*quiz.sentences, *sample_file.describe(offer, added=add_variants)):
        remark(sentence)
    remark_guess(quiz.guessed)
    if about.dataset is None or about.split is None:
        remark(
            f"The prompts will say “the {partition.split_title} split of the "
            f"{partition.title} dataset”; change that with --dataset and --split."
        )
    emit(
        {
            **_document(saved, offer, add_variants=add_variants),
            "left_out": quiz.left_out,
            "from_replies": len(quiz.from_replies),
            "defects": quiz.counts(),
            "defect_rows": {name: list(numbers) for name, numbers in quiz.defects.items()},
        },
        as_json,
        f"Sample {sample_id}: {quiz.sample.n} instances of {partition.id} with variants, "
        f"{quiz.left_out} rows left out. {conclude_words(sample_id)}",
    )


def _read_map(pairs: list[str]) -> dict[str, str]:
    columns = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not name.strip() or not column:
            raise InputError(f"--map {pair} names no column; write instance=COLUMN.")
        if name.strip().lower() in columns:
            raise InputError(f"--map names {name.strip()} twice; name it once.")
        columns[name.strip().lower()] = column
    return columns
