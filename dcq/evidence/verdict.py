"""What may be said in the end, with reasons in words: contaminated, no evidence, inconclusive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from dcq.evidence.controls import MANY, Calibration
from dcq.evidence.holm import holm
from dcq.evidence.kappa import Kappa
from dcq.evidence.leak import leaks
from dcq.evidence.power import ALPHA, POWER, detectable_kappa

ENOUGH_VALID = 0.8  # share of the instances asked that must have a usable answer
ENOUGH_POWER = 0.2  # a sample that cannot find this κ cannot speak for "no evidence"


class Ruling(StrEnum):
    """The three things a verdict can be."""

    CONTAMINATED = "contaminated"
    NO_EVIDENCE = "no evidence"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Case:
    """All that bears on one model and one partition.

    ``asked`` is how many instances were asked, so that unusable answers count; None means that all
    had one. ``text_only`` are the scores of the text-only strategies by name. ``rotated`` tells
    whether the original stood in every slot. ``doubts`` are sentences on why the comparison is not
    like with like; any of them keeps the verdict from ``contaminated``.
    """

    kappa: Kappa
    calibration: Calibration | None = None
    asked: int | None = None
    text_only: Mapping[str, Kappa] = field(default_factory=dict)
    rotated: bool = False
    doubts: tuple[str, ...] = ()
    chance: float = 0.25

    @property
    def p_value(self) -> float | None:
        """The p-value that decides: against the controls where there are any, else chance."""
        return self.calibration.p_value if self.calibration else self.kappa.p_value


@dataclass(frozen=True)
class Verdict:
    """``reasons`` are whole sentences, the decisive one first. ``p_adjusted`` is Holm's p-value in
    the family judged together. ``minimum_effect`` is the smallest κ (κ_control with controls) that
    this n finds with a power of 80 % at the 5 % level; None where it finds none."""

    ruling: Ruling
    reasons: tuple[str, ...]
    p_adjusted: float | None
    minimum_effect: float | None


def judge(cases: Sequence[Case], *, alpha: float = ALPHA) -> tuple[Verdict, ...]:
    """One verdict for each of the ``cases``, which are shown together and so are one family.

    ``contaminated`` needs controls and a quiz that text alone does not solve: a score above chance
    has other causes than memory. ``no evidence`` needs a sample that could have found κ = 0.2.
    """
    adjusted = holm([case.p_value for case in cases])
    return tuple(
        _judge(case, p, len(cases), alpha) for case, p in zip(cases, adjusted, strict=True)
    )


def _judge(case: Case, p: float | None, family: int, alpha: float) -> Verdict:
    minimum = (
        case.calibration.minimum_kappa
        if case.calibration
        else detectable_kappa(case.kappa.n, chance=case.chance)
    )
    solved = leaks(case.text_only)
    ruling, reasons = _rule(case, p, minimum, solved, alpha)
    reasons += _cautions(case, solved, family)
    if p is not None:
        reasons.append(_reach(case.kappa.n, minimum))
    return Verdict(ruling, tuple(reasons), p, minimum)


def _rule(
    case: Case, p: float | None, minimum: float | None, solved: Sequence[str], alpha: float
) -> tuple[Ruling, list[str]]:
    n, asked = case.kappa.n, case.asked if case.asked is not None else case.kappa.n
    if p is None or n == 0:
        return Ruling.INCONCLUSIVE, ["There is no usable answer to judge."]
    if n < ENOUGH_VALID * asked:
        return Ruling.INCONCLUSIVE, [
            f"Only {n} of {asked} instances have a usable answer, under the "
            f"{_share(ENOUGH_VALID)} needed: those left need not stand for the rest."
        ]
    compared = _comparison(case, p)
    if p <= alpha:
        # Without fair controls, or with a quiz that is solved by its text, other causes remain.
        safe = case.calibration is not None and not solved and not case.doubts
        return Ruling.CONTAMINATED if safe else Ruling.INCONCLUSIVE, [compared]
    if case.p_value is not None and case.p_value <= alpha:
        return Ruling.INCONCLUSIVE, [
            compared,
            "Alone it would be significant; among the results shown together it is not.",
        ]
    if case.calibration is None and case.kappa.kappa_high is not None and case.kappa.kappa_high < 0:
        return Ruling.INCONCLUSIVE, [
            "The score is clearly below chance: the model avoids the original's slot or wording, "
            "which hides what it may know, so use a rotated quiz or add a control partition."
        ]
    if minimum is None or minimum > ENOUGH_POWER:
        return Ruling.INCONCLUSIVE, [
            compared,
            "The sample is too small for that to speak against contamination.",
        ]
    return Ruling.NO_EVIDENCE, [compared]


def _comparison(case: Case, p: float) -> str:
    score = case.kappa.score or 0.0
    found = f"{_share(score, 1)} of the originals were found"
    if case.calibration is None:
        return f"{found}, where guessing finds {_share(case.chance)} ({_p(p)})."
    known = case.calibration
    number = "the control partition" if known.controls == 1 else f"{known.controls} controls"
    score_there = _share(known.control_score, 1)
    return f"{found}, against {score_there} on {number} ({_p(p)}, {known.method})."


def _cautions(case: Case, solved: Sequence[str], family: int) -> list[str]:
    found = list(case.doubts)
    if solved:
        scores = ", ".join(f"{name} {_share(case.text_only[name].score or 0.0)}" for name in solved)
        found.append(
            f"The quiz is leaky: its text alone gives originals away, without memory ({scores})."
        )
    if case.calibration is None:
        found.append(
            "Without a control partition, memory cannot be told from a liking for the original's "
            "wording: add one."
        )
        if not case.rotated:
            found.append(
                "The original stood in one slot throughout, so the score mixes memory with how "
                "much the model likes that slot."
            )
    elif case.calibration.controls < MANY:
        found.append(
            "With fewer than three controls, how much unseen partitions differ among themselves "
            "is unknown and left out of the p-value."
        )
    if family > 1:
        found.append(f"The p-value is corrected for {family} results shown together (Holm).")
    return found


def _reach(n: int, minimum: float | None) -> str:
    if minimum is None:
        return f"With n = {n} no effect could be found with a power of {_share(POWER)}."
    return (
        f"With n = {n} a κ of {minimum:.2f} or more is found with a power of {_share(POWER)}, "
        "tested alone."
    )


def _share(share: float, decimals: int = 0) -> str:
    return f"{100 * share:.{decimals}f} %"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
