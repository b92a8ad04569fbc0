"""The verdict on a replication: contaminated, no evidence, or inconclusive.

The paper's two rules are shown beside it and decide nothing: they compare with no unseen text, and
a model that writes fluently meets them on texts it cannot have seen, the more so the more instances
there are. Here both of their measures, the gain by guidance and the rate of matches, are compared
with the same model's on unseen partitions by the rule of ``dcq.evidence.controls``. Of the two
p-values the smaller one decides, doubled because there were two. Matches are counted, with a prior
of their own on how much unseen partitions differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence import alternatives, checklist
from dcq.evidence.case import Case, Check, Mark, Topic
from dcq.evidence.controls import Calibration, OddControl, calibrate
from dcq.evidence.family import benjamini_hochberg, holm
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.power import ALPHA
from dcq.evidence.replication.guidance import Guidance, compare_instructions
from dcq.evidence.replication.matches import FalseAlarms, Matches, count_matches, false_alarms
from dcq.evidence.share_prediction import MATCHES
from dcq.evidence.verdict import Ruling, Verdict, change_without, q_with, withstands
from dcq.words import percent


@dataclass(frozen=True, eq=False)
class Replicated:
    """What one model made of one partition; all arrays have shape (n,), NaN where there is nothing.

    ``general`` and ``guided`` are overlap scores; ``exact`` and ``near_exact`` are 1 or 0, never
    both 1. ``unusable`` is the share of the instances that lack a completion or a judgement.
    """

    name: str
    general: NDArray[np.float64]
    guided: NDArray[np.float64]
    exact: NDArray[np.float64]
    near_exact: NDArray[np.float64]
    unusable: float = 0.0

    def __post_init__(self) -> None:
        if (
            len({len(part) for part in (self.general, self.guided, self.exact, self.near_exact)})
            > 1
        ):
            raise InputError(
                f"The scores and matches of {self.name} differ in number; give one of each an "
                "instance."
            )

    @property
    def gain(self) -> NDArray[np.float64]:
        """Guided minus general, (n, 1)."""
        return (self.guided - self.general)[:, None]

    @property
    def least_gain(self) -> NDArray[np.float64]:
        """``gain`` with what is missing counted against memory, (n, 1): a guided completion that is
        not there overlaps with nothing, and where only the general one is missing there is none."""
        guided, general = np.nan_to_num(self.guided), np.nan_to_num(self.general)
        known = np.where(np.isnan(self.general), 0.0, guided - general)
        return np.asarray(known[:, None])

    @property
    def match(self) -> NDArray[np.float64]:
        """1 for an exact or near-exact match, (n, 1)."""
        return (self.exact + self.near_exact)[:, None]

    @cached_property
    def guidance(self) -> Guidance:
        """Algorithm 1."""
        return compare_instructions(self.general, self.guided)

    @cached_property
    def matches(self) -> Matches:
        """Algorithm 2."""
        judged = ~np.isnan(self.exact + self.near_exact)
        return count_matches(
            int(judged.sum()), int(self.exact[judged].sum()), int(self.near_exact[judged].sum())
        )


@dataclass(frozen=True)
class Finding:
    """One target against its controls, before it is corrected over a family.

    ``gain`` and ``rate`` compare guided minus general and the rate of matches with the controls',
    None where there is nothing to compare. ``p_value`` is the deciding one, and ``p_refused`` and
    ``p_easier`` are the same with what is missing counted against memory, and if unseen text of
    this kind scored .05 more than the controls; ``odd`` is the control that disagrees most with the
    others: its name, its figures with the deciding p-value without it, and in which measure;
    ``is_member`` says
    whether the target can be called contaminated at all, and so belongs to the family.
    ``alarms_1`` and ``alarms_2`` are what the paper's rules say of the controls.
    """

    guidance: Guidance
    matches: Matches
    gain: Calibration | None
    rate: Calibration | None
    p_value: float | None
    p_refused: float | None
    p_easier: float | None
    odd: tuple[str, OddControl, str] | None
    checks: tuple[Check, ...]
    alarms_1: FalseAlarms
    alarms_2: FalseAlarms

    @property
    def is_member(self) -> bool:
        """False where a bad check already makes the verdict inconclusive."""
        return self.p_value is not None and all(check.mark is not Mark.BAD for check in self.checks)


def examine(target: Replicated, controls: Sequence[Replicated], *, alpha: float = ALPHA) -> Finding:
    """Compare a ``target`` with partitions that the same model cannot have seen, completed under
    the same prompts and judged by the same judge."""
    gain = calibrate(
        target.gain,
        [one.gain for one in controls],
        own_share=0.0,
        refused_as_wrong=target.least_gain,
    )
    rate = calibrate(target.match, [one.match for one in controls], prior=MATCHES)
    compared = [found for found in (gain, rate) if found is not None]
    p = _smallest([found.p_value for found in compared])
    p_refused = _smallest([found.p_refused for found in compared])
    case = _as_case(target, controls, gain, rate)
    checks: list[Check] = []
    if not (target.guidance.n or target.matches.n):
        checks.append(Check(Topic.REPLIES, Mark.BAD, "n = 0", "There is no usable completion."))
    else:
        checks += [checklist.replies(case, p, p_refused, alpha), _controls(case, alpha)]
    if p is not None and case.calibration is not None:
        minimum = checklist.minimum_effect(case)
        checks.append(checklist.power(case, minimum, significant=p <= alpha, effect="an effect"))
    return Finding(
        guidance=target.guidance,
        matches=target.matches,
        gain=gain,
        rate=rate,
        p_value=p,
        p_refused=p_refused,
        p_easier=_smallest([found.p_easier for found in compared]),
        odd=_odd(gain, rate, controls),
        checks=tuple(checks),
        alarms_1=false_alarms([one.guidance.contaminated for one in controls]),
        alarms_2=false_alarms([one.matches.contaminated for one in controls]),
    )


def _smallest(p_values: Sequence[float]) -> float | None:
    """The smaller of the p-values of both measures, times their number; None of none."""
    if not p_values or any(math.isnan(p) for p in p_values):
        return None
    return min(1.0, len(p_values) * min(p_values))


def _odd(
    gain: Calibration | None, rate: Calibration | None, controls: Sequence[Replicated]
) -> tuple[str, OddControl, str] | None:
    """The control that disagrees most with the others in the deciding measure, and the deciding
    p-value without it."""
    compared = [found for found in (gain, rate) if found is not None]
    deciding = min(compared, key=lambda found: found.p_value, default=None)
    if deciding is None or deciding.odd is None:
        return None
    rest = [found.p_value for found in compared if found is not deciding]
    p = _smallest([deciding.odd.p_without, *rest])
    if p is None:
        return None
    measure = " in its rate of matches" if deciding is rate else " in what naming the dataset adds"
    return controls[deciding.odd.place].name, replace(deciding.odd, p_without=p), measure


def conclude(
    found: Finding,
    q: float | None,
    strict: float | None,
    family: int,
    q_if: Callable[[float], float],
    *,
    alpha: float = ALPHA,
) -> Verdict:
    """The verdict of a ``found`` target, given its q-value and Holm's p-value in a ``family`` of so
    many results, None for both where it is no member, and the q-value that it would have with
    another p."""
    checks = list(found.checks)
    if q is not None and strict is not None and found.p_value is not None:
        checks.append(checklist.family(found.p_value, q, strict, family, alpha))
    ruling = Ruling.NO_EVIDENCE
    if not found.is_member or q is None:
        ruling = Ruling.INCONCLUSIVE
    elif q <= alpha:
        ruling = Ruling.CONTAMINATED
    elif any(check.mark is Mark.BAD for check in checks):
        ruling = Ruling.INCONCLUSIVE  # significant alone, but not among so many
    if ruling is Ruling.CONTAMINATED and found.p_refused is not None and found.p_easier is not None:
        more = withstands(found.p_refused, found.p_easier, q_if, alpha)
        checks += more
        if any(check.mark is Mark.BAD for check in more):
            ruling = Ruling.INCONCLUSIVE
    if found.odd is not None:
        name, odd, measure = found.odd
        bad = {check.topic for check in checks if check.mark is Mark.BAD}
        sound = not bad - {Topic.POWER, Topic.FAMILY}
        change = change_without(odd.p_without, ruling, q_if, alpha) if sound else ""
        checks.append(alternatives.odd_control(name, odd, change, measure))
    deciding = found.rate or found.gain
    return Verdict(
        ruling=ruling,
        finding=sentence(found),
        checks=tuple(checks),
        p_value=found.p_value,
        q_value=q,
        p_holm=strict,
        minimum_effect=deciding.minimum_kappa if deciding else None,
    )


def rule(found: Sequence[Finding], *, alpha: float = ALPHA) -> tuple[Verdict, ...]:
    """One verdict for each finding, all of one family (Benjamini–Hochberg)."""
    p_values = [one.p_value if one.is_member else None for one in found]
    size = sum(p is not None for p in p_values)

    def others(i: int) -> list[float]:
        return [p for j, p in enumerate(p_values) if j != i and p is not None]

    return tuple(
        conclude(one, q, strict, size, partial(q_with, others, i), alpha=alpha)
        for i, (one, q, strict) in enumerate(
            zip(found, benjamini_hochberg(p_values), holm(p_values), strict=True)
        )
    )


def _as_case(
    target: Replicated,
    controls: Sequence[Replicated],
    gain: Calibration | None,
    rate: Calibration | None,
) -> Case:
    """What the checks of a quiz's verdict ask about, where they hold for a replication too. The
    rate of matches has no share that guessing reaches."""
    matches = target.matches
    return Case(
        kappa=kappa_fixed(matches.exact + matches.near_exact, matches.n),
        calibration=rate or gain,
        control_names=tuple(one.name for one in controls),
        unusable=target.unusable,
        control_unusable=max((one.unusable for one in controls), default=0.0),
        chance=None,
    )


def _controls(case: Case, alpha: float) -> Check:
    if case.calibration is not None:
        return checklist.controls(case, alpha)
    return Check(
        Topic.CONTROLS,
        Mark.BAD,
        "none",
        "There is no control partition, so memory cannot be distinguished from fluent guessing.",
        checklist.UNSEEN,
    )


def sentence(found: Finding) -> str:
    """The comparison in a sentence or two."""
    parts = []
    if found.matches.rate is not None:
        words = (
            f"{percent(found.matches.rate, 1)} of the instances were completed exactly or nearly"
        )
        if found.rate is not None:
            words += (
                f", where {percent(found.rate.control_score, 1)} are expected on unseen text "
                f"({percent(found.rate.control_low)} to {percent(found.rate.control_high)})"
            )
        parts.append(f"{words}.")
    if found.guidance.difference is not None:
        words = (
            "Naming the dataset changed the overlap by "
            f"{100 * found.guidance.difference:+.1f} points".replace("-", "−")
        )
        if found.gain is not None:
            expected = f"{100 * found.gain.control_score:+.1f}".replace("-", "−")
            words += f", where {expected} are expected on unseen text"
        parts.append(f"{words}.")
    return " ".join(parts) or "There is no usable completion."
