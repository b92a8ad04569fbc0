"""The results of a study by every method, in one list.

All are judged together. A search has no model and nothing to compare it with, so it is in no list
of results and changes no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from dcq import methods
from dcq.evidence.record import Evidence
from dcq.judging import fields, study
from dcq.judging.judged import JudgedResult
from dcq.naming import is_meant
from dcq.quiz.protocol2 import ContaminationRange
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.store import Store
from dcq.store.studies import EVERYTHING, QUIZ, Study

_OF_ANY = ("method", "estimate", "low", "high", "unit")
_KEYS = (
    *("model", "partition", "role", "kind", "mode", "slot", "n", "correct", "score"),
    *("kappa_fixed", "kappa_low", "kappa_high", "p_value", "kappa_control", "p_control"),
    *("q_control", "p_control_holm", "min", "max", "kappa", "verdict", "reasons", "outcomes"),
    *_OF_ANY,
)


def quizzes(
    store: Store,
    within: Study = EVERYTHING,
    *,
    model: str | None = None,
    partition: str | None = None,
) -> list[JudgedResult]:
    """The quizzes of a study with their verdicts. ``model`` and ``partition`` (``key/split``)
    select from them and change no verdict."""
    return [
        finding
        for finding in study.findings(store, within)
        if is_meant(model, finding.evidence.names)
        and is_meant(partition, [finding.evidence.partition])
    ]


def of_other_methods(
    store: Store,
    within: Study = EVERYTHING,
    *,
    model: str | None = None,
    partition: str | None = None,
    text_of: TextScores = text_scores,
) -> list[JudgedResult]:
    """The results of a study by all other methods, with their verdicts: by method, partition and
    model; selected as ``quizzes`` are. ``text_of`` is as in ``study.judged``."""
    judged_results = [
        result
        for method in methods.of_study(within)
        if method.judged and method.name != QUIZ
        for result in sorted(
            study.judged_results(store, method.name, within, text_of=text_of),
            key=lambda result: (result.evidence.partition, result.evidence.model),
        )
    ]
    return [
        result
        for result in judged_results
        if is_meant(model, result.evidence.names)
        and is_meant(partition, [result.evidence.partition])
    ]


def searched(store: Store, within: Study = EVERYTHING) -> list[Evidence]:
    """The searches and scans in which an instance was looked for, newest first; they are shown
    beside the verdicts of a study."""
    return [
        evidence for method in methods.of_study(within) for evidence in method.beside(store, within)
    ]


def document(finding: JudgedResult, estimate: ContaminationRange | None = None) -> dict[str, Any]:
    """One quiz with its own keys of those documented for the command line; shares are fractions,
    None means not applicable. ``estimate`` is the protocol v2 estimate that its run is part of."""
    values = of_judged(finding, estimate)
    return {key: value for key, value in values.items() if key not in _OF_ANY}


def of_judged(result: JudgedResult, estimate: ContaminationRange | None = None) -> dict[str, Any]:
    """A result of any method with the keys documented for the command line, None for the keys of
    other methods.

    ``estimate`` among them is the method's own figure with its 95 % interval, in ``unit``, and
    ``n`` what it rests on. ``p_control`` is the p-value of the verdict, against the controls;
    ``q_control`` and ``p_control_holm`` are corrected over the study. ``senders`` is there only
    where replies of others are part of it.
    """
    values = fields.by_key(result) | (estimate.row() if estimate else {})
    senders = result.senders
    return {key: values.get(key) for key in _KEYS} | ({"senders": list(senders)} if senders else {})


def tabulate(
    quiz_results: Iterable[JudgedResult],
    estimates: Mapping[str, ContaminationRange],
    results: Iterable[JudgedResult] = (),
) -> pd.DataFrame:
    """A table of quizzes and of ``results`` of other methods: the keys of the JSON,
    a column for each outcome, check of the verdict, text-only strategy and field of a method, and
    the reasons as one text. ``estimates`` are those of protocol v2, by run."""
    rows = [_row(result, estimates.get(result.evidence.run)) for result in quiz_results]
    more = [_row(result) for result in results]
    table = pd.DataFrame([*rows, *more])
    if not more:
        return table
    # Where a method does not count something, pandas would make fractions of the other's counts.
    column_types = {
        name: {type(row[name]) for row in (*rows, *more) if row.get(name) is not None}
        for name in table.columns
    }
    return table.astype({name: "Int64" for name, types in column_types.items() if types == {int}})


def _row(
    result: JudgedResult,
    estimate: ContaminationRange | None = None,
) -> dict[str, Any]:
    values, facts = of_judged(result, estimate), fields.by_key(result)
    outcomes, reasons = values.pop("outcomes"), values.pop("reasons")
    if senders := values.pop("senders", None):
        values["senders"] = ", ".join(senders)
    checks = result.verdict.checks if result.verdict else ()
    return {
        "run": result.evidence.run,
        **values,
        **outcomes,
        **{key: value for key, value in facts.items() if key not in _KEYS},
        **{
            f"text_only_{name}": kappa.score
            for name, kappa in (result.evidence.text_only or {}).items()
        },
        **{f"check_{check.topic}": check.mark.value for check in checks},
        "reasons": " ".join(reasons) or None,
    }
