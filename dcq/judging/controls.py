"""Chooses the controls that a result is compared with, and the checks on that choice.

Controls are those of ``dcq.evidence.choice``; where variants are involved, those by the same
writer, if there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dcq.evidence.check import Check, CheckWords, Mark, Topic
from dcq.evidence.choice import group_alike, is_control, is_usable
from dcq.evidence.power import ALPHA
from dcq.evidence.record import Evidence
from dcq.judging import wording_controls
from dcq.judging.judged import JudgedResult, compare


@dataclass(frozen=True)
class ControlPool:
    """All controls to choose from. ``counted`` are the controls of a study. ``evidence_by_run``
    has all evidence of the store, because planned looks name their controls by run. A control may
    be replaced by one on another set of variants of the same instances, which must be among the
    runs ``members``; None allows all."""

    counted: Sequence[Evidence]
    evidence_by_run: Mapping[str, Evidence]
    members: Collection[str] | None = None

    def compare(self, evidence: Evidence) -> JudgedResult:
        """A result with its controls."""
        if not evidence.needs_controls:
            return JudgedResult(evidence)
        if evidence.incomparable is not None:
            return JudgedResult(evidence, unfair=evidence.incomparable)
        if evidence.looks is not None and evidence.looks.ended:
            return self._planned(evidence, evidence.looks.controls)
        alike = self._alike(evidence)
        fitting = [c for c in alike if c.text == evidence.text]
        if not fitting:
            return self._unlike(evidence, alike)
        usable = [c for c in fitting if is_usable(c)]
        used = [c for c in usable if c.writer == evidence.writer] or usable or fitting
        if not any(c.usable for c in used):
            unfair = _bad(wording_controls.silent_controls, names=_names(used))
            return compare(evidence, used, unfair=unfair)
        return compare(evidence, used, notes=_left_out(fitting, used))

    @cached_property
    def _counted(self) -> Mapping[Hashable, Sequence[Evidence]]:
        return group_alike(self.counted)

    @cached_property
    def _on_variant_sets(self) -> Mapping[Hashable, Sequence[Evidence]]:
        """Controls of the study that are on one of several sets of variants."""
        return group_alike(
            evidence
            for run, evidence in self.evidence_by_run.items()
            if evidence.question is not None and (self.members is None or run in self.members)
        )

    @cached_property
    def _by_model(self) -> Mapping[tuple[str, str], Sequence[Evidence]]:
        """All controls by model and the method whose runs they are."""
        controls_by_model: dict[tuple[str, str], list[Evidence]] = {}
        for control in self.counted:
            controls_by_model.setdefault((control.read_by, control.model), []).append(control)
        return controls_by_model

    def _alike(self, evidence: Evidence) -> list[Evidence]:
        """Controls asked in the same way about another partition, each on the set of variants by
        the same writer where it has one."""
        alike = [
            control
            for control in self._counted.get(evidence.asked_alike, ())
            if control.partition != evidence.partition
        ]
        if all(control.writer == evidence.writer for control in alike):
            return alike
        others = {
            control.question: control
            for control in sorted(  # one's own last, so that they stay
                self._on_variant_sets.get(evidence.asked_alike, ()),
                key=lambda control: not control.sender,
            )
            if control.writer == evidence.writer
        }
        return [
            control if control.writer == evidence.writer else others.get(control.question, control)
            for control in alike
        ]

    def _unlike(self, evidence: Evidence, alike: Sequence[Evidence]) -> JudgedResult:
        """No control is of this kind of text; those that there are tell how far off they are."""
        if alike:
            figures = {
                "control_texts": sorted(
                    {f"{control.task} in {control.language}" for control in alike}
                ),
                "target_text": f"{evidence.task} in {evidence.language}",
            }
            return compare(evidence, alike, unfair=_bad(wording_controls.other_text, **figures))
        others = self._by_model.get((evidence.read_by, evidence.model), ())
        differs = sorted(
            {name for control in others for name, _ in set(evidence.setting) - set(control.setting)}
        )
        if not differs:
            return JudgedResult(evidence)
        note = Check(
            Topic.CONTROLS, Mark.CAUTION, wording_controls.none_alike, {"differs": differs}
        )
        return JudgedResult(evidence, notes=(note,))

    def _planned(self, evidence: Evidence, planned: Sequence[str]) -> JudgedResult:
        """For a run that ended at a look: the controls that its looks were planned with."""
        used = [self.evidence_by_run[run] for run in planned if run in self.evidence_by_run]
        changed = [
            c
            for c in used
            if not is_control(c) or (c.asked_alike, c.text) != (evidence.asked_alike, evidence.text)
        ]
        if changed or len(used) < len(planned):
            unfair = _bad(wording_controls.controls_changed, names=_names(changed))
            return compare(evidence, used, unfair=unfair)
        case = compare(evidence, used)
        now = [c for c in self._alike(evidence) if is_usable(c) and c.text == evidence.text]
        today = compare(_without_looks(evidence), now).calibration
        p = case.p_value
        if today is None or p is None or not p <= ALPHA < today.p_value:
            return case
        figures = {"controls": today.controls, "p_value": today.p_value}
        note = Check(Topic.CONTROLS, Mark.CAUTION, wording_controls.controls_today, figures)
        return compare(evidence, used, notes=(note,))


def _left_out(fitting: Sequence[Evidence], used: Sequence[Evidence]) -> tuple[Check, ...]:
    silent = [c for c in fitting if c not in used and not is_usable(c)]
    foreign = [c for c in fitting if c not in used and is_usable(c)]
    checks = []
    if silent:
        figures = {"names": _names(silent)}
        checks.append(
            Check(Topic.CONTROLS, Mark.CAUTION, wording_controls.unusable_left_out, figures)
        )
    if foreign:
        figures = {"names": _names(foreign)}
        checks.append(
            Check(Topic.WRITER, Mark.GOOD, wording_controls.other_writer_left_out, figures)
        )
    return tuple(checks)


def _bad(says: Callable[..., CheckWords], **figures: Any) -> Check:
    return Check(Topic.CONTROLS, Mark.BAD, says, figures)


def _names(controls: Sequence[Evidence]) -> list[str]:
    return [control.place for control in controls]


def _without_looks(evidence: Evidence) -> Evidence:
    return replace(evidence, looks=None)
