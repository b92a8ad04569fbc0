"""The results: the κ table, comparisons and exports."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dcq.commands.bundle import write_bundle
from dcq.commands.output import AsJson, emit, kappa_text, open_store, percent, table
from dcq.errors import InputError
from dcq.evidence.case import Mark
from dcq.evidence.soft import SoftScore
from dcq.quiz import protocol2
from dcq.quiz.results import Result
from dcq.records import slot_letter
from dcq.report import breakdown, changes, comparisons, release_export, sample_file, soft, study
from dcq.report import export as exporting
from dcq.report.breakdown import Grouping
from dcq.report.summary import summarise
from dcq.store import Store, runs, studies
from dcq.store.studies import EVERYTHING


class Form(StrEnum):
    """The columns of an exported replication, where not our own."""

    RELEASE = "release"


def results(
    model: Annotated[str | None, typer.Option(help="Show only this model.")] = None,
    partition: Annotated[
        str | None, typer.Option(help="Show only this partition, KEY/SPLIT.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--study", help="Judge this study, not the whole store.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare models with each other, and splits.")
    ] = False,
    by: Annotated[
        Grouping | None,
        typer.Option(
            help="Break each result down by the label or the length of its instances; or, with "
            "provider, count refusals by provider and form of the question."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the κ table with verdicts: one result for each model, partition and kind of quiz.

    Verdicts take the whole study into account, the whole store if none is named; the other options
    only select what is shown.
    """
    store = open_store()
    within = studies.load(store, name) if name is not None else EVERYTHING
    judged = study.findings(store, within)
    changes.keep(store, within, judged)
    found = [
        finding
        for finding in judged
        if model in {None, finding.result.model} and partition in {None, finding.result.partition}
    ]
    if by is not None:
        if compare:
            raise InputError("Choose --compare or --by, not both.")
        _break_down(store, [finding.result for finding in found], by, as_json)
        return
    if compare:
        _compare(comparisons.among(comparisons.comparisons(store, within), _runs(found)), as_json)
        return
    changed = changes.sentences(store, within, judged)
    if as_json:
        ranges = protocol2.by_run(protocol2.estimates(store))
        rows = [
            exporting.document(one, ranges.get(one.result.run))
            | {"changed": changed.get(one.result.run)}
            for one in found
        ]
        emit(rows, True, "")
        return
    if not found:
        emit(None, False, "No results yet; ask a model with: python -m dcq run")
        return
    columns = (
        "model partition role kind mode n# correct# score# κ_fixed soft# debiased# κ_control "
        "q# verdict outcomes"
    )
    emit(None, False, table(columns.split(), [_cells(store, finding) for finding in found]))
    for finding in found:
        if finding.verdict:
            _show_verdict(finding, changed.get(finding.result.run))
    for estimate in study.ranges(store, within):
        if model in {None, estimate.model} and partition in {None, estimate.partition}:
            emit(None, False, protocol2.tell(estimate))


def _break_down(store: Store, found: Sequence[Result], by: Grouping, as_json: bool) -> None:
    if by is Grouping.PROVIDER:
        rows = breakdown.refusals(store, found)
    else:
        rows = breakdown.documents(store, found, by)
    if as_json:
        emit(rows, True, "")
    elif not rows:
        emit(None, False, "Nothing to break down yet.")
    else:
        cells = [[_cell(value) for value in row.values()] for row in rows]
        emit(None, False, table(list(rows[0]), cells))


def _cell(value: object) -> object:
    return f"{value:.3g}" if isinstance(value, float) else value


def _runs(found: Sequence[study.Finding]) -> list[str]:
    return [finding.result.run for finding in found]


def _show_verdict(finding: study.Finding, changed: str | None) -> None:
    """Print the verdict, its summary, what changed it, and a line for each check that is not
    passed."""
    found = finding.verdict
    assert found is not None  # noqa: S101  (the caller asked)
    result = finding.result
    where = f"{result.model} on {result.partition}, {result.kind}"
    emit(None, False, f"{where}: {found.ruling}. {summarise(finding)}")
    if changed:
        emit(None, False, f"  {changed}")
    for check in found.checks:
        if check.mark is not Mark.GOOD:
            emit(None, False, f"  {_MARKS[check.mark]} {check.topic}: {check.sentence}")


_MARKS = {Mark.BAD: "✗", Mark.CAUTION: "!"}


def _compare(found: Sequence[comparisons.Compared], as_json: bool) -> None:
    if as_json:
        emit([one.document() for one in found], True, "")
    elif found:
        emit(None, False, "\n".join(one.sentence() for one in found))
    else:
        emit(
            None,
            False,
            "Nothing to compare. A comparison needs two models on one partition, or one model on "
            "two splits of a dataset at the same slot, with the same kind of quiz, finished, and "
            "at most a fifth of the replies unusable.",
        )


def _cells(store: Store, finding: study.Finding) -> list[object]:
    r, known, found = finding.result, finding.calibration, finding.verdict
    return [
        r.model,
        r.partition,
        r.role,
        r.kind if r.slot is None else f"{r.kind} at {slot_letter(r.slot)}",
        r.mode,
        r.n if r.finished else f"{r.progress}, unfinished",
        r.correct,
        percent(r.score),
        kappa_text(r.kappa.kappa_fixed, r.kappa.kappa_low, r.kappa.kappa_high),
        *_soft_cells(soft.score(store, r)),
        kappa_text(known.kappa_control, known.kappa_low, known.kappa_high) if known else None,
        None if found is None or found.q_value is None else f"{found.q_value:.3g}",
        found.ruling if found else None,
        ", ".join(f"{count} {name}" for name, count in r.outcomes.items() if count),
    ]


def _soft_cells(found: SoftScore | None) -> list[str | None]:
    return [percent(found.score), percent(found.debiased)] if found else [None, None]


def export(
    what: Annotated[
        str,
        typer.Argument(
            help="results, answers, quiz, variants, opinions, people, replication, "
            "replication-scores, overlap (the labels that `overlap effect` reads), sample (one "
            "JSON file), release (protocol v2 in its authors' format: a .csv of answers, or their "
            ".txt report), report (a study with its charts: .html or .pdf; .md; its tables alone: "
            ".tex), or bundle (a study with all it rests on, as one .zip)."
        ),
    ],
    of: Annotated[
        str | None,
        typer.Argument(
            help="Id of the run (answers, replication, replication-scores, overlap), of the quiz, "
            "or of the sample (variants, opinions, people, sample, release)."
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option(help="A .csv, .jsonl or .parquet file.")] = None,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="With release, a replication in its authors' columns."),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Only these, separated by commas.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that answered (release).")] = None,
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
        str | None, typer.Option(help="With csv, the tables are in the bundle as csv too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what is in the store to a file."""
    if to is None:
        raise InputError("Name the file to write with --to, such as --to results.csv.")
    if what not in {"report", "bundle"} and (name is not None or without_text):
        raise InputError("--study and --without-text are for `export report` and `export bundle`.")
    if form is not None and what != exporting.What.REPLICATION:
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
        rows = _report(store, name, to, with_text=not without_text)
    elif what == "sample":
        if not of:
            raise InputError("Name the sample: `python -m dcq export sample ID --to FILE.json`.")
        text = sample_file.dump(store, of)
        with exporting.writing(to):
            to.write_text(text, "utf-8")
        rows = text.count('"protected"')
    elif what == "release":
        if not of:
            raise InputError(
                "Name the sample: `python -m dcq export release SAMPLE --to FILE.csv`."
            )
        rows = release_export.write(store, release_export.find(store, of, model), to)
    else:
        if what not in set(exporting.What):
            choices = ", ".join([*exporting.What, "sample", "release", "report", "bundle"])
            raise InputError(f"There is no export {what!r}; choose from {choices}.")
        if form is None or not of:
            data = exporting.frame(store, exporting.What(what), of)
        else:
            from dcq.report import replication_release  # here, because other exports do without

            data = replication_release.frame(store, runs.load(store, of).id)
        exporting.write(data, to, columns.split(",") if columns else None)
        rows = len(data)
    emit({"file": str(to), "rows": rows}, as_json, f"{to}: {rows} rows.")


def _report(store: Store, name: str | None, to: Path, *, with_text: bool) -> int:
    """Write the report of a study; returns how many results it holds."""
    from dcq.report import deck, report_file  # here, because other exports do without charts

    report_file.check(to.suffix)
    within = studies.load(store, name) if name is not None else EVERYTHING
    made = deck.build(store, within, with_text=with_text)
    content = report_file.to_bytes(made, to.suffix)
    with exporting.writing(to):
        to.write_bytes(content)
    return sum(len(made.data[kind]) for kind in ("results", "replications", "overlaps"))
