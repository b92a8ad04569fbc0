"""A result with the controls that it is compared with, and the verdict on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from dcq.evidence.check import Check, Mark
from dcq.evidence.controls import Calibration, OddControl, calibrate
from dcq.evidence.further_controls import FurtherControls, further_controls
from dcq.evidence.power import detectable_gain, detectable_kappa
from dcq.evidence.record import GAIN, Evidence, Measure
from dcq.judging import wording
from dcq.words import model_title

UNDECIDED = "undecided"
_ENOUGH = 10  # controls, to tell how much scores on unseen texts differ


class Ruling(StrEnum):
    """The three possible verdicts, and conclusions."""

    CONTAMINATED = "contaminated"
    NO_EVIDENCE = "no evidence"
    INCONCLUSIVE = "inconclusive"

    @property
    def word(self) -> str:
        """What people read for it: what is open can be repaired."""
        return UNDECIDED if self is Ruling.INCONCLUSIVE else self.value

    @property
    def mark(self) -> str:
        """What is read without colour and in little room."""
        return {"contaminated": "⚑", "no evidence": "✓"}.get(self.value, "?")


class Lacking(StrEnum):
    """What a result needs so that an effect of the usual size can be found: more instances, more
    controls or some that differ less, because more instances would not help, or room above the
    controls."""

    INSTANCES = "instances"
    CONTROLS = "controls"
    LIKENESS = "likeness"
    ROOM = "room"


@dataclass(frozen=True)
class Verdict:
    """The ruling on a result; ``finding`` says its comparison in a sentence or two, and ``checks``
    are in the order of the checklist.

    ``p_value`` is the one that decided. ``q_value`` (Benjamini–Hochberg) and ``p_holm`` are
    corrected over the family, None for a result that cannot be called contaminated whatever its
    p-value, and so is not a member.
    """

    finding: str
    ruling: Ruling
    checks: tuple[Check, ...]
    p_value: float | None
    q_value: float | None
    p_holm: float | None

    @property
    def unchecked(self) -> str:
        """What could not be checked, as a sentence; empty if all was."""
        gaps = dict.fromkeys(check.unchecked for check in self.checks if check.unchecked)
        return f"Could not be checked: {'; '.join(gaps)}." if gaps else ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons as whole sentences: the finding, failed checks, cautions, and the rest."""
        order = (Mark.BAD, Mark.CAUTION, Mark.GOOD)
        ranked = sorted(self.checks, key=lambda check: order.index(check.mark))
        return (self.finding, *(check.sentence for check in ranked))


@dataclass(frozen=True, eq=False)
class NamedOddControl:
    """The control that disagrees most with the others, in the ``measure`` that decides; its
    p-value is the deciding one without it."""

    name: str
    control: OddControl
    measure: str


@dataclass(frozen=True, eq=False)
class JudgedResult:
    """The result of a run of any method: its ``evidence`` and ``controls``, with one of
    ``calibrations`` for each measure that can be compared, by name, the leading one first.

    ``by_letters`` is the leading comparison by yes and no where finer numbers lead. ``unfair`` says
    why the comparison is not valid, and ``notes`` are checks on it. ``verdict`` is None on a
    control, and before it is judged.
    """

    evidence: Evidence
    controls: tuple[Evidence, ...] = ()
    calibrations: tuple[tuple[str, Calibration], ...] = ()
    by_letters: Calibration | None = None
    unfair: Check | None = None
    notes: tuple[Check, ...] = ()
    verdict: Verdict | None = None

    @cached_property
    def side_calibrations(self) -> Mapping[str, Calibration]:
        """The comparisons that are shown and never decide, by name, each with the controls that
        have the measure."""
        if not self.comparable:
            return {}
        calibrations = {
            measure.name: _calibrate_with(measure, _of_same_name(measure, self.controls, side=True))
            for measure in self.evidence.side_measures
        }
        return {
            name: calibration
            for name, calibration in calibrations.items()
            if calibration is not None
        }

    @property
    def comparable(self) -> bool:
        """Whether there is an answer, and controls to compare it with."""
        evidence = self.evidence
        return bool(evidence.usable and self.controls and not evidence.incomparable)

    @property
    def stands(self) -> bool:
        """Whether its p-value is valid: against controls, or because it needs none."""
        return self.calibration is not None or not self.evidence.needs_controls

    @property
    def calibration(self) -> Calibration | None:
        """The comparison of the leading measure that can be compared."""
        return self.calibrations[0][1] if self.calibrations else None

    @property
    def deciding(self) -> Calibration | None:
        """The comparison that the verdict rests on; None without a verdict."""
        return self.calibration if self.verdict else None

    @property
    def of_shares(self) -> tuple[str, Calibration] | None:
        """The comparison of the leading measure that is a share, with its name; a gain is a
        difference."""
        return next((named for named in self.calibrations if named[0] != GAIN), None)

    @property
    def used_controls(self) -> tuple[Evidence, ...]:
        """``controls`` without those that were set aside because they look seen."""
        return self.calibration.used(self.controls) if self.calibration else self.controls

    @property
    def finding(self) -> str:
        """The result compared with what is expected on unseen text, in the method's words."""
        evidence = self.evidence
        if evidence.words.finding is None:
            return wording.share_found(evidence.estimate.share if evidence.usable else None)
        return evidence.words.finding(evidence, dict(self.calibrations), self.by_letters)

    @property
    def sentence(self) -> str:
        """The result as it can be read aloud."""
        evidence = self.evidence
        text = f"{model_title(evidence.model)} on {evidence.place}: {self.finding}"
        whose = wording.rests_on(self.senders)
        return f"{whose}{text} {evidence.words.note(evidence)}".rstrip()

    @property
    def senders(self) -> tuple[str, ...]:
        """Whose replies it rests on besides one's own, those of its controls among them."""
        found = {self.evidence.sender, *(control.sender for control in self.controls)}
        return tuple(sorted(found - {""}))

    @property
    def n(self) -> int:
        """The number of instances that the verdict rests on."""
        calibration = self.calibration
        return calibration.n if calibration else self.evidence.usable

    @property
    def control_unusable(self) -> float:
        """The share of the controls' instances without an answer."""
        planned = sum(control.planned for control in self.controls)
        missing = sum(control.unusable * control.planned for control in self.controls)
        return missing / planned if planned else 0.0

    @property
    def p_value(self) -> float | None:
        """The deciding p-value: against the controls, else the model's own baseline, else chance;
        None if there is nothing to compare with."""
        if self.calibrations:
            return self.against_controls(lambda calibration: calibration.p_value)
        own_ablation = self.evidence.ablation
        if own_ablation is not None:
            p = own_ablation.p_value
        else:
            p = None if self.evidence.chance is None else self.evidence.estimate.p_value
        return None if p is None or math.isnan(p) else p

    def against_controls(self, p_of: Callable[[Calibration], float]) -> float | None:
        """The smallest p-value of all measures, times their number; None without controls."""
        return _smallest_corrected([p_of(calibration) for _, calibration in self.calibrations])

    @property
    def odd_control(self) -> NamedOddControl | None:
        """The control that disagrees most with the others in the deciding measure."""
        if not self.calibrations:
            return None
        name, deciding = min(self.calibrations, key=lambda named: named[1].p_value)
        if deciding.odd is None:
            return None
        other_p_values = [
            calibration.p_value
            for _, calibration in self.calibrations
            if calibration is not deciding
        ]
        p = _smallest_corrected([deciding.odd.p_without, *other_p_values])
        if p is None:
            return None
        control = self.controls[deciding.odd.place].place
        several = len(self.calibrations) > 1
        return NamedOddControl(control, replace(deciding.odd, p_without=p), name if several else "")

    @property
    def minimum_effect(self) -> float | None:
        """The smallest κ that this n finds with a power of 80 %, on the scale of what it is
        compared with; None if it finds none."""
        calibration, own_ablation, chance = (
            self.calibration,
            self.evidence.ablation,
            self.evidence.chance,
        )
        if calibration is not None:
            return calibration.minimum_kappa
        if own_ablation is not None:
            if (
                not own_ablation.n
                or own_ablation.modified_share is None
                or own_ablation.modified_share == 1.0
            ):
                return None
            gain, most = (
                detectable_gain(own_ablation.gained, own_ablation.lost, own_ablation.n),
                1 - own_ablation.modified_share,
            )
            return None if gain is None or gain > most else gain / most
        return None if chance is None else detectable_kappa(self.evidence.usable, chance=chance)

    @property
    def lacking(self) -> Lacking:
        """What would raise its power."""
        calibration = self.calibration
        if calibration is None:
            return Lacking.INSTANCES
        if not calibration.leaves_room:
            return Lacking.ROOM
        if calibration.needed_n is not None:
            return Lacking.INSTANCES
        return Lacking.LIKENESS if len(self.used_controls) >= _ENOUGH else Lacking.CONTROLS

    @cached_property
    def further_controls(self) -> FurtherControls | None:
        """How many further controls the leading comparison is worth; None where there is none, or
        it is not valid."""
        if not self.calibrations or self.unfair is not None:
            return None
        name, calibration = self.calibrations[0]
        measure = next(entry for entry in self.evidence.measures if entry.name == name)
        of_controls = _of_same_name(measure, self.used_controls)
        if self.by_letters is not None:
            tables = [entry.finer for entry in of_controls if entry.finer is not None]
            return further_controls(tables, calibration.n)
        return further_controls(
            [entry.values for entry in of_controls],
            calibration.n,
            own_share=measure.own_share,
            prior=measure.prior,
        )


def compare(
    evidence: Evidence,
    controls: Sequence[Evidence],
    *,
    unfair: Check | None = None,
    notes: tuple[Check, ...] = (),
) -> JudgedResult:
    """Compare evidence with ``controls``, measure by measure, each with the controls that have
    it."""
    result = JudgedResult(evidence, tuple(controls), unfair=unfair, notes=notes)
    if not result.comparable:
        return result
    calibrations = [
        (measure.name, calibration)
        for measure in evidence.measures
        if (calibration := _calibrate(measure, controls)) is not None
    ]
    by_letters = None
    if evidence.looks is not None:
        calibrations = [
            (name, _count_looks(calibration, evidence)) for name, calibration in calibrations
        ]
    elif calibrations and calibrations[0][0] == evidence.measures[0].name:
        finer = _finer(evidence.measures[0], controls)
        if finer is not None:
            name, by_letters = calibrations[0]
            calibrations[0] = name, finer
    return replace(result, calibrations=tuple(calibrations), by_letters=by_letters)


def _calibrate(measure: Measure, controls: Sequence[Evidence]) -> Calibration | None:
    control_measures = _of_same_name(measure, controls)
    return (
        None
        if len(control_measures) < len(controls)
        else _calibrate_with(measure, control_measures)
    )


def _calibrate_with(measure: Measure, control_measures: Sequence[Measure]) -> Calibration | None:
    return calibrate(
        measure.values,
        [control_measure.values for control_measure in control_measures],
        own_share=measure.own_share,
        refused_as_wrong=measure.refused_as_wrong,
        prior=measure.prior,
    )


def _finer(measure: Measure, controls: Sequence[Evidence]) -> Calibration | None:
    """The comparison by finer numbers, where all have them."""
    finer_measures = [entry.finer for entry in _of_same_name(measure, controls)]
    available = [entry for entry in finer_measures if entry is not None]
    if measure.finer is None or len(available) < len(controls):
        return None
    return calibrate(measure.finer, available)


def _of_same_name(
    measure: Measure, controls: Sequence[Evidence], *, side: bool = False
) -> list[Measure]:
    return [
        control_measure
        for control in controls
        for control_measure in (control.side_measures if side else control.measures)
        if control_measure.name == measure.name
    ]


def _count_looks(calibration: Calibration, evidence: Evidence) -> Calibration:
    """p-values at the look at which a run ended, with all looks counted."""
    looks = evidence.looks
    if looks is None or looks.overall_p is None:
        return calibration
    p_value, odd = looks.overall_p, calibration.odd
    return replace(
        calibration,
        p_value=p_value,
        p_refused=looks.overall(calibration.p_refused) if evidence.unusable else p_value,
        p_easier=looks.overall(calibration.p_easier),
        odd=odd and replace(odd, p_without=looks.overall(odd.p_without)),
    )


def _smallest_corrected(p_values: Sequence[float]) -> float | None:
    if not p_values or any(math.isnan(p) for p in p_values):
        return None
    return min(1.0, len(p_values) * min(p_values))
