"""A file of answers, one per row, from any model and partition: scores, controls and verdicts."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dcq.audit import wording
from dcq.audit.answer_groups import COLUMNS, KIND, AnswerGroup, group_answers, missing
from dcq.audit.release_rows import SLOTS
from dcq.errors import InputError
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.choice import is_control
from dcq.evidence.controls import Calibration
from dcq.evidence.kappa import Kappa, rescale
from dcq.evidence.record import FOUND, KAPPA, Evidence, Measure, MethodEstimate
from dcq.judging.controls import ControlPool
from dcq.judging.judged import JudgedResult, Ruling, Verdict
from dcq.judging.verdict import judge
from dcq.quiz.evidence import METHOD
from dcq.quiz.wording import WORDS
from dcq.records import PartitionRole, QuizKind


@dataclass(frozen=True)
class AuditedResult:
    """The result of one model on one partition. ``verdict`` is None for a control; ``remarks`` say
    whether others are compared with it, and what was left out."""

    group: AnswerGroup
    calibration: Calibration | None
    verdict: Verdict | None
    remarks: tuple[str, ...] = ()
    set_aside: bool = False

    @property
    def kappa(self) -> Kappa:
        """Score and κ over the answers."""
        return self.group.kappa

    @property
    def ruling(self) -> Ruling:
        """The ruling; for a control, ``no evidence`` if others are compared with it."""
        if self.verdict is not None:
            return self.verdict.ruling
        serves = self.group.comparable and not self.set_aside
        return Ruling.NO_EVIDENCE if serves else Ruling.INCONCLUSIVE

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the verdict, as whole sentences."""
        return self.remarks if self.verdict is None else self.verdict.reasons

    @property
    def control_zone(self) -> tuple[float, float] | None:
        """The range of κ expected for an unseen partition; None without controls."""
        calibration, chance = self.calibration, self.group.chance
        if calibration is None or chance is None or chance == 1:
            return None
        return rescale(calibration.control_low, chance), rescale(calibration.control_high, chance)

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line; scores are fractions."""
        calibration, kappa = self.calibration, self.kappa
        return {
            "model": self.group.model,
            "partition": self.group.partition,
            "role": self.group.role.value,
            "n": kappa.n,
            "correct": kappa.correct,
            "score": kappa.score,
            "kappa_fixed": kappa.kappa_fixed,
            "p_chance": kappa.p_value,
            "p_control": calibration.p_value if calibration else None,
            "kappa_control": calibration.kappa_control if calibration else None,
            "q_control": self.verdict.q_value if self.verdict else None,
            "p_control_holm": self.verdict.p_holm if self.verdict else None,
            "verdict": self.ruling.value,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True)
class Answers:
    """One file: its results in the file's order, and sentences on what was left out. ``has_kinds``:
    the file has a column with the kind of quiz of each answer."""

    name: str
    results: tuple[AuditedResult, ...]
    notes: tuple[str, ...]
    has_kinds: bool

    @property
    def tested(self) -> tuple[AuditedResult, ...]:
        """The results that are not controls."""
        return tuple(
            result for result in self.results if result.group.role is not PartitionRole.CONTROL
        )

    def document(self) -> list[dict[str, Any]]:
        """One entry per model and partition; if the file has kinds, one for each of them and for
        each slot of a bcq, with two more keys for these."""
        return [
            result.document()
            | ({"kind": result.group.kind, "slot": result.group.slots} if self.has_kinds else {})
            for result in self.results
        ]


def analyse(table: pd.DataFrame, name: str) -> Answers:
    """Analyse a ``table`` of strings; ``name`` is the file's, for messages.

    The file's results on targets are one family; a positive partition is corrected as one more
    member of it. Raises ``InputError`` if a column, a role or an id is missing, or no answer can be
    scored.
    """
    reasons = missing(table)
    if reasons:
        raise InputError(
            f"{name} has no column {', '.join(reasons)}; an answers file needs "
            f"{', '.join(COLUMNS)}."
        )
    groups, notes = group_answers(table, name)
    evidence = [_evidence(place, group) for place, group in enumerate(groups)]
    controls = [run_evidence for run_evidence in evidence if is_control(run_evidence)]
    pool = ControlPool(controls, {run_evidence.run: run_evidence for run_evidence in evidence})
    tested = [
        run_evidence for run_evidence in evidence if run_evidence.role != PartitionRole.CONTROL
    ]
    groups_of = dict(zip((run_evidence.run for run_evidence in evidence), groups, strict=True))
    answered_controls = {
        (group.model, group.setting)
        for group in groups
        if group.role is PartitionRole.CONTROL and group.kappa.n
    }
    cases = [
        _checked(pool.compare(run_evidence), groups_of[run_evidence.run], answered_controls)
        for run_evidence in tested
    ]
    verdicts = judge(cases, [run_evidence.role == PartitionRole.TARGET for run_evidence in tested])
    results_by_run = {
        case.evidence.run: AuditedResult(groups_of[case.evidence.run], case.calibration, verdict)
        for case, verdict in zip(cases, verdicts, strict=True)
    }
    aside = {
        case.controls[place].run
        for case in cases
        if case.calibration is not None
        for place in case.calibration.aside
    }
    results = tuple(
        results_by_run.get(run) or _report_control(group, set_aside=run in aside)
        for run, group in groups_of.items()
    )
    return Answers(name, results, notes, KIND in table)


def _evidence(place: int, group: AnswerGroup) -> Evidence:
    """What one model's answers to one kind of quiz say. ``place`` in the file stands for a run."""
    kappa, share = group.kappa, group.ablation.modified_share if group.ablation else None
    why = _incomparable(group)
    measure = Measure(FOUND, group.values, refused_as_wrong=group.refused_as_wrong, own_share=share)
    return Evidence(
        method=METHOD,
        run=str(place),
        model=group.model,
        partition=group.partition,
        place=group.partition,
        role=group.role.value,
        estimate=MethodEstimate(
            kappa.kappa_fixed, kappa.kappa_low, kappa.kappa_high, KAPPA, kappa.score, kappa.p_value
        ),
        measures=() if why else (measure,),
        usable=kappa.n,
        planned=len(group.right),
        unusable=group.unusable,
        setting=group.setting,
        ablation=group.ablation,
        chance=group.chance if group.ablation is None else None,
        incomparable=why,
        text_only=None,
        declined=group.none if group.kind == QuizKind.BCQ else None,
        family_key=place,
        checks=tuple(
            Check(
                Topic.COMPLETE, Mark.CAUTION, wording.rows_left_out, {"count": count, "why": reason}
            )
            for count, reason in group.left_out
        ),
        words=WORDS,
    )


def _incomparable(group: AnswerGroup) -> Check | None:
    """Why nothing can be compared with a result, or it with anything."""
    if group.comparable or (not group.kappa.n and group.kind != QuizKind.BCQ):
        return None
    says = wording.no_bdq if group.ablation is None else wording.no_room
    return Check(Topic.CONTROLS, Mark.BAD, says)


def _checked(
    case: JudgedResult, group: AnswerGroup, answered_controls: Collection[Hashable]
) -> JudgedResult:
    """With what the file itself lets one check, now that it is known what is compared.
    ``answered_controls`` are the models and settings of the controls that have an answer."""
    compared = case.calibration is not None
    checks = [_slot(group, compared=compared), *case.notes]
    if compared:
        checks.append(Check(Topic.WRITER, Mark.CAUTION, wording.unknown_writer))
    elif (
        group.comparable
        and group.kind == QuizKind.BCQ
        and (group.model, group.setting) in answered_controls  # which lack a bdq
    ):
        # Its own bdq can still clear it.
        checks = [_slot(group, compared=False)]
        checks.append(Check(Topic.CONTROLS, Mark.CAUTION, wording.controls_lack_bdq))
    return replace(case, notes=tuple(checks))


def _slot(group: AnswerGroup, *, compared: bool) -> Check:
    """Does a preference for the original's slot explain the score?"""
    if group.slots == "".join(SLOTS) and group.rotated:
        return Check(Topic.SLOT, Mark.GOOD, wording.slots_cancel_out)
    where = {"where": ", ".join(group.slots) or "–"}
    if compared:
        return Check(Topic.SLOT, Mark.GOOD, wording.same_slots, where)
    if group.ablation is not None:
        return Check(Topic.SLOT, Mark.GOOD, wording.own_slot_subtracted, where)
    return Check(Topic.SLOT, Mark.CAUTION, wording.slot_preference_unknown, where)


def _report_control(group: AnswerGroup, *, set_aside: bool) -> AuditedResult:
    if not group.kappa.n:
        reason = "A control without a usable answer: nothing is compared with it."
    elif not group.comparable and group.ablation is None:
        reason = "A control with no usable bdq to compare it with: nothing is compared with it."
    elif not group.comparable:
        reason = (
            "The model chose this slot in every answer of the bdq, so the original could add "
            "nothing: nothing is compared with this control."
        )
    elif set_aside:
        reason = (
            "Its score looks like that of seen text, so it is set aside as a control: check "
            "whether it may have been seen."
        )
    else:
        reason = "Assumed to be unseen: this model's other results are compared with it."
    remarks = (reason, *(sentence for _, sentence in group.left_out))
    return AuditedResult(group, None, None, remarks, set_aside)
