"""A file of answers, one per row, from any model and partition: scores, controls and verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dcq.audit.answer_groups import COLUMNS, KIND, Group, group_answers, missing
from dcq.audit.cells import SLOTS
from dcq.errors import InputError
from dcq.evidence import checklist
from dcq.evidence.case import Case, Check, Mark, Topic
from dcq.evidence.checklist import PREFERENCE
from dcq.evidence.controls import Calibration, calibrate
from dcq.evidence.kappa import Kappa, rescale
from dcq.evidence.verdict import Ruling, Verdict, judge_study
from dcq.records import Kind, Role

_Controls = dict[Hashable, list[Group]]  # by what they can be compared with


@dataclass(frozen=True)
class Judged:
    """The result of one model on one partition. ``verdict`` is None for a control; ``remarks`` say
    whether others are compared with it, and what was left out."""

    group: Group
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
        """Whole sentences."""
        return self.remarks if self.verdict is None else self.verdict.reasons

    @property
    def control_zone(self) -> tuple[float, float] | None:
        """The range of κ expected for an unseen partition; None without controls."""
        known, chance = self.calibration, self.group.chance
        if known is None or chance is None or chance == 1:
            return None
        return rescale(known.control_low, chance), rescale(known.control_high, chance)

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line; scores are fractions."""
        known, kappa = self.calibration, self.kappa
        return {
            "model": self.group.model,
            "partition": self.group.partition,
            "role": self.group.role.value,
            "n": kappa.n,
            "correct": kappa.correct,
            "score": kappa.score,
            "kappa_fixed": kappa.kappa_fixed,
            "p_chance": kappa.p_value,
            "p_control": known.p_value if known else None,
            "kappa_control": known.kappa_control if known else None,
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
    results: tuple[Judged, ...]
    notes: tuple[str, ...]
    has_kinds: bool

    @property
    def tested(self) -> tuple[Judged, ...]:
        """The results that are not controls."""
        return tuple(found for found in self.results if found.group.role is not Role.CONTROL)

    def document(self) -> list[dict[str, Any]]:
        """One entry per model and partition; if the file has kinds, one for each of them and for
        each slot of a bcq, with two more keys for these."""
        return [
            found.document()
            | ({"kind": found.group.kind, "slot": found.group.slots} if self.has_kinds else {})
            for found in self.results
        ]


def analyse(table: pd.DataFrame, name: str) -> Answers:
    """Analyse a ``table`` of strings; ``name`` is the file's, for messages.

    The file's results on targets are one family; a positive partition is corrected as one more
    member of it. Raises ``InputError`` if a column, a role or an id is missing, or no answer can be
    scored.
    """
    lacks = missing(table)
    if lacks:
        raise InputError(
            f"{name} has no column {', '.join(lacks)}; an answers file needs {', '.join(COLUMNS)}."
        )
    groups, notes = group_answers(table, name)
    controls: _Controls = defaultdict(list)
    for group in groups:
        if group.role is Role.CONTROL:
            controls[group.asked_alike].append(group)
    tested = [group for group in groups if group.role is not Role.CONTROL]
    compared = [_compare(group, controls[group.asked_alike]) for group in tested]
    of_model = {group.model for group in groups if group.role is Role.CONTROL}
    cases = [
        _case(group, known, used, _uncompared(group, controls[group.asked_alike], of_model))
        for group, (known, used) in zip(tested, compared, strict=True)
    ]
    verdicts = judge_study(
        cases, [group.role is Role.TARGET for group in tested], range(len(cases))
    )
    found = {
        id(group): Judged(group, known, verdict)
        for group, (known, _), verdict in zip(tested, compared, verdicts, strict=True)
    }
    aside = {
        id(used[place]) for known, used in compared if known is not None for place in known.aside
    }
    results = tuple(
        found.get(id(group)) or _report_control(group, set_aside=id(group) in aside)
        for group in groups
    )
    return Answers(name, results, notes, KIND in table)


def _compare(group: Group, alike: Sequence[Group]) -> tuple[Calibration | None, Sequence[Group]]:
    """``group`` compared with its controls, and those of the controls asked ``alike`` it uses."""
    if not group.comparable:
        return None, ()
    used = [control for control in alike if control.comparable]
    share = None if group.own is None else group.own.modified_share
    known = calibrate(
        group.values,
        [control.values for control in used],
        own_share=share,
        refused_as_wrong=group.refused_as_wrong,
    )
    return known, used


def _case(
    group: Group, known: Calibration | None, used: Sequence[Group], uncompared: Check | None
) -> Case:
    sizes = np.array([len(control.right) for control in used])
    unusable = np.array([control.unusable for control in used])
    theirs = [sum(control.none[i] for control in used) for i in (0, 1)]
    none = checklist.none_of_these(*group.none, *theirs) if group.kind == Kind.BCQ else None
    checks = [_slot(group, compared=known is not None), *_left_out(group)]
    checks += [] if none is None else [none]
    if known is not None:
        checks.append(_UNKNOWN_WRITER)
    elif uncompared is not None:
        checks.append(uncompared)
    return Case(
        kappa=group.kappa,
        calibration=known,
        control_names=tuple(control.partition for control in used),
        own=group.own,
        unusable=group.unusable,
        control_unusable=float((sizes * unusable).sum() / sizes.sum()) if sizes.sum() else 0.0,
        text_only=None,
        chance=group.chance if group.own is None else None,
        checks=tuple(checks),
    )


_UNKNOWN_WRITER = Check(
    Topic.WRITER,
    Mark.CAUTION,
    "not known",
    "The file does not say who wrote the rewordings. A control is only fair if the same writer "
    "wrote those of target and control.",
    "who wrote the rewordings",
)
_UNLIKE = Check(
    Topic.CONTROLS,
    Mark.BAD,
    "none alike",
    "This model's controls are of another kind of quiz, had the original at another slot, or have "
    "no usable answer, so this result cannot be compared with them.",
)
_NO_BDQ = Check(
    Topic.CONTROLS,
    Mark.BAD,
    "no bdq",
    "There is no usable bdq of this model and partition to compare this bcq with.",
)
_CONTROLS_LACK_BDQ = Check(
    Topic.CONTROLS,
    Mark.CAUTION,  # its own bdq can still clear it
    "no bdq",
    "None of this model's controls at this slot has a usable bdq to compare with, so none of them "
    "counts.",
)
_NO_ROOM = Check(
    Topic.CONTROLS,
    Mark.BAD,
    "no room",
    "The model chose this slot in every answer of the bdq, so the original could add nothing.",
)


def _uncompared(group: Group, alike: Sequence[Group], of_model: Set[str]) -> Check | None:
    """Why ``group`` has no calibration, if it has none: ``alike`` are the controls that were asked
    the same way, ``of_model`` the models that have any control."""
    if group.kind == Kind.BCQ and not group.comparable:
        return _NO_BDQ if group.own is None else _NO_ROOM
    if group.kind == Kind.BCQ and any(control.kappa.n for control in alike):
        return _CONTROLS_LACK_BDQ
    return _UNLIKE if group.model in of_model else None


def _slot(group: Group, *, compared: bool) -> Check:
    """Does a preference for the original's slot explain the score?"""
    if group.slots == "".join(SLOTS) and group.rotated:
        words = "Each original was asked at every slot, so a preference for a slot cancels out."
        return Check(Topic.SLOT, Mark.GOOD, "every slot", words)
    where = ", ".join(group.slots) or "–"
    if compared:
        words = f"Target and controls had the original at {where}, so a preference affects both."
        return Check(Topic.SLOT, Mark.GOOD, where, words)
    if group.own is not None:
        words = f"How often the model chose {where} without the original is subtracted."
        return Check(Topic.SLOT, Mark.GOOD, where, words)
    words = f"The original was at {where}, and it is not known how often the model prefers that."
    return Check(Topic.SLOT, Mark.CAUTION, where, words, PREFERENCE)


def _left_out(group: Group) -> list[Check]:
    return [
        Check(Topic.COMPLETE, Mark.CAUTION, f"{count:,} out", sentence)
        for count, sentence in group.left_out
    ]


def _report_control(group: Group, *, set_aside: bool) -> Judged:
    if not group.kappa.n:
        reason = "A control without a usable answer: nothing is compared with it."
    elif not group.comparable and group.own is None:
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
    return Judged(group, None, None, remarks, set_aside)
