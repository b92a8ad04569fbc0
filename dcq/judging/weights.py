"""The weight of each method in an answer, and the order of asking that it follows from.

The weights of a pair are those of a plan that was kept before its first reply, or the default ones.
Either way they are fixed before what they belong to is asked, or a method could be chosen by its
p-value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime

from dcq import methods
from dcq.evidence.record import Evidence
from dcq.judging.answer import Pair
from dcq.judging.judged import JudgedResult
from dcq.judging.study import JudgedStudy
from dcq.models.endpoints import model_itself
from dcq.records import Outcome
from dcq.store.answer_plans import AnswerPlan


def asked_in_order(study: JudgedStudy) -> dict[Pair, list[Evidence]]:
    """The evidence of each pair in the order of asking, also what a later run has replaced: its
    replies were known when anything further was chosen. A run that got no reply told nothing, so it
    comes after all others."""
    asked: dict[Pair, list[Evidence]] = defaultdict(list)
    every = [result.evidence for result in study.results.values()]
    for evidence in sorted(every, key=_order):
        asked[evidence.model, evidence.partition].append(evidence)
    return dict(asked)


def _order(evidence: Evidence) -> tuple[bool, bool, datetime, str]:
    """One's own before others', whose times are as they say."""
    return bool(evidence.sender), not _replied(evidence), evidence.first_reply, evidence.run


def _replied(evidence: Evidence) -> bool:
    return evidence.usable > 0 or any(
        count for outcome, count in evidence.outcomes.items() if outcome != Outcome.ERROR
    )


def plans_in_time(
    plans: Iterable[AnswerPlan], asked: Mapping[Pair, Sequence[Evidence]]
) -> dict[Pair, AnswerPlan]:
    """Of each pair the newest plan that was made before its first reply."""
    plans_by_pair: dict[Pair, AnswerPlan] = {}
    for plan in sorted(plans, key=lambda entry: entry.made_at):
        pair = model_itself(plan.model), plan.partition
        if pair in asked and plan.made_at <= asked[pair][0].first_reply:
            plans_by_pair[pair] = plan
    return plans_by_pair


def weigh(
    results: Sequence[JudgedResult], asked: Sequence[Evidence], plan: AnswerPlan | None
) -> list[float]:
    """The weight of each result of a pair: that of its method, under a plan that of its method and
    kind of quiz. Of several results, such as slots of a quiz, the one that was asked first has all
    of it: whoever chose the others knew its replies, and would have a second chance otherwise.
    ``asked`` is the evidence of the pair in the order of asking."""
    keys = [weight_key(entry, plan) for entry in results]
    weight_of = shares(asked[0].method, plan)
    order = [evidence.family_key for evidence in asked]
    places = [order.index(entry.evidence.family_key) for entry in results]
    first: dict[Hashable, int] = {}
    for key, place in zip(keys, places, strict=True):
        first[key] = min(place, first.get(key, place))
    return [
        weight_of.get(key, 0.0) if place == first[key] else 0.0
        for key, place in zip(keys, places, strict=True)
    ]


def shares(first: str, plan: AnswerPlan | None) -> dict[Hashable, float]:
    """The weights by ``weight_key``; ``first`` is the method that was asked first."""
    if plan is None:
        return dict(default_shares(first).items())
    return {(entry.method, entry.kind): entry.weight for entry in plan.methods}


def default_shares(first: str) -> dict[str, float]:
    """The weights of methods where none were fixed before asking: half of the error belongs to the
    method that was asked ``first``, because that was chosen before any reply, and half to all
    methods by their own weights. So a method that is asked later takes no weight from an earlier
    one."""
    shares = {method.name: method.weight / 2 for method in methods.METHODS if method.judged}
    return shares | {first: shares.get(first, 0.0) + 0.5}


def weight_key(result: JudgedResult, plan: AnswerPlan | None) -> Hashable:
    """What weights belong to: the method, and in plans also the kind of quiz."""
    method = result.evidence.method
    return method if plan is None else (method, kind_of_quiz(result))


def kind_of_quiz(result: JudgedResult) -> str:
    """The kind of quiz, empty where there is none."""
    return dict(result.evidence.setting).get("kind", "")
