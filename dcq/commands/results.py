"""The results of every method with their verdicts, and comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit, kappa_text, open_store, percent, remark, table
from dcq.documents import method_table
from dcq.errors import InputError
from dcq.evidence.check import Mark
from dcq.evidence.record import Evidence
from dcq.evidence.soft import SoftScore
from dcq.judging import changes, comparisons, every_method, study
from dcq.judging.study import Finding, JudgedResult
from dcq.judging.summary import summarise
from dcq.judging.verdict import Verdict
from dcq.quiz import breakdown, protocol2, soft
from dcq.quiz.breakdown import Grouping
from dcq.quiz.results import Result
from dcq.records import slot_letter
from dcq.store import Store, studies
from dcq.store.studies import EVERYTHING
from dcq.words import listed


def results(
    model: Annotated[str | None, typer.Option(help="Show only this model.")] = None,
    partition: Annotated[
        str | None, typer.Option(help="Show only this partition, KEY/SPLIT.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--study", help="Judge this study, not the whole store.")
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare models on a partition, and splits of a dataset."),
    ] = False,
    by: Annotated[
        Grouping | None,
        typer.Option(
            help="Break each result down by label or length of its instances; or count refusals "
            "by provider."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print all results with verdicts: one for each model, partition and kind of quiz, and one for
    each replication and any other method.

    Verdicts take the whole study into account, the whole store if none is named; the other options
    only select what is shown.
    """
    store = open_store()
    within = studies.load(store, name) if name is not None else EVERYTHING
    judged = every_method.quizzes(store, within)
    changes.keep(store, within)
    found = [
        one
        for one in judged
        if model in {None, one.result.model} and partition in {None, one.result.partition}
    ]
    if by is not None:
        if compare:
            raise InputError("Choose --compare or --by, not both.")
        _break_down(store, [finding.result for finding in found], by, as_json)
        return
    if compare:
        _compare(comparisons.among(study.comparisons(store, within), _runs(found)), as_json)
        return
    others = every_method.others(store, within, model=model, partition=partition)
    changed = changes.sentences(store, within)
    if as_json:
        ranges = protocol2.by_run(protocol2.estimates(store))
        rows = [
            every_method.of_quiz(one, ranges.get(one.result.run))
            | {"changed": changed.get(one.result.run)}
            for one in found
        ]
        rows += [
            every_method.of_judged(one) | {"changed": changed.get(one.evidence.run)}
            for one in others
        ]
        emit(rows, True, "")
    elif found or others:
        _show_quizzes(store, found, changed)
        _show_others(others, changed)
        for estimate in study.ranges(store, within):
            if model in {None, estimate.model} and partition in {None, estimate.partition}:
                emit(None, False, protocol2.tell(estimate))
    elif model is None and partition is None:
        emit(None, False, "No results yet; ask a model with: python -m dcq run")
    else:
        emit(None, False, "No results of this --model and --partition; leave them out to see all.")
    searched = every_method.searched(store, within)
    _mention([one for one in searched if partition in {None, one.partition}])


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


def _runs(found: Sequence[Finding]) -> list[str]:
    return [finding.result.run for finding in found]


def _show_quizzes(store: Store, found: Sequence[Finding], changed: Mapping[str, str]) -> None:
    """The κ table, and below it each verdict, with what changed it."""
    if not found:
        return
    columns = (
        "model partition role kind mode n# correct# score# κ_fixed soft# debiased# κ_control "
        "q# verdict outcomes"
    )
    soft_scores = soft.scores(store, [finding.result for finding in found])
    cells = [_cells(finding, soft_scores.get(finding.result.run)) for finding in found]
    emit(None, False, table(columns.split(), cells))
    for finding in found:
        result = finding.result
        where = f"{result.model} on {result.partition}, {result.kind}"
        _show_verdict(where, finding.verdict, summarise(finding), changed.get(result.run))


def _show_others(found: Sequence[JudgedResult], changed: Mapping[str, str]) -> None:
    """A table for each other method, with its own columns, and below it each verdict."""
    for name in dict.fromkeys(one.evidence.method for one in found):
        own = [one for one in found if one.evidence.method == name]
        shown = method_table.tabulate(own)
        shown["Partition"] = [one.evidence.partition for one in own]  # as ``--partition`` takes it
        columns = [f"{head.lower()}{'#' * (head in _NUMBERS)}" for head in shown.columns]
        cells = [[value if value != "" else None for value in row] for row in shown.to_numpy()]
        emit(None, False, table(columns, cells))
        for one in own:
            where = f"{one.evidence.model} on {one.evidence.partition}, {name}"
            _show_verdict(where, one.verdict, one.sentence, changed.get(one.evidence.run))


def _mention(searched: Sequence[Evidence]) -> None:
    """Say on stderr that something was searched for: it has no model, so it is in no table."""
    if searched:
        named = listed([f"{one.partition} (run {one.run})" for one in searched], _MOST_NAMED)
        remark(
            f"Overlap was also looked for, of {named}. It has no model and changes no verdict; "
            "read it on the page Overlap, or with: python -m dcq export overlap RUN --to FILE"
        )


def _show_verdict(where: str, found: Verdict | None, sentence: str, changed: str | None) -> None:
    """Print a verdict, if there is one, the sentence, what changed it, and a line for each check
    not passed."""
    if found is None:
        return
    emit(None, False, f"{where}: {found.ruling}. {sentence}")
    if changed:
        emit(None, False, f"  {changed}")
    for check in found.checks:
        if check.mark is not Mark.GOOD:
            emit(None, False, f"  {_MARKS[check.mark]} {check.topic}: {check.sentence}")


_MOST_NAMED = 3  # searches
_NUMBERS = {"n", "q", "On unseen text"}  # columns, set to the right
_MARKS = {Mark.BAD: "✗", Mark.CAUTION: "!"}


def _compare(found: Sequence[comparisons.Compared], as_json: bool) -> None:
    if as_json:
        emit([one.document() for one in found], True, "")
    elif found:
        emit(None, False, [one.sentence() for one in found])
    else:
        emit(
            None,
            False,
            "Nothing to compare. A comparison needs two models on one partition, or one model on "
            "two splits of a dataset at the same slot, with the same kind of quiz, finished, and "
            "at most a fifth of the replies unusable.",
        )


def _cells(finding: Finding, soft_score: SoftScore | None) -> list[object]:
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
        *_soft_cells(soft_score),
        kappa_text(known.kappa_control, known.kappa_low, known.kappa_high) if known else None,
        None if found is None or found.q_value is None else f"{found.q_value:.3g}",
        found.ruling if found else None,
        ", ".join(f"{count} {name}" for name, count in r.outcomes.items() if count),
    ]


def _soft_cells(found: SoftScore | None) -> list[str | None]:
    return [percent(found.score), percent(found.debiased)] if found else [None, None]
