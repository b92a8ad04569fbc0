"""The sentences of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dcq.evidence.power import ALPHA
from dcq.judging.verdict import Ruling
from dcq.version import __version__
from dcq.words import counted, listed, model_title, p_words, percent

if TYPE_CHECKING:
    from dcq.judging.answer import Answer, CouldAsk, MethodAnswer
    from dcq.store.answer_plans import AnswerPlan

NOTHING_TO_COMPARE = "There is nothing to compare it with."
_LEAST_SAID = 0.005  # a smaller share is rounded to 0 %
_SMALL = "what was asked could not have found an effect of the usual size"
NEVER_VOTES = "It has no model or no null hypothesis, so it is shown and never votes."


def not_planned(plan: AnswerPlan | None) -> str:
    """Why a result without a weight does not vote."""
    if plan is None:
        return "The method has no weight."
    return f"It is not among what was fixed on {plan.made_at:%d %b %Y} before asking."


def sentence(answer: Answer) -> str:
    """The answer as it can be read aloud."""
    names = listed(list(dict.fromkeys(one.name for one in answer.voting)))
    where, model = answer.place, model_title(answer.model)
    if answer.ruling is Ruling.CONTAMINATED:
        carry = min(answer.voting, key=lambda one: (one.p_value or 0.0) / one.weight)
        seen = _seen(carry)
        return (
            f"{model} has seen {where}: it {seen} ({names}; {p_words(answer.q_value or 0.0, 'q')})."
        )
    if answer.ruling is Ruling.NO_EVIDENCE:
        return (
            f"There is no evidence that {model} has seen {where} ({names}; "
            f"{p_words(answer.p_value or 0.0)})."
        )
    return f"Whether {model} has seen {where} cannot be said yet{_why_open(answer)}."


def _why_open(answer: Answer) -> str:
    if not answer.voting:
        small = any(one.only_small for one in answer.methods)
        return f": {_SMALL}" if small else ": no method gave a result that counts"
    if answer.q_value is not None and answer.q_value <= ALPHA:
        return ": it depends on how refused replies are counted"
    alone = [one.name for one in answer.voting if (one.p_value or 0.0) <= ALPHA]
    if alone:
        return f": the {listed(alone)} would say so alone, all methods and pairs together do not"
    return f": {_SMALL}"


def basis(
    spoken: Sequence[MethodAnswer], could_ask: Sequence[CouldAsk], plan: AnswerPlan | None
) -> str:
    """Which methods an answer rests on, and when their weights were fixed."""
    parts = [f"{one.name} {percent(one.weight)}" for one in spoken if not one.aside]
    open_ = [f"{one.title.lower()} {percent(one.weight)} (not asked)" for one in could_ask]
    rest = 1 - sum(one.weight for one in (*spoken, *could_ask))
    others = [f"others {percent(rest)}"] if rest > _LEAST_SAID else []
    shares = listed([*parts, *open_, *others])
    if plan is not None:
        when = f"{plan.made_at:%d %b %Y, %H:%M} UTC"
        return f"Weights, fixed on {when} before the first reply: {shares}."
    return (
        f"Weights, by default as nothing was fixed before the first reply (dcq {__version__}): "
        f"{shares}."
    )


def apart(spoken: Sequence[MethodAnswer]) -> str:
    """A sentence if methods contradict each other; empty if they do not."""
    seen = [one for one in spoken if one.votes and (one.p_value or 0.0) <= ALPHA]
    unseen = [one for one in spoken if one.votes and one.verdict is Ruling.NO_EVIDENCE]
    if not seen or not unseen:
        return ""
    does = [_seen(one) for one in seen]
    does_not = [one.judged.evidence.words.unseen for one in unseen if one.judged]
    said = listed(list(dict.fromkeys([*does, *does_not])))
    return f"The methods point apart: it {said}."


def reasons(answer: Answer, family: int, *, survives: bool) -> tuple[str, ...]:
    """The reasons as whole sentences: what decided, what the answer rests on, and what would change
    it."""
    found = [answer.basis]
    if answer.q_value is not None and answer.p_value is not None:
        found.insert(
            0,
            f"All methods together: {p_words(answer.p_value)}, {p_words(answer.q_value, 'q')} "
            f"among {counted(family, 'pair')} of a model and a partition.",
        )
    if answer.q_value is not None and answer.q_value <= ALPHA and not survives:
        found.append("With what was refused counted as wrong, it would not be called.")
    found += [answer.apart] if answer.apart else []
    found += [
        f"The {one.name} does not vote: {one.why_not}"
        for one in answer.methods
        if one.why_not and not one.aside
    ]
    return (*found, *answer.would_change)


def rests_on(needed: Sequence[MethodAnswer], *, fragile: bool) -> list[str]:
    """On which results a call depends, as sentences."""
    found = []
    if needed:
        names = listed([f"the {one.name}" for one in needed])
        found.append(f"Without {names} it would not be called.")
    if fragile:
        found.append(
            "If its originals were five points easier to tell than those of its controls, it would "
            "not be called."
        )
    return found


def would_be_called(could_ask: Sequence[CouldAsk], largest: float) -> list[str]:
    """What a method that was not asked would have to find to change the ruling."""
    return [
        f"It would be called if {one.title.lower()}, not asked yet, came to p ≤ "
        f"{one.weight * largest:.2g}."
        for one in could_ask
    ]


def results_to_fix(spoken: Sequence[MethodAnswer]) -> list[str]:
    """Which results would count if their failed checks were fixed."""
    names = [f"the {one.name}" for one in spoken if one.why_not and not one.aside]
    return [f"It may change once {listed(names)} can vote."] if names else []


def _seen(one: MethodAnswer) -> str:
    return one.judged.evidence.words.seen if one.judged else "looks seen"
