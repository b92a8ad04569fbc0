"""The verdict, with its checklist: contaminated, no evidence, or inconclusive."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.check import Check, Mark, Topic, is_bad
from dcq.evidence.family import benjamini_hochberg, holm, q_among
from dcq.evidence.power import ALPHA
from dcq.judging import checks, wording
from dcq.judging.judged import JudgedResult, Ruling, Verdict

if TYPE_CHECKING:
    from dcq.models.cutoffs import Cutoff


def judge(
    results: Sequence[JudgedResult],
    in_family: Sequence[bool] | None = None,
    *,
    study_of: Callable[[str], str] | None = None,
    cutoffs: Mapping[str, Cutoff] | None = None,
    alpha: float = ALPHA,
) -> tuple[Verdict, ...]:
    """One verdict for each of the ``results``, whatever their methods.

    A bad check makes a verdict inconclusive. Without one, ``contaminated`` needs a q-value of at
    most ``alpha`` over the family (Benjamini–Hochberg), ``no evidence`` a sample that could have
    found κ = 0.2.

    The results that are ``in_family`` (by default all) form it, or one for each study that
    ``study_of`` names for a partition. Each of the others, such as a
    partition that was surely seen, is corrected as if it were one more member, replacing the
    members that have its ``family_key``. So it affects only its own verdict: known partitions,
    whose p-values are tiny, would loosen the threshold of the others. ``cutoffs`` are the ends of
    models' training data, by model.
    """
    inside = [True] * len(results) if in_family is None else list(in_family)
    drafts = [
        _draft(result, (cutoffs or {}).get(result.evidence.model), alpha) for result in results
    ]
    p_values = [
        result.p_value if result.stands and not is_bad(checks) else None
        for result, checks in zip(results, drafts, strict=True)
    ]
    family = Family(
        [result.evidence.family_key for result in results],
        p_values,
        inside,
        [study_of(result.evidence.partition) for result in results] if study_of else None,
    )
    return tuple(
        _conclude(result, draft, family.corrected(i), partial(family.q_with, i), alpha)
        for i, (result, draft) in enumerate(zip(results, drafts, strict=True))
    )


class Family:
    """The p-values that are corrected together: those of results with a comparison and no bad
    check. ``studies`` names the study of each result: each is a family of its own, and without
    names all are one."""

    def __init__(
        self,
        keys: Sequence[Hashable],
        p_values: Sequence[float | None],
        inside: Sequence[bool],
        studies: Sequence[str] | None = None,
    ) -> None:
        self.keys, self.p_values, self.inside = keys, p_values, inside
        self._studies = [""] * len(keys) if studies is None else studies
        family_p_values = [p if inside[i] else None for i, p in enumerate(p_values)]
        self._own = np.array(
            [np.nan if p is None else p for p in family_p_values], dtype=np.float64
        )
        self._members: dict[str, list[int]] = {}
        for i, name in enumerate(self._studies):
            self._members.setdefault(name, []).append(i)
        self._others_of: dict[int, NDArray[np.float64]] = {}
        self._corrected: dict[int, tuple[float | None, float | None]] = {}
        for members in self._members.values():
            chosen = [family_p_values[i] for i in members]
            values = zip(benjamini_hochberg(chosen), holm(chosen), strict=True)
            self._corrected |= dict(zip(members, values, strict=True))

    def corrected(self, i: int) -> tuple[float | None, float | None, int]:
        """q, Holm's p and the size of the family of result ``i``."""
        p = self.p_values[i]
        if p is None or self.inside[i]:
            size = int((~np.isnan(self._own[self._members[self._studies[i]]])).sum())
            return *self._corrected[i], size
        joined = [*self._others(i), p]
        return benjamini_hochberg(joined)[-1], holm(joined)[-1], len(joined)

    def q_with(self, i: int, p: float) -> float:
        """The q-value of result ``i`` if its p-value were ``p``."""
        return q_among(p, self._others(i))

    def _others(self, i: int) -> NDArray[np.float64]:
        """The p-values of the others that result ``i`` is corrected with."""
        if i not in self._others_of:
            others = [
                j
                for j in self._members[self._studies[i]]
                if j != i and (self.inside[i] or self.keys[j] != self.keys[i])
            ]
            p_values: NDArray[np.float64] = self._own[others]
            self._others_of[i] = p_values[~np.isnan(p_values)]
        return self._others_of[i]


def _draft(result: JudgedResult, cutoff: Cutoff | None, alpha: float) -> list[Check]:
    """The checks that do not depend on other results."""
    if not result.evidence.usable:
        return [Check(Topic.REPLIES, Mark.BAD, wording.no_answer)]
    p = result.p_value
    possible_checks = (
        *result.evidence.checks,
        *result.notes,
        checks.served(result),
        checks.prompts(result),
        checks.none_of_these(result),
        checks.writer(result),
        checks.kind_of_text(result),
        *checks.dates(result, cutoff),
        checks.replies(result, alpha),
        checks.controls(result, alpha),
        checks.leak(result, significant=p is not None and p <= alpha),
    )
    return [check for check in possible_checks if check is not None]


def _conclude(
    result: JudgedResult,
    draft: list[Check],
    corrected: tuple[float | None, float | None, int],
    q_if: Callable[[float], float],
    alpha: float,
) -> Verdict:
    p, (q, strict, family) = result.p_value, corrected
    all_checks, sound = list(draft), not is_bad(draft)
    if result.evidence.usable and p is not None:
        all_checks.append(checks.power(result, significant=p <= alpha))
    if q is not None and strict is not None and p is not None:
        all_checks.append(checks.family(p, q, strict, family, alpha))
    ruling = Ruling.NO_EVIDENCE
    if is_bad(all_checks) or p is None:
        ruling = Ruling.INCONCLUSIVE
    elif q is not None and q <= alpha:
        ruling = Ruling.CONTAMINATED
        survived = _withstands(result, q_if, alpha)
        all_checks += survived
        ruling = Ruling.INCONCLUSIVE if is_bad(survived) else ruling
    if result.evidence.usable and result.odd_control is not None:
        change = (
            _change_without(result.odd_control.control.p_without, ruling, q_if, alpha)
            if sound
            else ""
        )
        odd = checks.odd_control(result, change)
        all_checks += [odd] if odd is not None else []
    order = list(Topic)
    return Verdict(
        finding=result.finding,
        ruling=ruling,
        checks=tuple(sorted(all_checks, key=lambda check: order.index(check.topic))),
        p_value=p,
        q_value=q,
        p_holm=strict,
    )


def _withstands(result: JudgedResult, q_if: Callable[[float], float], alpha: float) -> list[Check]:
    """The checks of a result that is about to be called contaminated: does it hold among the others
    with what was refused counted as wrong, and if the text were easier than its controls?"""
    p_refused = result.against_controls(lambda calibration: calibration.p_refused)
    p_easier = result.against_controls(lambda calibration: calibration.p_easier)
    if p_refused is None or p_easier is None:
        return []
    further_checks = [checks.easier(p_easier, q_if(p_easier), alpha)]
    if (q_refused := q_if(p_refused)) > alpha:
        figures = {"p_refused": p_refused, "q_refused": q_refused}
        says = wording.refused_decide_among_others
        further_checks.append(Check(Topic.REPLIES, Mark.BAD, says, figures))
    return further_checks


def _change_without(
    p_without: float, ruling: Ruling, q_if: Callable[[float], float], alpha: float
) -> str:
    """What the verdict would be without a control, as the rest of a sentence; empty where it would
    be the same."""
    called = q_if(p_without) <= alpha
    if called == (ruling is Ruling.CONTAMINATED):
        return ""
    return "would be contaminated" if called else "would not be contaminated"
