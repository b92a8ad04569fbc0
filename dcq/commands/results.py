"""The results of every method with their verdicts, comparisons, and results on several sets of
variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit, open_store, percent, remark, table, table_of
from dcq.commands.shown import RESULT, nothing_of, shown_results
from dcq.errors import InputError
from dcq.evidence.check import Mark
from dcq.evidence.record import Evidence
from dcq.judging import changes, comparisons, every_method, fields, known, snapshot, study
from dcq.judging.answer import Concluded, conclusions_by_run, ruling_words
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult
from dcq.judging.summary import summarise
from dcq.naming import is_meant
from dcq.quiz import breakdown, protocol2, soft
from dcq.quiz import consistency as report
from dcq.quiz.breakdown import Grouping
from dcq.quiz.results import Result, quiz_row
from dcq.result_columns import Medium
from dcq.store import Store, samples, sets, studies
from dcq.store.studies import Study
from dcq.words import listed


def results(
    model: Annotated[str | None, typer.Option(help="Show only this model.")] = None,
    partition: Annotated[
        str | None, typer.Option(help="Show only this partition, KEY/SPLIT.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--study", help="Judge this saved study, not each benchmark by itself."),
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

    Verdicts take a whole study into account: all that was asked about the benchmark, or the saved
    study that is named. The other options only select what is shown.
    """
    if compare and by is not None:
        raise InputError("Choose --compare or --by, not both.")
    with shown_results() as shown, snapshot.hold_change_marker():
        known.check(shown.store, model=model, partition=partition)
        within = studies.load(shown.store, name) if name is not None else shown.within
        _tell(shown.store, within, (model, partition), by, compare=compare, as_json=as_json)


def _tell(
    store: Store,
    within: Study,
    only: tuple[str | None, str | None],
    by: Grouping | None,
    *,
    compare: bool,
    as_json: bool,
) -> None:
    """Print what is wanted of a study, ``only`` of a model and a partition where one is given."""
    model, partition = only
    judged = every_method.quizzes(store, within)
    study_answers = answers(store, within)
    changes.keep(store, within, study_answers)
    quiz_findings = [
        entry
        for entry in judged
        if is_meant(model, entry.evidence.names) and is_meant(partition, [entry.evidence.partition])
    ]
    if by is not None:
        _break_down(store, [quiz_row(finding.evidence) for finding in quiz_findings], by, as_json)
        return
    if compare:
        _compare(comparisons.among(study.comparisons(store, within), _runs(quiz_findings)), as_json)
        return
    others = every_method.of_other_methods(store, within, model=model, partition=partition)
    changed = changes.sentences(store, within, study_answers)
    if as_json:
        ranges = protocol2.by_run(protocol2.estimates(store))
        rows = [
            every_method.of_judged(entry, ranges.get(entry.evidence.run))
            | {"changed": changed.get(entry.evidence.run)}
            for entry in quiz_findings
        ]
        rows += [
            every_method.of_judged(entry) | {"changed": changed.get(entry.evidence.run)}
            for entry in others
        ]
        emit(rows, True, "")
        if not rows and (model is not None or partition is not None):
            remark(nothing_of(RESULT, model, partition, within.name))
    elif quiz_findings or others:
        concluded = conclusions_by_run(study_answers)
        _show_quizzes(store, quiz_findings, changed, concluded)
        _show_others(others, changed, concluded)
        for estimate in study.ranges(store, within):
            if is_meant(model, [estimate.model]) and is_meant(partition, [estimate.partition]):
                emit(None, False, protocol2.describe(estimate))
    elif model is None and partition is None:
        emit(None, False, "No results yet; ask a model with: python -m dcq run")
    else:
        emit(None, False, nothing_of(RESULT, model, partition, within.name))
    searched = every_method.searched(store, within)
    _mention([entry for entry in searched if is_meant(partition, [entry.partition])])


def _break_down(store: Store, quiz_results: Sequence[Result], by: Grouping, as_json: bool) -> None:
    if by is Grouping.PROVIDER:
        rows = breakdown.refusals(store, quiz_results)
    else:
        rows = breakdown.documents(store, quiz_results, by)
    if as_json:
        emit(rows, True, "")
    elif not rows:
        emit(None, False, "Nothing to break down yet.")
    else:
        cells = [[_cell(value) for value in row.values()] for row in rows]
        emit(None, False, table(list(rows[0]), cells))


def _cell(value: object) -> object:
    return f"{value:.3g}" if isinstance(value, float) else value


def _runs(quiz_findings: Sequence[JudgedResult]) -> list[str]:
    return [finding.evidence.run for finding in quiz_findings]


def _show_quizzes(
    store: Store,
    quiz_findings: Sequence[JudgedResult],
    changed: Mapping[str, str],
    concluded: Concluded,
) -> None:
    """The table of quizzes with their soft scores, where there are any, and below it each result,
    with what changed it."""
    soft_scores = soft.scores(store, [quiz_row(finding.evidence) for finding in quiz_findings])
    rows = [soft_scores.get(finding.evidence.run) for finding in quiz_findings]
    soft_columns: dict[str, Sequence[str | None]] = {}
    if soft_scores:
        soft_columns["soft#"] = [
            percent(soft_score.score) if soft_score else None for soft_score in rows
        ]
        soft_columns["debiased#"] = [
            percent(soft_score.debiased) if soft_score else None for soft_score in rows
        ]
    _show_table(quiz_findings, concluded, soft_columns)
    for finding in quiz_findings:
        result = quiz_row(finding.evidence)
        where = f"{result.model} on {result.partition}, {result.kind}"
        _show_result(where, finding, summarise(finding), changed, concluded)


def _show_others(
    judged_results: Sequence[JudgedResult], changed: Mapping[str, str], concluded: Concluded
) -> None:
    """A table for each other method, with its own columns, and below it each result."""
    for name in dict.fromkeys(result.evidence.method for result in judged_results):
        method_results = [result for result in judged_results if result.evidence.method == name]
        _show_table(method_results, concluded, {})
        for result in method_results:
            where = f"{result.evidence.model} on {result.evidence.partition}, {name}"
            _show_result(where, result, result.sentence, changed, concluded)


def _show_table(
    judged_results: Sequence[JudgedResult],
    concluded: Concluded,
    more_columns: Mapping[str, Sequence[str | None]],
) -> None:
    """The results of one method, with partitions as ``--partition`` takes them, and
    ``more_columns`` beside them."""
    if not judged_results:
        return
    columns = [
        column
        for column in fields.of_people(judged_results, {}, concluded)
        if column.medium <= Medium.TERMINAL
    ]
    emit(None, False, table_of(columns, judged_results, more_columns))


def _mention(searched: Sequence[Evidence]) -> None:
    """Say on stderr that something was searched for: it has no model, so it is in no table."""
    if searched:
        named = listed(
            [f"{search.partition} (run {search.run})" for search in searched], _MOST_NAMED
        )
        remark(
            f"Overlap was also looked for, of {named}. It has no model and changes no verdict; "
            "read it on the page Overlap, or with: python -m dcq export overlap RUN --to FILE"
        )


def _show_result(
    where: str,
    result: JudgedResult,
    sentence: str,
    changed: Mapping[str, str],
    concluded: Concluded,
) -> None:
    """Print the sentence of a result behind what is concluded of its model and partition, what
    changed its verdict, and a line for each check not passed; nothing of a control."""
    if result.verdict is None:
        return
    run = result.evidence.run
    emit(None, False, f"{where}: {ruling_words(run, concluded)}{sentence}")
    if run in changed:
        emit(None, False, f"  {changed[run]}")
    for check in result.verdict.checks:
        if check.mark is not Mark.GOOD:
            emit(None, False, f"  {_MARKS[check.mark]} {check.topic}: {check.sentence}")


_MOST_NAMED = 3  # searches
_MARKS = {Mark.BAD: "✗", Mark.CAUTION: "!"}


def _compare(compared_results: Sequence[comparisons.ComparedResults], as_json: bool) -> None:
    if as_json:
        emit([comparison.document() for comparison in compared_results], True, "")
    elif compared_results:
        emit(None, False, [pair.sentence() for pair in compared_results])
    else:
        emit(None, False, f"Nothing to compare. {comparisons.NEEDED}")


def consistency(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    model: Annotated[str | None, typer.Option(help="Show only this model.")] = None,
    stand: Annotated[
        str | None,
        typer.Option(
            help="Make the set of this name count in `results` and every verdict; do it before "
            "any is asked."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a model's results on the sets of variants of one sample."""
    store = open_store()
    model = known.model_named(store, model)
    if stand is not None:
        _let_stand(store, sample, stand)
    set_comparisons = report.studies(store, sample, model=model)
    if as_json:
        emit([set_comparison.document() for set_comparison in set_comparisons], True, "")
    elif set_comparisons:
        emit(None, False, "\n\n".join(map(report.describe, set_comparisons)).split("\n"))
    else:
        emit(
            None,
            False,
            f"Nothing to compare{f' of {model}' if model else ''} yet. It takes finished runs of "
            "one model on two sets or more, of the same kind of quiz at the same slot.",
        )


def _let_stand(store: Store, sample: str, name: str) -> None:
    family = sets.siblings(sets.members(store), samples.load(store, sample).id)
    chosen_member = next((member for member in family if member.name == name), None)
    if chosen_member is None:
        names = ", ".join(sibling.name for sibling in family) or "none"
        raise InputError(f"There is no set named {name!r}; the sets are: {names}.")
    sets.choose_counting_set(store, chosen_member.sample)
    remark(f"The set {name!r} stands for its instances from now on.")
