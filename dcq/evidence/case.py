"""What a verdict is made of: all that bears on one result, and the lines of its checklist."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dcq.evidence.ablation import Ablation
from dcq.evidence.controls import Calibration
from dcq.evidence.kappa import Kappa

MOST_UNUSABLE = 0.2  # share of the instances; with more, those left need not represent the rest


class Topic(StrEnum):
    """What a check is about, in the order of the checklist."""

    COMPLETE = "complete"  # was all that was planned asked
    REPLIES = "replies"  # can they be used
    SERVED = "served"  # did one model answer all that is compared
    CONTROLS = "controls"
    MARGIN = "margin"  # does it hold if this text is a little easier than the controls
    DATES = "dates"  # may the model have trained on the controls, or cannot it on the target
    LEAK = "leak"  # can the original be found by its text alone
    PEOPLE = "people"  # do people find it too
    SLOT = "slot"  # does a preference for the original's slot explain the score
    WRITER = "writer"  # did the same hand write the variants of target and controls
    POWER = "power"
    FAMILY = "family"  # does it hold among all results of the study


class Mark(StrEnum):
    """The outcome of a check."""

    GOOD = "good"
    CAUTION = "caution"  # worth knowing; the verdict holds
    BAD = "bad"  # the verdict can only be inconclusive


@dataclass(frozen=True)
class Check:
    """One line of the checklist: its ``number`` in a few characters, and a whole ``sentence``.
    ``unchecked`` is what could not be checked, in a few words; empty if all was."""

    topic: Topic
    mark: Mark
    number: str
    sentence: str
    unchecked: str = ""


@dataclass(frozen=True)
class Case:
    """All inputs to the verdict on one model and one partition.

    ``calibration`` compares with controls, named by ``control_names`` in the order in which
    ``calibrate`` got them; ``mismatch`` is a sentence on why there is no fair comparison, empty if
    there is one. ``own`` compares with the same model's quiz without originals, for protocol v2.
    ``by_letters`` is the same comparison by letters where ``calibration`` is by the probability of
    the original. ``unusable`` and ``control_unusable`` are shares of the instances that lack an
    answer which the verdict rests on: in any slot, of a rotated quiz.
    ``text_only`` are the scores of the text-only strategies by name, None if the options are not
    available. ``chance`` is the share right by guessing, None if guessing has no fixed share
    (protocol v2, likelihood mode). ``checks`` are further checks, such as on slot, writer and
    completeness.
    """

    kappa: Kappa
    calibration: Calibration | None = None
    control_names: tuple[str, ...] = ()
    mismatch: str = ""
    own: Ablation | None = None
    unusable: float = 0.0
    control_unusable: float = 0.0
    text_only: Mapping[str, Kappa] | None = field(default_factory=dict)
    chance: float | None = 0.25
    checks: tuple[Check, ...] = ()
    by_letters: Calibration | None = None

    @property
    def p_value(self) -> float | None:
        """The deciding p-value: against the controls, else the model's own baseline, else chance;
        None if there is nothing to compare with."""
        if self.calibration is not None:
            p: float | None = self.calibration.p_value
        elif self.own is not None:
            p = self.own.p_value
        else:
            p = None if self.chance is None else self.kappa.p_value
        return None if p is None or math.isnan(p) else p
