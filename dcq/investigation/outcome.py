"""The result of an investigation: the finding on its target, as screens and commands show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dcq.investigation.state import InvestigationStep
from dcq.investigation.walk import InvestigationProgress
from dcq.judging.judged import JudgedResult
from dcq.judging.study import findings, judged_results
from dcq.judging.summary import summarise
from dcq.quiz.method import QUIZ
from dcq.records import slot_letter
from dcq.store import Store, quizzes, runs
from dcq.store.investigations import Investigation
from dcq.words import model_title


def finding_of(record: Investigation, findings: Sequence[JudgedResult]) -> JudgedResult | None:
    """The finding on the target, out of the ``findings`` of all runs; None while there is none."""
    adopted_run = record.runs.get((record.kind, record.sample))
    return next(
        (
            finding
            for finding in findings
            if adopted_run and finding.evidence.run == adopted_run.run
        ),
        None,
    )


def all_findings(store: Store) -> list[JudgedResult]:
    """The findings of all runs of the store, from which ``finding_of`` chooses."""
    return findings(store, every_run=True)


def describe(record: Investigation, finding: JudgedResult | None) -> str:
    """The finding in a sentence."""
    if finding is None:
        return f"{model_title(record.model)}: the target has not been asked with its original yet."
    return summarise(finding)


def document(
    store: Store, investigation: InvestigationProgress, finding: JudgedResult | None
) -> dict[str, Any]:
    """An investigation with the keys documented for the command line."""
    record = investigation.record
    verdict = finding.verdict if finding else None
    return {
        "sample": record.sample,
        "model": record.model,
        "kind": record.kind.value,
        "slot": investigation.slot,
        "verdict": verdict.ruling.value if verdict else None,
        "finding": describe(record, finding),
        "reasons": list(verdict.reasons) if verdict else [],
        "others": _others(store, record),
        "ended": str(investigation.ended.event),
        "steps": [_step(store, step) for step in investigation.steps],
    }


def other_results(store: Store, record: Investigation) -> list[JudgedResult]:
    """The results of the other methods on the target."""
    run_ids = {record.runs[place].run for place in record.places if place in record.runs}
    return [
        result
        for name in record.methods
        for result in judged_results(store, name, every_run=True)
        if result.evidence.run in run_ids and result.evidence.sample == record.sample
    ]


def _others(store: Store, record: Investigation) -> list[dict[str, Any]]:
    return [
        {
            "method": result.evidence.method,
            "run": result.evidence.run,
            "verdict": result.verdict.ruling.value if result.verdict else None,
            "finding": result.sentence,
        }
        for result in other_results(store, record)
    ]


def _step(store: Store, step: InvestigationStep) -> dict[str, Any]:
    slot = None
    if step.run is not None:
        plan = runs.load(store, step.run).plan
        if plan.method == QUIZ.name:
            slot = slot_letter(quizzes.load(store, plan.subject).slot)
    return {
        "kind": str(step.kind),
        "sample": step.sample,
        "slot": slot,
        "run": step.run,
        "reused": step.reused,
    }
