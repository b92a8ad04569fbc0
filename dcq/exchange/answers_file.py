"""A file of answers, one a row, from any model and partition: scores, controls and verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dcq.errors import InputError
from dcq.evidence.controls import Calibration, calibrate_counts, calibrate_rotated
from dcq.evidence.kappa import Kappa, rescale
from dcq.evidence.verdict import ENOUGH_VALID, Case, Ruling, Verdict, judge
from dcq.exchange.answer_groups import COLUMNS, Group, group_answers, missing
from dcq.quiz.leakage import CHANCE
from dcq.records import Role


@dataclass(frozen=True)
class Judged:
    """One model on one partition. ``p_control_holm`` is corrected over all that are no control."""

    group: Group
    kappa: Kappa
    calibration: Calibration | None
    p_control_holm: float | None
    ruling: Ruling
    reasons: tuple[str, ...]

    @property
    def control_zone(self) -> tuple[float, float] | None:
        """κ_fixed between which an unseen partition is expected; None without controls."""
        known = self.calibration
        if known is None:
            return None
        return rescale(known.control_low, CHANCE), rescale(known.control_high, CHANCE)

    def document(self) -> dict[str, Any]:
        """The keys that the command line promises; scores are fractions."""
        known = self.calibration
        return {
            "model": self.group.model,
            "partition": self.group.partition,
            "role": self.group.role.value,
            "n": self.kappa.n,
            "correct": self.kappa.correct,
            "score": self.kappa.score,
            "kappa_fixed": self.kappa.kappa_fixed,
            "p_chance": self.kappa.p_value,
            "p_control": known.p_value if known else None,
            "kappa_control": known.kappa_control if known else None,
            "p_control_holm": self.p_control_holm,
            "verdict": self.ruling.value,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True)
class Answers:
    """One file: its results in the file's order, and sentences on what was left out of them."""

    name: str
    results: tuple[Judged, ...]
    notes: tuple[str, ...]

    @property
    def tested(self) -> tuple[Judged, ...]:
        """The results that are no controls."""
        return tuple(found for found in self.results if found.group.role is not Role.CONTROL)

    def document(self) -> list[dict[str, Any]]:
        """One entry a model and partition (and kind of quiz, where a file has several)."""
        return [found.document() for found in self.results]


def analyse(table: pd.DataFrame, name: str) -> Answers:
    """Analyse the texts of ``table``; ``name`` is the file's, for messages.

    Raises ``InputError`` where a column, a role or an identity is missing, or no answer can be
    scored.
    """
    lacks = missing(table)
    if lacks:
        raise InputError(
            f"{name} has no column {', '.join(lacks)}; an answers file needs {', '.join(COLUMNS)}."
        )
    groups, notes = group_answers(table, name)
    shelf: dict[Hashable, list[Group]] = defaultdict(list)  # controls by what they can calibrate
    for group in groups:
        if group.role is Role.CONTROL and _is_sound(group):
            shelf[group.yardstick].append(group)
    kappas = [group.kappa for group in groups]
    tested = [i for i, group in enumerate(groups) if group.role is not Role.CONTROL]
    calibrations = {i: _calibrate(groups[i], shelf[groups[i].yardstick]) for i in tested}
    verdicts = judge(
        [
            Case(
                kappas[i],
                calibrations[i],
                asked=groups[i].asked,
                rotated=groups[i].slots > 1,
            )
            for i in tested
        ]
    )
    others = {group.model for group in groups if group.role is Role.CONTROL}
    found = dict(zip(tested, verdicts, strict=True))
    return Answers(
        name,
        tuple(
            _conclude(group, kappas[i], calibrations[i], found[i], group.model in others)
            if i in found
            else _report_control(group, kappas[i])
            for i, group in enumerate(groups)
        ),
        notes,
    )


def _is_sound(group: Group) -> bool:
    """True where enough answers name a letter and enough instances have all their replies."""
    return (
        group.named >= ENOUGH_VALID * group.replies and group.kappa.n >= ENOUGH_VALID * group.asked
    )


def _calibrate(group: Group, controls: Sequence[Group]) -> Calibration | None:
    if group.rotated:
        return calibrate_rotated(group.right, [control.right for control in controls])
    return calibrate_counts(group.counts, [control.counts for control in controls])


def _conclude(
    group: Group, kappa: Kappa, known: Calibration | None, verdict: Verdict, has_controls: bool
) -> Judged:
    if group.named < ENOUGH_VALID * group.replies:
        few = (
            f"Only {group.named} of {group.replies} replies name a letter, under the "
            f"{100 * ENOUGH_VALID:.0f} % needed."
        )
        verdict = replace(verdict, ruling=Ruling.INCONCLUSIVE, reasons=(few, *verdict.reasons))
    reasons = list(verdict.reasons)
    if known is None and has_controls and kappa.n:
        reasons.append(
            "This model's controls are of another kind, had the original at another slot, or have "
            "too few usable answers, so they are no yardstick here."
        )
    if verdict.ruling is Ruling.CONTAMINATED:
        reasons.append(
            "The file holds no options, so whether their text alone gives originals away is "
            "checked by the controls only."
        )
    return Judged(
        group,
        kappa,
        known,
        verdict.p_adjusted if known else None,
        verdict.ruling,
        (*reasons, *group.left_out()),
    )


def _report_control(group: Group, kappa: Kappa) -> Judged:
    if _is_sound(group) and kappa.n:
        reason = "Taken as unseen: it is the yardstick of this model's other results."
    else:
        reason = "A control with too few usable answers: it is not used as a yardstick."
    ruling = Ruling.NO_EVIDENCE if _is_sound(group) and kappa.n else Ruling.INCONCLUSIVE
    return Judged(group, kappa, None, None, ruling, (reason, *group.left_out()))
