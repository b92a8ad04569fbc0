"""Published or foreign results, analysed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dcq.audit import audit as auditing
from dcq.audit.answers_file import Answers, reasons, ruling
from dcq.audit.release import AuditedRelease
from dcq.audit.sentences import (
    describe_answers,
    describe_chance_only,
    describe_release,
    describe_without_defects,
)
from dcq.commands.output import AsJson, emit, percent, remark, table, table_of
from dcq.documents.result_tables import audit_columns, p_cell, points_cell
from dcq.errors import InputError
from dcq.evidence.leak import strategy_words
from dcq.words import ranges

_LISTED = 10  # results whose reasons a terminal lists


def audit(
    file: Annotated[Path, typer.Argument(help="A result file (csv, jsonl or parquet).")],
    form: Annotated[
        str | None,
        typer.Option("--format", help="dcq or answers; by default detected from the columns."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Analyse published or foreign answers without asking any model.

    The format dcq is the csv that the quiz's authors publish; answers has one answer per row.
    """
    if form is not None and form not in set(auditing.AnswersFormat):
        raise InputError(
            f"There is no format {form!r}; choose from {', '.join(auditing.AnswersFormat)}."
        )
    analysis = auditing.audit(file, auditing.AnswersFormat(form) if form else None)
    if isinstance(analysis, Answers):
        for note in analysis.notes:
            remark(note)
    if as_json:
        emit(analysis.document(), as_json, "")
    elif isinstance(analysis, AuditedRelease):
        _show_release(analysis)
    else:
        _show_answers(analysis)


def _show_release(release: AuditedRelease) -> None:
    result, clean = release.all_rows, release.clean
    reasons = result.verdict.reasons
    _print(
        describe_release(release),
        describe_without_defects(release),
        "",
        "Why:",
        *_bullets(reasons),
        "",
    )
    rows = [
        [
            f"original at {slot}",
            kappa.correct,
            percent(kappa.score),
            result.chosen[slot],
            points_cell(ablation.difference, ablation.low, ablation.high) or None,
            p_cell(ablation.p_value) or None,
            percent(clean.published[slot].score),
        ]
        for slot, kappa, ablation in result.slots
    ] + [
        [
            strategy_words(name),
            kappa.correct,
            percent(kappa.score),
            None,
            None,
            None,
            percent(clean.text_only[name].score),
        ]
        for name, kappa in result.text_only.items()
    ]
    columns = ["quiz", "correct#", "score#", "without#", "difference", "p#", "clean score#"]
    emit(None, False, table(columns, rows))
    _print(
        "",
        "Without: how often the slot was chosen without the original. Difference: share with it "
        "minus share without it, in points, paired by instance.",
    )
    defects = [
        [name.replace("_", " "), len(numbers), ranges(numbers)]
        for name, numbers in release.defect_rows.items()
        if numbers
    ]
    if defects:
        _print("")
        emit(None, False, table(["defect", "rows#", "row numbers"], defects))


def _show_answers(answers_file: Answers) -> None:
    tested = answers_file.tested
    _print(describe_answers(answers_file), describe_chance_only(tested) if tested else "", "")
    results = answers_file.results
    emit(None, False, table_of(audit_columns(results), results))
    for entry in tested[:_LISTED]:
        subject = f"{entry.evidence.model} on {entry.evidence.partition}: {ruling(entry).word}"
        _print("", subject, *_bullets(reasons(entry)))
    if len(tested) > _LISTED:
        _print("", f"For the reasons of all {len(tested):,} results, add --json.")


def _print(*lines: str) -> None:
    emit(None, False, lines)


def _bullets(sentences: tuple[str, ...]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]
