"""Cases for the judge, given by their figures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dcq.evidence.ablation import Ablation
from dcq.evidence.check import Check, CheckWords, Mark, Topic
from dcq.evidence.controls import Calibration
from dcq.evidence.kappa import Kappa
from dcq.evidence.record import FOUND, Evidence, MethodEstimate
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.verdict import judge
from dcq.quiz import wording


class CheckLine(NamedTuple):
    """A check as people read it."""

    topic: Topic
    mark: Mark
    number: str
    sentence: str
    unchecked: str = ""


def line_of(check: Check) -> CheckLine:
    return CheckLine(check.topic, check.mark, *check.words)


def said(number: str, sentence: str, unchecked: str = "") -> CheckWords:
    """Words of a check that is only read."""
    return CheckWords(number, sentence, unchecked)


def made_up(
    topic: Topic, mark: Mark, number: str = "1", sentence: str = "A further line."
) -> Check:
    return Check(topic, mark, said, {"number": number, "sentence": sentence})


def evidence(kappa: Kappa | None = None, **given: Any) -> Evidence:
    """A quiz with this κ; ``given`` are other fields."""
    found = kappa or Kappa(0, 0, None, None, None, None, None)
    known: dict[str, Any] = {
        "method": "quiz",
        "run": "r",
        "model": "m",
        "partition": "p/test",
        "place": "P",
        "role": "target",
        "words": wording.WORDS,
        "usable": found.n,
        "planned": found.n,
        "estimate": MethodEstimate(
            found.kappa_fixed,
            found.kappa_low,
            found.kappa_high,
            "kappa",
            found.score,
            found.p_value,
        ),
    }
    return Evidence(**(known | given))


@dataclass(frozen=True)
class ResultWithControls:
    """A result beside its controls: ``calibration`` compares them by what was found."""

    kappa: Kappa
    calibration: Calibration | None = None
    control_names: tuple[str, ...] = ("A", "B", "C", "D")
    mismatch: str = ""
    own: Ablation | None = None
    unusable: float = 0.0
    control_unusable: float = 0.0
    text_only: Mapping[str, Kappa] | None = field(default_factory=dict)
    chance: float | None = 0.25
    checks: tuple[Check, ...] = ()
    by_letters: Calibration | None = None
    family_key: Hashable = None

    @property
    def case(self) -> JudgedResult:
        unfair = None
        if self.mismatch:
            unfair = made_up(Topic.CONTROLS, Mark.BAD, "none", self.mismatch)
        mine = evidence(
            self.kappa,
            ablation=self.own,
            unusable=self.unusable,
            text_only=self.text_only,
            chance=self.chance,
            checks=self.checks,
            family_key=self.family_key,
        )
        controls = tuple(
            evidence(place=name, role="control", planned=100, unusable=self.control_unusable)
            for name in self.control_names
        )
        found = () if self.calibration is None else ((FOUND, self.calibration),)
        return JudgedResult(mine, controls, found, by_letters=self.by_letters, unfair=unfair)


def verdicts(
    given: Sequence[ResultWithControls], in_family: Sequence[bool] | None = None, **options: Any
) -> tuple[Verdict, ...]:
    return judge([one.case for one in given], in_family, **options)


def figures(verdict: Verdict) -> tuple[object, ...]:
    """All that two verdicts can differ in."""
    numbers = (verdict.p_value, verdict.q_value, verdict.p_holm)
    return verdict.ruling, numbers, verdict.reasons
