"""From a quiz and a model to a planned run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import dcq
from dcq.errors import InputError
from dcq.models import prices
from dcq.models.endpoints import Endpoint
from dcq.quiz import prompts
from dcq.quiz.prompts import Prompt
from dcq.records import Item, Kind, Mode
from dcq.runs import likelihood
from dcq.store import Store, quizzes, runs
from dcq.store.quizzes import StoredQuiz

DEFAULT_CONCURRENCY = 16
MOST_IN_FLIGHT = 1024
MOST_CALLS = 1_000_000_000


@dataclass(frozen=True)
class Terms:
    """What a person allows a run; None where nothing is said. ``limit``: the questions of so many
    instances, from the first on; ``budget_usd`` and ``max_calls``: what all its calls may come to,
    retries included; ``concurrency``: calls in flight; ``sequential``: planned looks at which it
    may end early, ``stop_for_futility`` also where there is nothing to find. Raises InputError for
    terms under which nothing can be asked."""

    limit: int | None = None
    budget_usd: float | None = None
    max_calls: int | None = None
    concurrency: int | None = None
    sequential: bool = False
    stop_for_futility: bool = False

    def __post_init__(self) -> None:
        in_flight, budget = self.concurrency, self.budget_usd
        if in_flight is not None and in_flight < 1:
            raise InputError(f"A concurrency of {in_flight} asks nothing; give at least 1.")
        if in_flight is not None and in_flight > MOST_IN_FLIGHT:
            raise InputError(
                f"A concurrency of {in_flight:,} is too much; give {MOST_IN_FLIGHT:,} at most."
            )
        if budget is not None and not (math.isfinite(budget) and budget > 0):
            raise InputError(f"A budget of {budget:g} USD cannot be kept; give more than 0.")
        if self.max_calls is not None and not 1 <= self.max_calls <= MOST_CALLS:
            raise InputError(
                f"A cap of {self.max_calls:,} calls cannot be kept; give 1 to {MOST_CALLS:,}."
            )
        if self.stop_for_futility and not self.sequential:
            raise InputError("Only a run with planned looks can stop for futility: --sequential.")
        if self.sequential and self.limit is not None:
            raise InputError("Looks are planned over the whole quiz; leave --limit out.")


NO_TERMS = Terms()


def prompt_of(quiz: StoredQuiz, mode: Mode = Mode.LETTER) -> Prompt:
    """The prompt that this quiz is asked with."""
    if mode is Mode.LIKELIHOOD:
        if quiz.kind in {Kind.BDQ, Kind.BCQ}:
            raise InputError(
                f"A {quiz.kind} quiz offers none of its options as an answer, which has no "
                "likelihood; take a standard or a rotated quiz."
            )
        return likelihood.PROMPT
    try:
        return prompts.QUIZ_PROMPTS[quiz.prompt]
    except KeyError:
        raise InputError(
            f"Quiz {quiz.id} uses the prompt {quiz.prompt}, which this release of dcq does not "
            "have; update dcq to run it."
        ) from None


def first_of(items: Sequence[Item], limit: int | None) -> Sequence[Item]:
    """The questions of the first ``limit`` instances (all of them if None), never part of one."""
    if limit is None:
        return items
    if limit < 1:
        raise InputError(f"A limit of {limit} asks nothing; give at least 1.")
    wanted = set(list(dict.fromkeys(item.instance_id for item in items))[:limit])
    return [item for item in items if item.instance_id in wanted]


def check(quiz: StoredQuiz, endpoint: Endpoint, terms: Terms) -> None:
    """Raise InputError if this model cannot take this quiz on these terms."""
    prompt_of(quiz, endpoint.mode)
    first_of(quiz.items, terms.limit)
    if terms.budget_usd is not None and prices.find_price(endpoint.name) is None:
        raise InputError(
            f"The price of {endpoint.name} is not known, so a budget cannot be kept; "
            "add it to your own prices (DCQ_PRICES) or leave the budget out."
        )


def plan_run(
    store: Store,
    quiz_id: str,
    endpoint: Endpoint,
    terms: Terms = NO_TERMS,
    *,
    price_share: float = 1.0,
) -> str:
    """Keep a new run of a quiz, nothing asked yet; returns its id. ``price_share`` is what is paid
    of the list price."""
    quiz = quizzes.load(store, quiz_id)
    check(quiz, endpoint, terms)
    prompt = prompt_of(quiz, endpoint.mode)
    price = prices.find_price(endpoint.name)
    return runs.create(
        store,
        runs.Plan(
            quiz_id=quiz.id,
            model=endpoint.name,
            base_url=endpoint.base_url,
            prompt=prompt.id,
            wording=prompt.wording,
            temperature=prompt.temperature,
            max_tokens=prompt.max_tokens,
            items=len(first_of(quiz.items, terms.limit)),
            concurrency=terms.concurrency or endpoint.concurrency or DEFAULT_CONCURRENCY,
            budget_usd=terms.budget_usd,
            price_in=price.tokens_in * price_share if price else None,
            price_out=price.tokens_out * price_share if price else None,
            price_date=price.as_of if price else None,
            version=dcq.__version__,
            mode=endpoint.mode,
            max_calls=terms.max_calls,
        ),
    )


def amend(store: Store, run_id: str, terms: Terms) -> None:
    """Fit a run that is resumed to what is asked now: all questions unless limited, never fewer
    than were planned; what else was allowed stays as it was unless given."""
    plan = runs.load(store, run_id).plan
    items = len(first_of(quizzes.load(store, plan.quiz_id).items, terms.limit))
    runs.replan(
        store,
        run_id,
        items=max(items, plan.items),
        budget_usd=terms.budget_usd or plan.budget_usd,
        max_calls=terms.max_calls or plan.max_calls,
        concurrency=terms.concurrency or plan.concurrency,
    )
