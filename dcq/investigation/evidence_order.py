"""Which methods an investigation asks by default, in which order, with which weights, and when the
answer is clear enough to stop."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dcq import methods
from dcq.errors import DcqError
from dcq.investigation import price
from dcq.investigation.state import endpoint_for
from dcq.judging.answer import Answer
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.models.endpoints import Endpoint, model_itself
from dcq.quiz import modes
from dcq.quiz.choice import QuizChoice
from dcq.records import Mode
from dcq.store import Store, samples
from dcq.store.answer_plans import PlannedMethod
from dcq.store.investigations import Investigation
from dcq.store.studies import LIKELIHOOD, QUIZ

_FREE = 1e-6  # USD a call, so that what is free goes by its calls


def usable(
    store: Store,
    sample_id: str,
    endpoint: Endpoint,
    *,
    surely: bool = True,
    among: Collection[str] = (),
) -> tuple[str, ...]:
    """The methods besides the quiz by which a model can be asked about a sample, the one with most
    evidence a dollar first. ``surely`` leaves out methods that only an attempt would show to work,
    ``among`` all but these, where there are some. A model whose options are scored (likelihood
    mode) is only scored."""
    names = []
    for method in methods.beside_the_quiz():
        if among and method.name not in among:
            continue
        if not modes.of(endpoint.mode).lettered and method.name != LIKELIHOOD:
            continue
        try:
            asked = endpoint_for(method.name, endpoint)
            if surely and not method.surely_asks(asked):
                continue
            method.propose(store, sample_id)
        except DcqError:
            continue
        names.append(method.name)
    return in_order(store, sample_id, endpoint.name, names)


def in_order(store: Store, sample_id: str, model: str, names: Sequence[str]) -> tuple[str, ...]:
    """The methods by their weight in an answer for each USD that they cost on the target, or for
    each call where they are free or the price is unknown. Quizzes come before all of them, because
    they have most weight and short replies."""

    def worth(name: str) -> float:
        try:
            need = price.of_method(store, (name, sample_id), model)
        except DcqError:  # said where it is asked
            return 0.0
        return methods.named(name).weight / ((need.usd or 0.0) + _FREE * (1 + need.calls))

    return tuple(sorted(names, key=worth, reverse=True)) if len(names) > 1 else tuple(names)


def weights(choice: QuizChoice, mode: Mode) -> list[PlannedMethod]:
    """The methods of a choice with their weights in the answer: its own, or those that they
    declare, scaled to a sum of 1. Of its own, a method that the model cannot be asked by keeps its
    weight. A model that is asked by likelihood takes the quiz as a method of that name."""
    quiz = (modes.of(mode).method, choice.kind.value)
    if choice.weights:
        return [
            PlannedMethod(*(quiz if name == QUIZ else (name, "")), weight)
            for name, weight in choice.weights
        ]
    pairs = [quiz]
    pairs += [(name, "") for name in choice.methods]
    shares = [methods.named(name).weight for name, _ in pairs]
    return [
        PlannedMethod(name, kind, share / sum(shares))
        for (name, kind), share in zip(pairs, shares, strict=True)
        if share
    ]


def answer_of(store: Store, record: Investigation) -> Answer | None:
    """The answer on the sample of an investigation so far; None while it has no result."""
    partition, model = samples.partition_of(store, record.sample).id, model_itself(record.model)
    found = answers(store, model=model, partition=partition, sample=record.sample)
    return next(iter(found), None)


def is_clear(answer: Answer | None) -> bool:
    """Whether the ruling no longer depends on what is still to be asked: a method that was not
    asked already counts as p = 1, so stopping early costs no error."""
    return answer is not None and answer.plan is not None and answer.ruling is Ruling.CONTAMINATED
