"""The results of a study by every method, in one list.

All are judged together. What has no model and nothing to compare it with, such as a search, is in
no list of results and changes no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from dcq import methods
from dcq.evidence.record import KAPPA, Evidence
from dcq.judging import study
from dcq.judging.study import Finding, JudgedResult
from dcq.judging.verdict import Verdict
from dcq.quiz.protocol2 import Estimate
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.records import slot_letter
from dcq.store import Store
from dcq.store.studies import EVERYTHING, QUIZ, Study

_KEYS = (
    *("model", "partition", "role", "kind", "mode", "slot", "n", "correct", "score"),
    *("kappa_fixed", "kappa_low", "kappa_high", "p_value", "kappa_control", "p_control"),
    *("q_control", "p_control_holm", "min", "max", "kappa", "verdict", "reasons", "outcomes"),
    *("method", "estimate", "low", "high", "unit"),
)


def quizzes(
    store: Store,
    within: Study = EVERYTHING,
    *,
    model: str | None = None,
    partition: str | None = None,
) -> list[Finding]:
    """The quizzes of a study with their verdicts. ``model`` and ``partition`` (``key/split``)
    select from them and change no verdict."""
    return [
        one
        for one in study.findings(store, within)
        if model in {None, one.result.model} and partition in {None, one.result.partition}
    ]


def others(
    store: Store,
    within: Study = EVERYTHING,
    *,
    model: str | None = None,
    partition: str | None = None,
    text_of: TextScores = text_scores,
) -> list[JudgedResult]:
    """The results of a study by all other methods, with their verdicts: by method, partition and
    model; selected as ``quizzes`` are. ``text_of`` is as in ``study.judged``."""
    found = [
        one
        for method in methods.of_study(within)
        if method.judged and method.name != QUIZ
        for one in sorted(
            study.judged_results(store, method.name, within, text_of=text_of),
            key=lambda one: (one.evidence.partition, one.evidence.model),
        )
    ]
    return [
        one
        for one in found
        if model in {None, one.evidence.model} and partition in {None, one.evidence.partition}
    ]


def searched(store: Store, within: Study = EVERYTHING) -> list[Evidence]:
    """What stands beside the verdicts of a study, newest first: the searches and scans that looked
    for an instance."""
    return [one for method in methods.of_study(within) for one in method.beside(store, within)]


def document(finding: Finding, estimate: Estimate | None = None) -> dict[str, Any]:
    """One quiz with its own keys of those documented for the command line (``of_quiz``); shares are
    fractions, None means not applicable. ``estimate`` is the protocol v2 estimate that its run is
    part of."""
    result, known, verdict = finding.result, finding.calibration, finding.verdict
    return {
        "model": result.model,
        "partition": result.partition,
        "role": result.role,
        "kind": result.kind.value,
        "mode": result.mode.value,
        "slot": slot_letter(result.slot),
        "n": result.n,
        "correct": result.correct,
        "score": result.score,
        "kappa_fixed": result.kappa.kappa_fixed,
        "kappa_low": result.kappa.kappa_low,
        "kappa_high": result.kappa.kappa_high,
        "p_value": result.kappa.p_value,
        "kappa_control": known.kappa_control if known else None,
        "p_control": known.p_value if known else None,
        "q_control": verdict.q_value if verdict else None,
        "p_control_holm": verdict.p_holm if verdict else None,
        **(estimate.row() if estimate else dict.fromkeys(("min", "max", "kappa"))),
        "verdict": verdict.ruling.value if verdict else None,
        "reasons": list(verdict.reasons) if verdict else [],
        "outcomes": dict(result.outcomes),
    }


def of_quiz(finding: Finding, estimate: Estimate | None = None) -> dict[str, Any]:
    """A quiz with the keys documented for the command line: those of ``document``, and its
    κ against guessing as the method's estimate, with its 95 % interval."""
    kappa = finding.result.kappa
    return {
        **document(finding, estimate),
        "method": QUIZ,
        "estimate": kappa.kappa_fixed,
        "low": kappa.kappa_low,
        "high": kappa.kappa_high,
        "unit": KAPPA,
    }


def of_judged(one: JudgedResult) -> dict[str, Any]:
    """A result of any method with the same keys, None where they are a quiz's own.

    ``estimate`` is the method's own figure with its 95 % interval, in ``unit``, and ``n`` what it
    rests on. ``p_control`` is the p-value of the verdict, against the controls; ``q_control`` and
    ``p_control_holm`` are corrected over the study.
    """
    evidence, verdict = one.evidence, one.verdict
    estimate = evidence.estimate
    said = {
        "model": evidence.model,
        "partition": evidence.partition,
        "role": evidence.role,
        "n": estimate.n,
        "p_control": verdict.p_value if verdict else None,
        "q_control": verdict.q_value if verdict else None,
        "p_control_holm": verdict.p_holm if verdict else None,
        "verdict": verdict.ruling.value if verdict else None,
        "reasons": list(verdict.reasons) if verdict else [],
        "outcomes": dict(evidence.outcomes),
        "method": evidence.method,
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "unit": estimate.unit,
    }
    return dict.fromkeys(_KEYS) | said


def tabulate(
    found: Iterable[Finding],
    estimates: Mapping[str, Estimate],
    others: Iterable[JudgedResult] = (),
) -> pd.DataFrame:
    """A table of quizzes and of results by ``others`` methods: the keys of the JSON, a column for
    each outcome, check of the verdict, text-only strategy and field of a method, and the reasons as
    one text. ``estimates`` are those of protocol v2, by run."""
    rows = [_quiz_row(one, estimates.get(one.result.run)) for one in found]
    more = [_judged_row(one) for one in others]
    table = pd.DataFrame([*rows, *more])
    if not more:
        return table
    # Where a method does not count something, pandas would make fractions of the other's counts.
    given = {
        name: {type(row[name]) for row in (*rows, *more) if row.get(name) is not None}
        for name in table.columns
    }
    return table.astype({name: "Int64" for name, types in given.items() if types == {int}})


def _quiz_row(finding: Finding, estimate: Estimate | None) -> dict[str, Any]:
    result, known = finding.result, finding.calibration
    facts = {
        "unusable": result.unusable,
        "finished": result.finished,
        "prompt": result.prompt,
        "controls": known.controls if known else None,
        "control_partitions": ", ".join(c.partition for c in finding.used_controls) or None,
        "control_score": known.control_score if known else None,
        "kappa_control_low": known.kappa_low if known else None,
        "kappa_control_high": known.kappa_high if known else None,
        **{f"text_only_{b.name}": b.kappa.score for b in finding.baselines},
    }
    return _row(result.run, of_quiz(finding, estimate), facts, finding.verdict)


def _judged_row(one: JudgedResult) -> dict[str, Any]:
    evidence, known = one.evidence, one.case.calibration
    setting = dict(evidence.setting)
    facts = {
        "unusable": evidence.unusable,
        "finished": evidence.finished,
        "prompt": setting.get("prompt") or setting.get("wording"),
        **{field.key: field.value(evidence) for field in methods.named(evidence.method).fields},
        "controls": len(one.case.controls) if one.verdict else None,
        "control_score": known.control_score if known and one.verdict else None,
    }
    return _row(evidence.run, of_judged(one), facts, one.verdict)


def _row(
    run: str, said: dict[str, Any], facts: Mapping[str, Any], verdict: Verdict | None
) -> dict[str, Any]:
    outcomes, reasons = said.pop("outcomes"), said.pop("reasons")
    checks = verdict.checks if verdict else ()
    return {
        "run": run,
        **said,
        **outcomes,
        **facts,
        **{f"check_{check.topic}": check.mark.value for check in checks},
        "reasons": " ".join(reasons) or None,
    }
