"""The verdict, with its checklist: contaminated, no evidence, or inconclusive."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from dcq.evidence import alternatives, checklist
from dcq.evidence.case import Case, Check, Mark, Topic
from dcq.evidence.checklist import minimum_effect
from dcq.evidence.family import benjamini_hochberg, holm
from dcq.evidence.power import ALPHA
from dcq.words import p_words, percent


class Ruling(StrEnum):
    """The three possible verdicts."""

    CONTAMINATED = "contaminated"
    NO_EVIDENCE = "no evidence"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Verdict:
    """``finding`` is the comparison in one sentence; ``checks`` are in the order of the checklist.

    ``p_value`` is the one that decided. ``q_value`` (Benjamini–Hochberg) and ``p_holm`` are
    corrected over the family, None for a result that cannot be called contaminated whatever its
    p-value, and so is not a member. ``minimum_effect`` is the smallest κ that this n finds with a
    power of 80 % at the 5 % level, tested by itself; None if it finds none.
    """

    ruling: Ruling
    finding: str
    checks: tuple[Check, ...]
    p_value: float | None
    q_value: float | None
    p_holm: float | None
    minimum_effect: float | None

    @property
    def unchecked(self) -> str:
        """What could not be checked, as a sentence; empty if all was."""
        found = dict.fromkeys(check.unchecked for check in self.checks if check.unchecked)
        return f"Could not be checked: {'; '.join(found)}." if found else ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Whole sentences: the finding, what is bad, what calls for caution, and the rest."""
        order = (Mark.BAD, Mark.CAUTION, Mark.GOOD)
        ranked = sorted(self.checks, key=lambda check: order.index(check.mark))
        return (self.finding, *(check.sentence for check in ranked))


def judge(cases: Sequence[Case], *, alpha: float = ALPHA) -> tuple[Verdict, ...]:
    """One verdict for each of the ``cases``, all of one family.

    A bad check makes a verdict inconclusive. Without one, ``contaminated`` needs a q-value of at
    most ``alpha`` over the family (Benjamini–Hochberg), ``no evidence`` a sample that could have
    found κ = 0.2.
    """
    return judge_study(cases, [True] * len(cases), range(len(cases)), alpha=alpha)


def judge_study(
    cases: Sequence[Case],
    in_family: Sequence[bool],
    places: Sequence[Hashable],
    *,
    alpha: float = ALPHA,
) -> tuple[Verdict, ...]:
    """As ``judge``, but only the cases that are ``in_family`` form the family.

    Each of the others, such as a partition that was surely seen, is corrected as if it were one
    more member, replacing the members that have its value in ``places``. So it affects only its own
    verdict: known partitions, whose p-values are tiny, would loosen the threshold of the others.
    All three arguments have one entry per case.
    """
    drafts = [_draft(case, alpha) for case in cases]
    p_values = [
        case.p_value if case.calibration and not _is_bad(checks) else None
        for case, checks in zip(cases, drafts, strict=True)
    ]
    members = [
        (i, place, p)
        for i, (place, p, inside) in enumerate(zip(places, p_values, in_family, strict=True))
        if inside and p is not None
    ]

    def others(i: int) -> list[float]:
        """The p-values that that of case ``i`` is corrected with."""
        return [p for j, place, p in members if j != i and (in_family[i] or place != places[i])]

    family = [p if inside else None for p, inside in zip(p_values, in_family, strict=True)]
    corrected = [
        (q, strict, len(members))
        for q, strict in zip(benjamini_hochberg(family), holm(family), strict=True)
    ]
    for i, p in enumerate(p_values):
        if p is not None and not in_family[i]:
            joined = [*others(i), p]
            corrected[i] = benjamini_hochberg(joined)[-1], holm(joined)[-1], len(joined)
    return tuple(
        _conclude(case, checks, *numbers, alpha, partial(q_with, others, i))
        for i, (case, checks, numbers) in enumerate(zip(cases, drafts, corrected, strict=True))
    )


def q_with(others: Callable[[int], Sequence[float]], i: int, p: float) -> float:
    """The q-value of case ``i`` if its p-value were ``p``, among ``others`` of its family."""
    return benjamini_hochberg([*others(i), p])[-1] or 0.0


def _draft(case: Case, alpha: float) -> list[Check]:
    """The checks that do not depend on other results."""
    if case.kappa.n == 0:
        return [Check(Topic.REPLIES, Mark.BAD, "n = 0", "There is no usable answer.")]
    known = case.calibration
    p, p_refused = (known.p_value, known.p_refused) if known else (None, None)
    found = [
        *case.checks,
        checklist.replies(case, p, p_refused, alpha),
        checklist.controls(case, alpha),
    ]
    if case.text_only is None:
        found.append(checklist.unseen_options())
    elif case.text_only:
        significant = case.p_value is not None and case.p_value <= alpha
        found.append(checklist.leak(case.text_only, case.kappa.score, significant=significant))
    return found


def _conclude(
    case: Case,
    checks: list[Check],
    q: float | None,
    strict: float | None,
    family: int,
    alpha: float,
    q_if: Callable[[float], float],
) -> Verdict:
    p, minimum, known = case.p_value, minimum_effect(case), case.calibration
    significant = p is not None and p <= alpha
    sound = not _is_bad(checks)
    if case.kappa.n and p is not None:
        checks = [*checks, checklist.power(case, minimum, significant=significant)]
    if q is not None and strict is not None and p is not None:
        checks.append(checklist.family(p, q, strict, family, alpha))
    ruling = Ruling.NO_EVIDENCE
    if _is_bad(checks) or p is None:
        ruling = Ruling.INCONCLUSIVE
    elif q is not None and q <= alpha:
        ruling = Ruling.CONTAMINATED
    if ruling is Ruling.CONTAMINATED and known is not None:
        found = withstands(known.p_refused, known.p_easier, q_if, alpha)
        checks += found
        ruling = Ruling.INCONCLUSIVE if _is_bad(found) else ruling
    if known is not None and known.odd is not None and case.kappa.n:
        name = case.control_names[known.odd.place] if case.control_names else "one"
        change = change_without(known.odd.p_without, ruling, q_if, alpha) if sound else ""
        checks.append(alternatives.odd_control(name, known.odd, change))
    order = list(Topic)
    return Verdict(
        ruling=ruling,
        finding=_finding(case),
        checks=tuple(sorted(checks, key=lambda check: order.index(check.topic))),
        p_value=p,
        q_value=q,
        p_holm=strict,
        minimum_effect=minimum,
    )


def withstands(
    p_refused: float, p_easier: float, q_if: Callable[[float], float], alpha: float
) -> list[Check]:
    """The checks of a result that is about to be called contaminated: does it hold among the others
    with what was refused counted as wrong, and if the text were easier than its controls?
    ``q_if`` gives the q-value that it would have with another p."""
    found = [alternatives.easier(p_easier, q_if(p_easier), alpha)]
    if (q_refused := q_if(p_refused)) > alpha:
        found.append(alternatives.refused_among_others(p_refused, q_refused))
    return found


def change_without(
    p_without: float, ruling: Ruling, q_if: Callable[[float], float], alpha: float
) -> str:
    """What the verdict would be without a control, as the rest of a sentence; empty where it would
    be the same."""
    called = q_if(p_without) <= alpha
    if called == (ruling is Ruling.CONTAMINATED):
        return ""
    return "would be contaminated" if called else "would not be contaminated"


def _is_bad(checks: Sequence[Check]) -> bool:
    return any(check.mark is Mark.BAD for check in checks)


def _finding(case: Case) -> str:
    known, own = case.calibration, case.own
    if case.kappa.n == 0 or case.kappa.score is None:
        return "There is no usable answer."
    if known is not None and case.by_letters is not None:
        letters = case.by_letters
        return (
            f"The originals had {percent(known.score, 1)} of the options' probability, where "
            f"{percent(known.control_score, 1)} are expected on unseen text "
            f"({percent(known.control_low)} to {percent(known.control_high)}); by letters "
            f"{percent(letters.score, 1)} were found, where {percent(letters.control_score, 1)} "
            f"are expected ({p_words(letters.p_value)})."
        )
    if known is not None:
        return (
            f"{percent(known.score, 1)} of the originals were found, where "
            f"{percent(known.control_score, 1)} are expected on unseen text "
            f"({percent(known.control_low)} to {percent(known.control_high)})."
        )
    found = f"{percent(case.kappa.score, 1)} of the originals were found"
    if own is not None and own.modified_share is not None:
        return (
            f"{found}; without the original the model chose its slot in "
            f"{percent(own.modified_share, 1)} of the same instances."
        )
    if case.chance is None:
        return f"{found}, and there is nothing to compare that with."
    return f"{found}, where guessing finds {percent(case.chance)}."
