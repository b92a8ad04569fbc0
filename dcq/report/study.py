"""Verdicts on the results of a study: by default everything in the store.

Pages, commands and files select from it afterwards, so no filter changes a verdict: the controls
and the family of a result come from its study.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from dcq.evidence import verdict
from dcq.evidence.case import Case
from dcq.evidence.controls import Calibration
from dcq.evidence.verdict import Ruling, Verdict
from dcq.quiz import protocol2, results
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.controls import is_control
from dcq.quiz.leakage import TextOnly
from dcq.quiz.protocol2 import Estimate
from dcq.quiz.results import Result
from dcq.records import Role
from dcq.report import cases, standing_sets
from dcq.report.cases import Baselines, baselines_of
from dcq.report.checks import bare_of
from dcq.store import Store, sets
from dcq.store.studies import EVERYTHING, QUIZ, Study


@dataclass(frozen=True)
class Finding:
    """A result with its verdict and what the verdict is based on.

    ``controls`` are the results that it is compared with, ``calibration`` is the comparison;
    ``verdict`` is None for a control partition and for a quiz without originals. ``bare`` is the
    same model's quiz of the same sample without originals, for a result with one slot.
    """

    result: Result
    baselines: tuple[TextOnly, ...] = ()
    controls: tuple[Result, ...] = ()
    calibration: Calibration | None = None
    bare: Result | None = None
    verdict: Verdict | None = None

    @property
    def used_controls(self) -> tuple[Result, ...]:
        """``controls`` without those that were set aside because they look seen."""
        aside = self.calibration.aside if self.calibration else ()
        return tuple(c for place, c in enumerate(self.controls) if place not in aside)


def findings(
    store: Store,
    within: Study = EVERYTHING,
    *,
    every_run: bool = False,
    baselines: Baselines = baselines_of,
) -> list[Finding]:
    """The results of a study with their verdicts, as ``dcq.quiz.results.table`` orders them.

    The family for the correction is the results on targets, one per model, partition, kind, slot
    and prompt; of several sets of variants one stands (``dcq.report.standing_sets``). Any other
    result (an older run, another set, a partition surely seen) is judged as if it stood there.
    ``baselines`` are made of the quizzes' texts, unless those are withheld.
    """
    every = results.table(store, every_run=True)
    of_sets = sets.members(store)
    counted = standing_sets.standing(every, of_sets)
    standing = list({_place_in_study(r): r for r in reversed(counted)}.values())[::-1]
    standing = [r for r in standing if belongs(r, within)]
    shown = [r for r in every if belongs(r, within)] if every_run else standing
    judged = [
        r
        for r in every
        if r.kind not in WITHOUT_ORIGINAL and r.role != Role.CONTROL and belongs(r, within)
    ]
    made = cases.read(store, every, [r for r in standing if is_control(r)], of_sets, baselines)
    chosen = {r.run: made.choose(r) for r in judged}
    of_run = {r.run: made.case(r, chosen[r.run]) for r in judged}
    family = {r.run for r in standing if r.role == Role.TARGET} & set(of_run)
    verdicts = _verdicts(of_run, family, {r.run: _place_in_study(r) for r in judged})
    return [
        Finding(
            result=r,
            baselines=() if r.kind in WITHOUT_ORIGINAL else baselines(store, r.quiz),
            controls=chosen[r.run].used if r.run in of_run else (),
            calibration=of_run[r.run].calibration if r.run in of_run else None,
            bare=bare_of(r, every),
            verdict=verdicts.get(r.run),
        )
        for r in shown
    ]


def ranges(store: Store, within: Study = EVERYTHING) -> list[Estimate]:
    """The estimates of protocol v2 whose runs are a study's."""
    own = {r.run for r in results.table(store, every_run=True) if belongs(r, within)}
    return [one for one in protocol2.estimates(store) if one.bdq in own]


def belongs(result: Result, within: Study) -> bool:
    """Whether a result is one of a study's."""
    return QUIZ in within.methods and within.has(
        result.model, result.partition, is_control=result.role == Role.CONTROL
    )


def strongest(found: Sequence[Finding]) -> Finding | None:
    """The first of ``by_strength``; None if ``found`` is empty."""
    return next(iter(by_strength(found)), None)


def beside(finding: Finding, found: Sequence[Finding]) -> list[Finding]:
    """Of ``found``, what to see ``finding`` next to: the same partition with every model, and the
    controls of its model."""
    own = finding.result
    return [
        one
        for one in found
        if one.result.partition == own.partition
        or (one.result.role == Role.CONTROL and one.result.model == own.model)
    ]


def by_strength(found: Sequence[Finding]) -> list[Finding]:
    """In the order in which to show them: a finished run before an unfinished one, a target before
    a partition whose status is known, contaminated ones before the rest and by the lowest q-value,
    then by the highest lower limit of κ (above controls if there are any)."""

    def rank(finding: Finding) -> tuple[bool, bool, bool, bool, float, float]:
        result, verdict, known = finding.result, finding.verdict, finding.calibration
        called = verdict is not None and verdict.ruling is Ruling.CONTAMINATED
        q = verdict.q_value if called and verdict else None
        low = known.kappa_low if known else result.kappa.kappa_low
        return (
            result.score is not None,
            result.finished,
            result.role == Role.TARGET,
            called,
            1.0 if q is None else -q,
            -2.0 if low is None else low,
        )

    return sorted(found, key=rank, reverse=True)


def _place_in_study(result: Result) -> tuple[object, ...]:
    """Only one of the results with the same key is in the family."""
    return result.model, result.partition, result.kind, result.slot, result.prompt


def _verdicts(
    cases: Mapping[str, Case], family: Set[str], places: Mapping[str, tuple[object, ...]]
) -> dict[str, Verdict]:
    found = verdict.judge_study(
        list(cases.values()), [run in family for run in cases], [places[run] for run in cases]
    )
    return dict(zip(cases, found, strict=True))
