"""The results of a study by every method: quizzes and replications in one list, searches beside it.

Quizzes and replications are judged together. A search or a scan has no model and nothing to compare
it with, so it is in no list of results and changes no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from dcq.evidence.record import KAPPA, MATCH_RATE, Evidence
from dcq.judging import study
from dcq.judging.study import Finding
from dcq.judging.verdict import Ruling, Verdict
from dcq.quiz.protocol2 import Estimate
from dcq.records import slot_letter
from dcq.store import Store, overlaps, replications
from dcq.store.studies import EVERYTHING, OVERLAP, QUIZ, REPLICATION, Study

if TYPE_CHECKING:
    from dcq.judging.replication import ReplicationResult

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


def replicated(
    store: Store,
    within: Study = EVERYTHING,
    *,
    model: str | None = None,
    partition: str | None = None,
) -> list[ReplicationResult]:
    """The replications of a study with their verdicts, by partition and model; selected as
    ``quizzes`` are."""
    if REPLICATION not in within.methods or not replications.runs_of(store):
        return []
    from dcq.judging import replication  # here, because it takes a second that most do without

    return [
        one
        for one in replication.results(store, within)
        if model in {None, one.model} and partition in {None, one.partition}
    ]


def by_strength(found: Sequence[ReplicationResult]) -> list[ReplicationResult]:
    """In the order in which to show them: contaminated ones first and controls last, then by their
    p-value."""
    order = (Ruling.CONTAMINATED, Ruling.NO_EVIDENCE, Ruling.INCONCLUSIVE)

    def rank(one: ReplicationResult) -> tuple[int, float]:
        if one.verdict is None:
            return len(order), 1.0
        p_value = one.verdict.p_value
        return order.index(one.verdict.ruling), 1.0 if p_value is None else p_value

    return sorted(found, key=rank)


def searched(store: Store, within: Study = EVERYTHING) -> list[Evidence]:
    """The searches and scans of a study that looked for an instance, newest first."""
    if OVERLAP not in within.methods or not overlaps.runs_of(store):
        return []
    from dcq.overlap import evidence  # as above

    return evidence.of_study(store, within)


def document(finding: Finding, estimate: Estimate | None = None) -> dict[str, Any]:
    """One quiz with its own keys of those documented for the command line
    (``of_quiz``); shares are fractions, None means
    not applicable. ``estimate`` is the protocol v2 estimate that its run is part of."""
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


def of_replication(one: ReplicationResult) -> dict[str, Any]:
    """A replication with the same keys, None where they are a quiz's own.

    The estimate is the share of exact and near-exact matches among the ``n`` instances that are
    known to match or not, with Wilson's 95 % interval. ``p_control`` is the p-value of the verdict,
    from that share and the gain by guidance (``dcq.evidence.replication``); ``q_control``
    and ``p_control_holm`` are corrected over the study.
    """
    verdict, matches = one.verdict, one.matches
    said = {
        "model": one.model,
        "partition": one.partition,
        "role": one.role,
        "n": matches.n,
        "p_control": verdict.p_value if verdict else None,
        "q_control": verdict.q_value if verdict else None,
        "p_control_holm": verdict.p_holm if verdict else None,
        "verdict": verdict.ruling.value if verdict else None,
        "reasons": list(one.reasons),
        "outcomes": {str(outcome): count for outcome, count in one.outcomes.items()},
        "method": REPLICATION,
        "estimate": matches.rate,
        "low": matches.interval.low if matches.interval else None,
        "high": matches.interval.high if matches.interval else None,
        "unit": MATCH_RATE,
    }
    return dict.fromkeys(_KEYS) | said


def tabulate(
    found: Iterable[Finding],
    estimates: Mapping[str, Estimate],
    copied: Iterable[ReplicationResult] = (),
) -> pd.DataFrame:
    """A table of quizzes and of replications (``copied``): the keys of the JSON, a column for each
    outcome, check of the verdict and text-only strategy, and the reasons as one text. ``estimates``
    are those of protocol v2, by run."""
    rows = [_quiz_row(one, estimates.get(one.result.run)) for one in found]
    others = [_replication_row(one) for one in copied]
    table = pd.DataFrame([*rows, *others])
    if not others:
        return table
    # Where a method does not count something, pandas would make fractions of the other's counts.
    given = {
        name: {type(row[name]) for row in (*rows, *others) if row.get(name) is not None}
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


def _replication_row(one: ReplicationResult) -> dict[str, Any]:
    known = one.rate
    facts = {
        "unusable": one.unusable,
        "finished": one.finished,
        "prompt": one.version,
        "judge": one.judge or None,
        "exact": one.matches.exact,
        "near_exact": one.matches.near_exact if one.judge else None,
        "controls": len(one.controls) if one.verdict else None,
        "control_score": known.control_score if known and one.verdict else None,
    }
    return _row(one.run, of_replication(one), facts, one.verdict)


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
