"""What is in the store, as files: tables, reports, bundles."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dcq.commands.bundle import write_bundle
from dcq.commands.output import AsJson, emit, open_store
from dcq.errors import InputError
from dcq.files import export as exporting
from dcq.files import release_export, sample_file
from dcq.judging import clean
from dcq.store import Store, runs, studies
from dcq.store.studies import EVERYTHING


class ReplicationColumns(StrEnum):
    """The columns of an exported replication, where not our own."""

    RELEASE = "release"


def export(
    what: Annotated[
        str,
        typer.Argument(
            help="results, pairs (the answers, by method), answers, quiz, variants, opinions, "
            "people, replication, replication-scores, overlap (labels for `overlap effect`), clean "
            "(which instances seem unseen), sample, release (protocol v2 in its authors' format), "
            "report, or bundle (a study with all its verdicts rest on)."
        ),
    ],
    of: Annotated[
        str | None,
        typer.Argument(
            help="Id of the run (answers, replication, replication-scores, overlap), the quiz, or "
            "the sample (variants, opinions, people, clean, sample, release)."
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            help="A .csv, .jsonl or .parquet file; a sample is .json, a release also .txt, a "
            "report .html, .pdf, .md, .tex or .yaml, a bundle .zip."
        ),
    ] = None,
    form: Annotated[
        ReplicationColumns | None,
        typer.Option("--format", help="release: a replication in its authors' columns."),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Only these, separated by commas.")] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model that answered (release, clean); left out, the only one, or all (clean)."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--study", help="This study, not the whole store (report, bundle)."),
    ] = None,
    without_text: Annotated[
        bool,
        typer.Option(
            "--without-text",
            help="Hashes in place of texts (report, bundle). Such a bundle can be checked, not "
            "stored.",
        ),
    ] = False,
    tables: Annotated[
        str | None, typer.Option(help="csv: the bundle has its tables as csv too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what is in the store to a file."""
    if to is None:
        raise InputError("Name the file to write with --to, such as --to results.csv.")
    if what not in {"report", "bundle"} and (name is not None or without_text):
        raise InputError("--study and --without-text are for `export report` and `export bundle`.")
    if form is not None and what != exporting.ExportTable.REPLICATION:
        raise InputError("--format release is for `export replication`; drop it.")
    if what != "bundle" and tables is not None:
        raise InputError("--tables is for `export bundle`.")
    if what == "bundle":
        if of or columns or model:
            raise InputError("A bundle is of a study; name it with --study and drop the rest.")
        write_bundle(to, name, with_text=not without_text, tables=tables, as_json=as_json)
        return
    store = open_store()
    if what == "report":
        if of:
            raise InputError("A report takes no id; choose what it covers with --study.")
        rows = _write_report(store, name, to, with_text=not without_text)
    elif what == "sample":
        rows = _write_sample(store, of, to)
    elif what == "clean":
        rows = _write_clean(store, of, model, to)
    elif what == "release":
        rows = _write_release(store, of, model, to)
    else:
        rows = _write_table(store, what, of, to, form, columns)
    emit({"file": str(to), "rows": rows}, as_json, f"{to}: {rows} rows.")


def _write_sample(store: Store, sample: str | None, to: Path) -> int:
    """Write a sample; returns how many instances it holds."""
    if not sample:
        raise InputError("Name the sample: `python -m dcq export sample ID --to FILE.json`.")
    text = sample_file.dump(store, sample)
    with exporting.writing(to):
        to.write_text(text, "utf-8")
    return text.count('"protected"')


def _write_clean(store: Store, sample: str | None, model: str | None, to: Path) -> int:
    """Write which instances seem seen; returns how many seem unseen."""
    if not sample:
        raise InputError("Name the sample: `python -m dcq export clean ID --to FILE.csv`.")
    found = clean.subset(store, sample, [model] if model else clean.models(store, sample))
    exporting.write(clean.frame(found), to)
    return len(found.kept)


def _write_release(store: Store, sample: str | None, model: str | None, to: Path) -> int:
    """Write protocol v2 in its authors' format; returns how many rows it has."""
    if not sample:
        raise InputError("Name the sample: `python -m dcq export release SAMPLE --to FILE.csv`.")
    return release_export.write(store, release_export.find(store, sample, model), to)


def _write_table(
    store: Store,
    what: str,
    of: str | None,
    to: Path,
    form: ReplicationColumns | None,
    columns: str | None,
) -> int:
    """Write a table; returns how many rows it has."""
    if what not in set(exporting.ExportTable):
        choices = ", ".join(
            [*exporting.ExportTable, "clean", "sample", "release", "report", "bundle"]
        )
        raise InputError(f"There is no export {what!r}; choose from {choices}.")
    if form is None or not of:
        data = exporting.frame(store, exporting.ExportTable(what), of)
    else:
        from dcq.files import replication_export  # here, because other exports do without

        data = replication_export.release_frame(store, runs.load(store, of).id)
    exporting.write(data, to, columns.split(",") if columns else None)
    return len(data)


def _write_report(store: Store, name: str | None, to: Path, *, with_text: bool) -> int:
    """Write the report of a study; returns how many results it holds."""
    from dcq.documents import deck, report_file  # here, because other exports do without charts

    report_file.check(to.suffix)
    within = studies.load(store, name) if name is not None else EVERYTHING
    made = deck.build(store, within, with_text=with_text)
    content = report_file.to_bytes(made, to.suffix)
    with exporting.writing(to):
        to.write_bytes(content)
    return sum(len(made.data[kind]) for kind in ("results", "replications", "others", "overlaps"))
