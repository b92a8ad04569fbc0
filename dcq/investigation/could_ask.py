"""The methods that an answer still lacks, with their price for the target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dcq.asking.options import Terms
from dcq.errors import DcqError
from dcq.investigation import price
from dcq.judging.answer import Answer, CouldAsk
from dcq.quiz import modes
from dcq.quiz.choice import KINDS, QuizChoice
from dcq.records import QuizKind
from dcq.store import Store
from dcq.store.moment import at_one_moment
from dcq.store.studies import QUIZ


@at_one_moment
def priced(store: Store, answers: Iterable[Answer]) -> list[Answer]:
    """The answers, with calls and USD for the target of each method that could be asked; its
    controls come on top."""
    questions = price.Questions(store)
    return [
        replace(
            answer,
            could_ask=tuple(_price(store, questions, answer, each) for each in answer.could_ask),
        )
        for answer in answers
    ]


def _price(
    store: Store, questions: price.Questions, answer: Answer, candidate: CouldAsk
) -> CouldAsk:
    model, sample = answer.model, candidate.sample
    try:
        if candidate.method == QUIZ:
            by = modes.of(questions.endpoint(model).mode).method
            if by != QUIZ:
                why_not = f"{model} is scored; a quiz by letters takes a model that is asked."
                return replace(candidate, why_not=why_not)
            kind = QuizKind.STANDARD if candidate.kind not in KINDS else QuizKind(candidate.kind)
            choice = QuizChoice(sample, kind, ())
            needs = price.needs(store, choice, [model], Terms(), questions)
        else:
            questions.endpoint(model, candidate.method)
            place = (candidate.method, sample)
            questions.proposal(place)  # says why where the sample cannot be asked about
            needs = [price.of_method(store, place, model, questions)]
    except DcqError as error:
        return replace(candidate, why_not=str(error))
    costs = [need.usd for need in needs if need.usd is not None]
    return replace(
        candidate,
        calls=sum(need.calls for need in needs),
        usd=sum(costs) if len(costs) == len(needs) else None,
    )
