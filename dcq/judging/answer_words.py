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
    names = listed(list(dict.fromkeys(method.name for method in answer.voting)))
    where, model = answer.place, model_title(answer.model)
    if answer.ruling is Ruling.CONTAMINATED:
        carry = min(answer.voting, key=lambda method: (method.p_value or 0.0) / method.weight)
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
        small = any(method.only_small for method in answer.methods)
        return f": {_SMALL}" if small else ": no method gave a result that counts"
    if answer.q_value is not None and answer.q_value <= ALPHA:
        return ": it depends on how refused replies are counted"
    alone = [method.name for method in answer.voting if (method.p_value or 0.0) <= ALPHA]
    if alone:
        return f": the {listed(alone)} would say so alone, all methods and pairs together do not"
    return f": {_SMALL}"


def basis(
    spoken: Sequence[MethodAnswer], could_ask: Sequence[CouldAsk], plan: AnswerPlan | None
) -> str:
    """Which methods an answer rests on, and when their weights were fixed."""
    parts = [f"{method.name} {percent(method.weight)}" for method in spoken if not method.aside]
    open_ = [f"{method.title.lower()} {percent(method.weight)} (not asked)" for method in could_ask]
    rest = 1 - sum(method.weight for method in spoken) - sum(method.weight for method in could_ask)
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
    seen = [method for method in spoken if method.votes and (method.p_value or 0.0) <= ALPHA]
    unseen = [method for method in spoken if method.votes and method.verdict is Ruling.NO_EVIDENCE]
    if not seen or not unseen:
        return ""
    does = [_seen(method) for method in seen]
    does_not = [method.judged.evidence.words.unseen for method in unseen if method.judged]
    text = listed(list(dict.fromkeys([*does, *does_not])))
    return f"The methods point apart: it {text}."


def reasons(answer: Answer, family: int, *, survives: bool) -> tuple[str, ...]:
    """The reasons as whole sentences: what decided, what the answer rests on, and what would change
    it."""
    sentences = [answer.basis]
    if answer.q_value is not None and answer.p_value is not None:
        sentences.insert(
            0,
            f"All methods together: {p_words(answer.p_value)}, {p_words(answer.q_value, 'q')} "
            f"among {counted(family, 'pair')} of a model and a partition.",
        )
    if answer.q_value is not None and answer.q_value <= ALPHA and not survives:
        sentences.append("With what was refused counted as wrong, it would not be called.")
    sentences += [answer.apart] if answer.apart else []
    sentences += [
        f"The {method.name} does not vote: {method.why_not}"
        for method in answer.methods
        if method.why_not and not method.aside
    ]
    return (*sentences, *answer.would_change)


def rests_on(needed: Sequence[MethodAnswer], *, fragile: bool) -> list[str]:
    """On which results a call depends, as sentences."""
    sentences = []
    if needed:
        names = listed([f"the {method.name}" for method in needed])
        sentences.append(f"Without {names} it would not be called.")
    if fragile:
        sentences.append(
            "If its originals were five points easier to tell than those of its controls, it would "
            "not be called."
        )
    return sentences


def would_be_called(could_ask: Sequence[CouldAsk], largest: float) -> list[str]:
    """What a method that was not asked would have to find to change the ruling."""
    return [
        f"It would be called if {method.title.lower()}, not asked yet, came to p ≤ "
        f"{method.weight * largest:.2g}."
        for method in could_ask
    ]


def results_to_fix(spoken: Sequence[MethodAnswer]) -> list[str]:
    """Which results would count if their failed checks were fixed."""
    names = [f"the {method.name}" for method in spoken if method.why_not and not method.aside]
    return [f"It may change once {listed(names)} can vote."] if names else []


def _seen(method: MethodAnswer) -> str:
    return method.judged.evidence.words.seen if method.judged else "looks seen"
