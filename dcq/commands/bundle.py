"""Bundles: a study in one file, and one imported and checked."""

from __future__ import annotations

from pathlib import Path

import typer

from dcq import settings, writer
from dcq.commands.output import emit, open_store, remark
from dcq.errors import InputError
from dcq.store import studies
from dcq.store.studies import EVERYTHING

SUFFIX = ".zip"


def write_bundle(
    to: Path, study: str | None, *, with_text: bool, tables: str | None, as_json: bool
) -> None:
    """Write a study, or everything, to a file."""
    from dcq.files import bundle_write  # here, because other exports do without

    if to.suffix.lower() != SUFFIX:
        raise InputError(f"A bundle ends in {SUFFIX}, not {to.suffix!r}; name the file so.")
    if tables not in {None, "csv", "parquet"}:
        raise InputError(f"There are no tables as {tables!r}; choose csv or parquet.")
    store = open_store()
    within = EVERYTHING if study is None else studies.load(store, study)
    data, manifest = bundle_write.to_bytes(store, within, with_text=with_text, csv=tables == "csv")
    writer.write(to, data)
    counts = {
        name.removeprefix("tables/").removesuffix(".parquet"): member.rows
        for name, member in manifest.files.items()
        if name.startswith("tables/")
    }
    for sentence in manifest.sentences:
        remark(sentence)
    emit(
        {
            "file": str(to),
            "rows": sum(counts.values()),
            "study": manifest.study,
            "text": manifest.text,
            "tables": counts,
            "results": len(manifest.outcomes.results),
            "replications": len(manifest.outcomes.replications),
            "others": len(manifest.outcomes.others),
            "overlaps": len(manifest.outcomes.overlaps),
        },
        as_json,
        f"{to}: {sum(counts.values()):,} rows of {len(counts)} tables.",
    )


def read_bundle(file: Path, *, sender: str, as_json: bool) -> None:
    """Keep a bundle beside one's own results; ends with code 1 where its verdicts are not those
    that its rows give."""
    from dcq.files import others

    finished_imported = others.keep(
        open_store(), file, sender=sender, author=settings.load().author
    )
    emit(
        {"file": str(file), **finished_imported.document()},
        as_json,
        finished_imported.sentence().split("\n"),
    )
    if finished_imported.differences:
        raise typer.Exit(1)
