"""Writes the contents of the store to files: tables, reports, bundles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from os.path import realpath
from pathlib import Path
from typing import Annotated

import typer

from dcq import writer
from dcq.commands import no_effect
from dcq.commands.bundle import write_bundle
from dcq.commands.output import AsJson, emit, remark
from dcq.commands.shown import CONCLUSION, nothing_of, shown_results
from dcq.errors import InputError
from dcq.files import export as exporting
from dcq.files import label_studio, release_export, sample_file
from dcq.judging import clean, known
from dcq.judging.wording import rests_on
from dcq.store import Store, runs, studies
from dcq.store.private_wordings import refuse_private
from dcq.store.studies import EVERYTHING
from dcq.words import counted, listed

FINDINGS = "findings"


class ExportForm(StrEnum):
    """File formats of other projects: the columns of the replication's authors, and those of
    ``dcq.documents.published_forms``."""

    RELEASE = "release"
    HUB = "hub"
    EVERY_EVAL_EVER = "every-eval-ever"
    CONTAMINATION_INDEX = "contamination-index"


def export(
    what: Annotated[
        str,
        typer.Argument(
            help="results, pairs (the answers, by method), answers, quiz, variants, opinions, "
            "people, replication, replication-scores, overlap (labels for `overlap effect`), clean "
            "(which instances seem unseen), sample, release (protocol v2 in its authors' format), "
            "task (originals and accepted rewordings for lm-evaluation-harness and inspect_ai), "
            "label-studio (variants as tasks, their interface beside them as .xml), findings "
            "(answers, as others keep them), report, or bundle (a study with all its verdicts "
            "rest on)."
        ),
    ],
    of: Annotated[
        str | None,
        typer.Argument(
            help="Id of the run (answers, replication, replication-scores, overlap), the quiz, or "
            "the sample (variants, opinions, people, clean, sample, release, task)."
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            help="A .csv, .jsonl or .parquet file; a sample is .json, a release also .txt, a "
            "report .html, .pdf, .pptx (slides), .md, .tex or .yaml, a bundle .zip, a task a new "
            "folder."
        ),
    ] = None,
    form: Annotated[
        ExportForm | None,
        typer.Option(
            "--format",
            help="findings: hub (.eval_results/*.yaml), every-eval-ever or contamination-index; "
            "replication: release, in its authors' columns.",
        ),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Only these, separated by commas.")] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model (findings, clean), or that answered (release); left out, all or the "
            "only one."
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="findings: the address where their evidence is published.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--study", help="This saved study, not all that there is (report, bundle)."),
    ] = None,
    without_text: Annotated[
        bool,
        typer.Option(
            "--without-text",
            help="Hashes in place of texts (report, bundle). Such a bundle can be checked, not "
            "stored.",
        ),
    ] = False,
    as_slides: Annotated[
        bool, typer.Option("--slides", help="A page for each slide (report, as .pdf).")
    ] = False,
    tables: Annotated[
        str | None, typer.Option(help="csv: the bundle has its tables as csv too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what is in the store to a file."""
    if to is None:
        raise InputError("Name the file to write with --to, such as --to results.csv.")
    _check_options(
        what,
        {
            _ID: of,
            _FORM: form,
            _COLUMNS: columns,
            _MODEL: model,
            "--source": source,
            _STUDY: name,
            _PLAIN: without_text,
            "--slides": as_slides,
            "--tables": tables,
        },
    )
    _check_form(what, form, source)
    if what == "bundle":
        write_bundle(to, name, with_text=not without_text, tables=tables, as_json=as_json)
        return
    with shown_results() as shown:
        model = known.model_named(shown.store, model)
        store, within = shown.store, name or shown.within.name or None
        if what == "report":
            rows = _write_report(store, within, to, with_text=not without_text, as_slides=as_slides)
        elif what == FINDINGS and form is not None:
            rows = _write_findings(store, within, model, form, source, to)
        elif what in _OF_SAMPLES:
            if not of:
                raise InputError(f"Name the sample: `python -m dcq export {what} ID --to {to}`.")
            rows = _OF_SAMPLES[what](store, of, model, to)
        else:
            rows = _write_table(store, what, of, to, form, columns)
    emit({"file": str(to), "rows": rows}, as_json, f"{to}: {rows} rows.")


# What each export takes besides the file; the others of these options would change nothing.
_ID, _COLUMNS, _MODEL = "the id", "--columns", "--model"
_FORM, _STUDY, _PLAIN = "--format", "--study", "--without-text"
_TAKEN: Mapping[str, tuple[str, ...]] = {
    **{table.value: (_ID, _COLUMNS) for table in exporting.ExportTable},
    exporting.ExportTable.RESULTS: (_COLUMNS,),
    exporting.ExportTable.PAIRS: (_COLUMNS,),
    exporting.ExportTable.REPLICATION: (_ID, _COLUMNS, _FORM),
    "label-studio": (_ID,),
    "sample": (_ID,),
    "clean": (_ID, _MODEL),
    "release": (_ID, _MODEL),
    "task": (_ID,),
    FINDINGS: (_MODEL, _FORM, _STUDY, "--source"),
    "report": (_STUDY, _PLAIN, "--slides"),
    "bundle": (_STUDY, _PLAIN, "--tables"),
}


def _check_options(what: str, options: Mapping[str, object]) -> None:
    """Raise InputError for an export that is none, and for an option that it does not take."""
    if what not in _TAKEN:
        raise InputError(f"There is no export {what!r}; choose from {', '.join(_TAKEN)}.")
    others = {name: value for name, value in options.items() if name not in _TAKEN[what]}
    no_effect.refuse(others, f"`export {what}` takes {listed([*_TAKEN[what], '--to'])} alone")


def _check_form(what: str, form: ExportForm | None, source: str | None) -> None:
    if form is not None and (form is ExportForm.RELEASE) == (what == FINDINGS):
        right = exporting.ExportTable.REPLICATION if what == FINDINGS else FINDINGS
        raise InputError(f"--format {form} is for `export {right}`.")
    if what == FINDINGS and form is None:
        forms = [
            export_form.value for export_form in ExportForm if export_form is not ExportForm.RELEASE
        ]
        raise InputError(f"Name a form for the findings with --format: {', '.join(forms)}.")
    if source is not None and not source.startswith(("https://", "http://")):
        raise InputError("--source is an address that begins with https://.")


def _write_findings(
    store: Store,
    name: str | None,
    model: str | None,
    form: ExportForm,
    source: str | None,
    to: Path,
) -> int:
    """Write answers in a form of others; returns how many there are."""
    from dcq.documents import published_forms  # here, because other exports do without
    from dcq.judging.answers import answers

    within = EVERYTHING if name is None else studies.load(store, name)
    selected_answers = answers(store, within, model=model)
    if not selected_answers and model is not None:
        raise InputError(nothing_of(CONCLUSION, model, None, name))
    facts = published_forms.facts_of(store, selected_answers, source or "")
    content = published_forms.to_bytes(published_forms.Form(form), selected_answers, facts)
    writer.write(to, content)
    return len(selected_answers)


def _write_sample(store: Store, sample: str, _model: str | None, to: Path) -> int:
    """Write a sample; returns how many instances it holds."""
    text = sample_file.dump(store, sample)
    writer.write(to, text.encode())
    return len(json.loads(text)["instances"])


def _write_clean(store: Store, sample: str, model: str | None, to: Path) -> int:
    """Write which instances seem seen; returns how many seem unseen."""
    clean_subset = clean.subset(store, sample, [model] if model else clean.models(store, sample))
    data = clean.frame(clean_subset)
    exporting.refuse_private_rows(store, data)
    exporting.write(data, to)
    if clean_subset.senders:
        remark(rests_on(clean_subset.senders).rstrip())
    from dcq.effect.clean_score import kept_score  # here, because other exports do without

    for score in kept_score(store, clean_subset):
        remark(score.sentence)
    return len(clean_subset.kept)


def _write_release(store: Store, sample: str, model: str | None, to: Path) -> int:
    """Write protocol v2 in its authors' format; returns how many rows it has."""
    return release_export.write(store, release_export.find(store, sample, model), to)


def _write_task(store: Store, sample: str, _model: str | None, to: Path) -> int:
    """Write originals and rewordings for harnesses; returns how many instances there are."""
    from dcq.effect import task  # here, because other exports do without

    harness_task = task.make(store, sample)
    for reason, count in harness_task.left_out.items():
        remark(f"Left out: {counted(count, 'instance')} {reason}.")
    remark(task.CAUTION)
    refuse_private(
        store,
        lambda: (
            asked for item in harness_task.items for _, asked in (item.original, item.reworded)
        ),
        "Questions of this task",
    )
    task.write(harness_task, to)
    return len(harness_task.items)


def _write_tasks(store: Store, sample: str, _model: str | None, to: Path) -> int:
    """Write variants for Label Studio, and its interface beside them; returns how many."""
    interface = to.with_suffix(".xml")
    if to.suffix.lower() != ".json" or realpath(interface) == realpath(to):
        raise InputError("Tasks for Label Studio end in .json; their interface gets the .xml.")
    text = label_studio.dump(store, sample)
    writer.write_all({to: text.encode(), interface: label_studio.INTERFACE.encode()})
    return len(json.loads(text))


_OF_SAMPLES = {
    "label-studio": _write_tasks,
    "sample": _write_sample,
    "clean": _write_clean,
    "release": _write_release,
    "task": _write_task,
}


def _write_table(
    store: Store,
    what: str,
    of: str | None,
    to: Path,
    form: ExportForm | None,
    columns: str | None,
) -> int:
    """Write a table; returns how many rows it has."""
    if form is None or not of:
        data = exporting.frame(store, exporting.ExportTable(what), of)
    else:
        from dcq.files import replication_export  # here, because other exports do without

        data = replication_export.release_frame(store, runs.load(store, of).id)
        exporting.refuse_private_rows(store, data)
    exporting.write(data, to, columns.split(",") if columns else None)
    return len(data)


def _write_report(
    store: Store, name: str | None, to: Path, *, with_text: bool, as_slides: bool
) -> int:
    """Write the report of a study; returns how many results it holds."""
    from dcq.documents import deck, report_file  # here, because other exports do without charts

    report_file.check(to.suffix, as_slides=as_slides)
    within = studies.load(store, name) if name is not None else EVERYTHING
    report_deck = deck.build(store, within, with_text=with_text)
    content = report_file.to_bytes(report_deck, to.suffix, as_slides=as_slides)
    writer.write(to, content)
    return sum(
        len(report_deck.data[kind]) for kind in ("results", "replications", "others", "overlaps")
    )
