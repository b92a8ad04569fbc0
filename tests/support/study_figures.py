"""Studies that are given by their figures."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from dcq.evidence.record import FOUND, GAIN, MATCHES, Evidence, Measure, MethodEstimate
from dcq.evidence.share_prediction import MATCHES as MATCH_PRIOR
from dcq.judging.answer import Answer
from dcq.judging.snapshot import Snapshot
from dcq.judging.study import JudgedStudy, judge_snapshot
from dcq.store.answer_plans import AnswerPlan, PlannedMethod
from dcq.store.studies import Study
from tests.support.cases import evidence

STANDARD = (("kind", "standard"), ("slot", "D"))


def found(right: int, n: int = 40) -> Measure:
    return Measure(FOUND, np.repeat([1.0, 0.0], [right, n - right])[:, None])


def control(name: str, right: int = 10, n: int = 40, **given: Any) -> Evidence:
    known: dict[str, Any] = {
        "run": name,
        "partition": f"{name}/test",
        "place": name,
        "role": "control",
        "usable": n,
        "planned": n,
        "setting": STANDARD,
        "measures": (found(right, n),),
    }
    return evidence(**(known | given))


def quizzes(name: str, right: int) -> Evidence:
    return replace(control(name, right), role="target", family_key=("quiz", name))


def replicated(name: str, matches: int, role: str = "target") -> Evidence:
    """Of forty instances so many completed; guidance adds nothing."""
    none = np.zeros((40, 1))
    measures = (
        Measure(MATCHES, found(matches).values, prior=MATCH_PRIOR),
        Measure(GAIN, none, own_share=0.0),
    )
    return evidence(
        method="replication",
        run=f"{name}-replicated",
        partition=f"{name}/test",
        place=name,
        role=role,
        usable=40,
        planned=40,
        measures=measures,
        estimate=MethodEstimate(matches / 40, None, None, "match rate", matches / 40),
        family_key=("replication", name),
    )


CONTROLS = [
    *(control(name, right) for name, right in (("lakes", 9), ("ponds", 11), ("seas", 10))),
    *(replicated(name, few, "control") for name, few in (("lakes", 0), ("ponds", 1), ("seas", 0))),
]


def judge(*every: Evidence, standing: set[str] | None = None) -> JudgedStudy:
    made = {one.run: one for one in (*CONTROLS, *every)}
    runs = frozenset(made)
    counted = runs if standing is None else frozenset(standing) | {c.run for c in CONTROLS}
    return judge_snapshot(Snapshot(made, runs, counted, {}, {}, Study("One study")))


EARLY, LATE = datetime(2026, 1, 1), datetime(2026, 1, 2)
_KINDS = {"quiz": "standard"}


def plan(partition: str = "rivers/test", at: datetime = EARLY, **weights: float) -> AnswerPlan:
    planned = tuple(
        PlannedMethod(name, _KINDS.get(name, ""), weight) for name, weight in weights.items()
    )
    return AnswerPlan("p", "m", partition, planned, "0", at)


def late(one: Evidence) -> Evidence:
    return replace(one, at=LATE)


def only(found: list[Answer], partition: str = "rivers/test") -> Answer:
    [one] = [one for one in found if one.partition == partition]
    return one
