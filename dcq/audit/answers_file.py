"""A file of answers, one per row, from any model and partition: scores, controls and verdicts."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dcq.audit import wording
from dcq.audit.answer_groups import COLUMNS, KIND, missing, read_evidence
from dcq.audit.release_rows import SLOTS
from dcq.errors import InputError
from dcq.evidence.check import Check, Mark, Topic, is_bad
from dcq.evidence.choice import is_control
from dcq.evidence.record import Evidence
from dcq.judging import fields
from dcq.judging.controls import ControlPool
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.verdict import judge
from dcq.quiz.evidence import METHOD
from dcq.records import PartitionRole

_KEYS = {  # of the JSON, with those of all quizzes that they are
    **{key: key for key in ("model", "partition", "role", "n", "correct", "score", "kappa_fixed")},
    "p_chance": "p_value",
    **{key: key for key in ("p_control", "kappa_control", "q_control", "p_control_holm")},
}


@dataclass(frozen=True)
class Answers:
    """One file: its results in the file's order, and sentences on what was left out. The note of a
    control says whether others are compared with it. ``has_kinds``: the file has a column with the
    kind of quiz of each answer."""

    name: str
    results: tuple[JudgedResult, ...]
    notes: tuple[str, ...]
    has_kinds: bool

    @property
    def tested(self) -> tuple[JudgedResult, ...]:
        """The results that are not controls."""
        return tuple(result for result in self.results if result.verdict is not None)

    def document(self) -> list[dict[str, Any]]:
        """One entry per model and partition; if the file has kinds, one for each of them and for
        each slot of a bcq, with two more keys for these. Scores are fractions."""
        columns = {column.key: column for column in fields.columns(METHOD)}
        more = {key: key for key in ("kind", "slot")} if self.has_kinds else {}
        return [
            {key: columns[name].value(result) for key, name in _KEYS.items()}
            | {"verdict": ruling(result).value, "reasons": list(reasons(result))}
            | {key: columns[name].value(result) for key, name in more.items()}
            for result in self.results
        ]


def ruling(result: JudgedResult) -> Ruling:
    """The verdict; of a control, ``no evidence`` if others are compared with it."""
    if result.verdict is not None:
        return result.verdict.ruling
    return Ruling.INCONCLUSIVE if is_bad(result.notes) else Ruling.NO_EVIDENCE


def reasons(result: JudgedResult) -> tuple[str, ...]:
    """The reasons for it, as whole sentences."""
    if result.verdict is not None:
        return result.verdict.reasons
    return tuple(check.sentence for check in (*result.notes, *result.evidence.checks))


def analyse(table: pd.DataFrame, name: str) -> Answers:
    """Analyse a ``table`` of strings; ``name`` is the file's, for messages.

    The file's results on targets are one family; a positive partition is corrected as one more
    member of it. Raises ``InputError`` if a column, a role or an id is missing, or no answer can be
    scored.
    """
    if lacking := missing(table):
        raise InputError(
            f"{name} has no column {', '.join(lacking)}; an answers file needs "
            f"{', '.join(COLUMNS)}."
        )
    evidence, notes = read_evidence(table, name)
    controls = [one for one in evidence if one.role == PartitionRole.CONTROL]
    answered_controls = {control.asked_alike for control in controls if control.usable}
    pool = ControlPool(list(filter(is_control, controls)), {one.run: one for one in evidence})
    compared = [
        _checked(pool.compare(one), answered_controls)
        for one in evidence
        if one.role != PartitionRole.CONTROL
    ]
    in_family = [result.evidence.role == PartitionRole.TARGET for result in compared]
    tested = {
        result.evidence.run: replace(result, verdict=verdict)
        for result, verdict in zip(compared, judge(compared, in_family), strict=True)
    }
    aside = {
        result.controls[place].run
        for result in compared
        if result.calibration is not None
        for place in result.calibration.aside
    }
    results = tuple(tested.get(one.run) or _control(one, aside) for one in evidence)
    return Answers(name, results, notes, KIND in table)


def _checked(result: JudgedResult, answered_controls: Collection[Hashable]) -> JudgedResult:
    """With what the file itself lets one check, now that it is known what is compared.
    ``answered_controls`` tell how the controls were asked that have an answer."""
    evidence, compared = result.evidence, result.calibration is not None
    notes = [_slot(evidence, compared=compared), *result.notes]
    if compared:
        notes.append(Check(Topic.WRITER, Mark.CAUTION, wording.unknown_writer))
    elif (
        evidence.ablation is not None
        and evidence.incomparable is None
        and evidence.asked_alike in answered_controls  # which lack a bdq
    ):
        # Its own bdq can still clear it.
        notes = [notes[0], Check(Topic.CONTROLS, Mark.CAUTION, wording.controls_lack_bdq)]
    return replace(result, notes=tuple(notes))


def _slot(evidence: Evidence, *, compared: bool) -> Check:
    """Does a preference for the original's slot explain the score?"""
    if ("slot", "".join(SLOTS)) in evidence.setting:
        return Check(Topic.SLOT, Mark.GOOD, wording.slots_cancel_out)
    where = {"where": ", ".join(str(evidence.figures["slot"])) or "–"}
    if compared:
        return Check(Topic.SLOT, Mark.GOOD, wording.same_slots, where)
    if evidence.ablation is not None:
        return Check(Topic.SLOT, Mark.GOOD, wording.own_slot_subtracted, where)
    return Check(Topic.SLOT, Mark.CAUTION, wording.slot_preference_unknown, where)


def _control(evidence: Evidence, aside: Collection[str]) -> JudgedResult:
    """A control, with a note whether others are compared with it. ``aside`` are the runs that look
    seen."""
    mark, says = Mark.BAD, wording.control_set_aside
    if not evidence.usable:
        says = wording.control_unanswered
    elif evidence.incomparable is not None:
        lacks_bdq = evidence.ablation is None
        says = wording.control_lacks_bdq if lacks_bdq else wording.control_without_room
    elif evidence.run not in aside:
        mark, says = Mark.GOOD, wording.control
    return JudgedResult(evidence, notes=(Check(Topic.CONTROLS, mark, says),))
