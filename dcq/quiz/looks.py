"""Runs that may end early: their answers are compared with controls at looks planned beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dcq.errors import InputError
from dcq.evidence.check import MOST_UNUSABLE, Check, Mark, Topic
from dcq.evidence.controls import FEWEST_TARGET, expect
from dcq.evidence.looks import FUTILE, EndedAtLook, Looks
from dcq.evidence.rotated import complete_rows
from dcq.quiz import tables, wording
from dcq.quiz.build import first_of
from dcq.store import Store, looks, quizzes, runs
from dcq.store.connect import utc_now
from dcq.store.looks import Look, LookPlan


class LookDecision(StrEnum):
    """The decision at a look."""

    SEEN = "seen"  # p at its limit or below it
    FUTILE = "futile"  # unlikely to find anything, if the run may stop for futility
    GO_ON = "go on"
    END = "not seen"  # the last look


@dataclass(frozen=True)
class StoredLooks:
    """The state of a run with planned looks. ``look`` is the newest one made, from 1, and 0 before
    the first; ``n`` is the number of instances before it. ``overall_p`` is the p-value with all
    looks counted, None unless the run has ``fallen``: ended at a look."""

    look: int
    of: int
    n: int
    instances: int
    decision: LookDecision
    p_value: float | None
    limit: float
    overall_p: float | None
    controls: tuple[str, ...]  # runs that the looks compare it with
    limits: Looks

    @property
    def fallen(self) -> bool:
        """True if the newest look ended the run."""
        return self.look > 0 and self.decision is not LookDecision.GO_ON

    @property
    def words(self) -> str:
        """``at look 2 of 4: seen``."""
        return f"at look {self.look} of {self.of}: {self.decision}"

    @property
    def evidence(self) -> EndedAtLook:
        """The looks of a run in the form that the judge reads."""
        newest = max(0, self.look - 1)
        return EndedAtLook(self.controls, self.limits, newest, self.overall_p, self.fallen)

    def check(self) -> Check:
        """The line of a verdict's checklist."""
        figures: dict[str, Any] = {"look": self.look, "of": self.of}
        if not self.fallen:
            return Check(Topic.COMPLETE, Mark.BAD, wording.stopped_between_looks, figures)
        figures |= {
            "n": self.n,
            "instances": self.instances,
            "decision": str(self.decision),
            "p_value": self.p_value,
            "limit": self.limit,
        }
        return Check(Topic.COMPLETE, Mark.GOOD, wording.ended_at_look, figures)


class Looking:
    """Makes the looks at one run while it is asked. Raises ``InputError`` if its controls have no
    answers any more."""

    def __init__(self, store: Store, run_id: str, plan: LookPlan) -> None:
        self.store, self.run_id, self.plan = store, run_id, plan
        answers = tables.of_runs(store, plan.controls)
        expected = expect(
            [tables.right(run_answers).to_numpy(float) for run_answers in answers.values()]
        )
        if expected is None:
            raise InputError(f"The controls of run {run_id} have no answers any more.")
        self.expected = expected

    @property
    def ends(self) -> list[int]:
        """How many questions come before each look that has not been made yet."""
        items = quizzes.load(self.store, runs.load(self.store, self.run_id).plan.subject).items
        return [len(first_of(items, n)) for n in self.plan.n[self._made() :]]

    def look(self) -> StoredLooks:
        """Make the next look and store its result."""
        place = self._made()
        n, limit = self.plan.n[place], self.plan.limits[place]
        p_value, enough = self._compare(n)
        decision = self._decide(place, p_value, enough=enough)
        new_look = Look(place, n, p_value, limit, decision, utc_now())
        looks.add(self.store, self.run_id, new_look)
        return _stored(self.plan, [new_look])

    def _made(self) -> int:
        return len(looks.looks_of(self.store, [self.run_id]).get(self.run_id, ()))

    def _compare(self, n: int) -> tuple[float | None, bool]:
        """p after ``n`` instances, and whether enough of them have usable answers for a verdict."""
        rows = tables.of_runs(self.store, [self.run_id])[self.run_id]
        asked = rows["instance"].drop_duplicates().iloc[:n]
        rows = rows[rows["instance"].isin(asked)]
        scores = complete_rows(tables.right(rows).to_numpy(float)) @ self.expected.weights
        if not len(scores):
            return None, False
        usable = min(float(rows["answered"].mean()), len(scores) / len(asked))
        p_value = self.expected.prediction.p_value(float(scores.mean()), len(scores))
        return p_value, len(scores) >= FEWEST_TARGET and usable >= 1 - MOST_UNUSABLE

    def _decide(self, place: int, p_value: float | None, *, enough: bool) -> LookDecision:
        last = place == len(self.plan.n) - 1
        if p_value is not None and enough and p_value <= self.plan.limits[place]:
            return LookDecision.SEEN
        if last:
            return LookDecision.END
        futile = self.plan.futility and p_value is not None and enough and p_value > FUTILE
        return LookDecision.FUTILE if futile else LookDecision.GO_ON


def looking(store: Store, run_id: str) -> Looking | None:
    """The looks at a run, None if none were planned."""
    plan = looks.plans_of(store, [run_id]).get(run_id)
    return None if plan is None else Looking(store, run_id, plan)


def outcome(store: Store, run_id: str) -> StoredLooks | None:
    """The state of a run with planned looks; None if none were planned."""
    return outcomes(store, [run_id]).get(run_id)


def outcomes(store: Store, run_ids: Sequence[str] | None = None) -> dict[str, StoredLooks]:
    """``outcome`` of these runs, or of all, by run; runs without planned looks are left out."""
    looks_by_run = looks.looks_of(store, run_ids)
    return {
        run: _stored(plan, looks_by_run.get(run, []))
        for run, plan in looks.plans_of(store, run_ids).items()
    }


def _stored(plan: LookPlan, new_looks: Sequence[Look]) -> StoredLooks:
    of, instances = len(plan.n), plan.n[-1]
    limits, controls = Looks(plan.n, plan.limits, plan.times), tuple(plan.controls)
    if not new_looks:
        first = plan.limits[0]
        return StoredLooks(
            0, of, 0, instances, LookDecision.GO_ON, None, first, None, controls, limits
        )
    last = new_looks[-1]
    decision, overall = LookDecision(last.decision), None
    if decision is not LookDecision.GO_ON and last.p_value is not None:
        overall = limits.overall_p(last.place, last.p_value)
    return StoredLooks(
        last.place + 1,
        of,
        last.n,
        instances,
        decision,
        last.p_value,
        last.limit,
        overall,
        controls,
        limits,
    )
