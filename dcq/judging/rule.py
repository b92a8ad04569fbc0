"""The rule for conclusions: what the results on a model and a partition say together.

``docs/method.md`` (The answer) has a table of all cases. Whoever changes what the same results give
raises ``dcq.store.studies.RULE``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from dcq.evidence.check import Mark, Topic
from dcq.evidence.power import ALPHA
from dcq.judging import weights
from dcq.judging.answer import MethodAnswer
from dcq.judging.judged import JudgedResult, Ruling, Verdict
from dcq.records import PartitionRole
from dcq.store.studies import FIRST_RULE, RULE


def rule(
    results: Sequence[MethodAnswer],
    q: float | None,
    *,
    survives_refusals: bool,
    by_rule: int = RULE,
) -> Ruling:
    """The ruling on a pair from its results and its q-value. ``survives_refusals``: it holds with
    what was refused counted as wrong. ``by_rule`` is as ``dcq.store.studies.Study.rule``: by the
    present one a high figure leaves the pair undecided even where it does not count, and no method
    that found nothing in what the model has surely seen can say "no evidence"."""
    if q is not None and q <= ALPHA:
        return Ruling.CONTAMINATED if survives_refusals else Ruling.INCONCLUSIVE
    if by_rule == FIRST_RULE:
        voting = [method for method in results if method.votes]
        is_open = any(method.is_high for method in voting)
        earned = any(method.verdict is Ruling.NO_EVIDENCE for method in voting)
    else:
        is_open = any(method.is_high for method in results)
        earned = any(method.says_no_evidence for method in results)
    return Ruling.NO_EVIDENCE if earned and not is_open else Ruling.INCONCLUSIVE


def found_nothing(results: Iterable[JudgedResult]) -> dict[Hashable, str]:
    """The ways of asking a model that found nothing in what it has surely seen, each with the name
    of such a partition. A way that found one of several is not among them, unless a failed check
    explains what it found."""
    found: set[Hashable] = set()
    places: dict[Hashable, str] = {}
    for result in results:
        verdict, p = result.verdict, result.p_value
        if verdict is None or result.evidence.role != PartitionRole.POSITIVE:
            continue
        if p is not None and p <= ALPHA and not failed_checks(verdict):
            found.add(way_of_asking(result))
        elif verdict.ruling is Ruling.NO_EVIDENCE:
            places.setdefault(way_of_asking(result), result.evidence.place)
    return {way: place for way, place in places.items() if way not in found}


def way_of_asking(result: JudgedResult) -> Hashable:
    """A value that is equal for results by one method and kind of quiz of one model."""
    return result.evidence.method, result.evidence.model, weights.kind_of_quiz(result)


def failed_checks(verdict: Verdict) -> list[Topic]:
    """The topics of the checks that keep a result from counting. That it does not hold among all
    results is none of them, because an answer is corrected over pairs."""
    return [
        check.topic
        for check in verdict.checks
        if check.mark is Mark.BAD and check.topic is not Topic.FAMILY
    ]
