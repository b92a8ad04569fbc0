"""What calls can cost at most, and the sentences for a budget that is used up."""

from __future__ import annotations

from typing import Protocol

from dcq.models.price import Price
from dcq.models.usage import most
from dcq.store.runs import Plan, Spent

LEAST_USD = 1e-6  # less is the rounding of a ledger's file


class Priced(Protocol):
    """A run as its plan or its progress tells of it: USD per million tokens, None if unknown."""

    @property
    def price_in(self) -> float | None:
        """For what is sent."""

    @property
    def price_out(self) -> float | None:
        """For what comes back."""


def price_of(run: Priced) -> Price | None:
    """The price that a run was planned at; None where it is not known."""
    if run.price_in is None or run.price_out is None:
        return None
    return Price(run.price_in, run.price_out)


def cost_usd(plan: Plan, tokens_in: int, tokens_out: int) -> float:
    """USD for so many tokens at the plan's prices; 0 where they are not known."""
    price = price_of(plan)
    return 0.0 if price is None else price.cost(tokens_in, tokens_out)


def worst_cost_usd(plan: Plan, prompt: str, max_tokens: int) -> float:
    """The most that a call can cost whose reply has at most ``max_tokens``."""
    bound = most(prompt, max_tokens)
    return cost_usd(plan, bound.tokens_in, bound.tokens_out)


def spent_usd(plan: Plan, spent: Spent) -> float:
    """What a run's calls have cost at most, those that left no answer included."""
    return cost_usd(plan, spent.tokens_in, spent.tokens_out) + spent.lost_usd


def explain_budget(budget_usd: float, lost_usd: float) -> str:
    """Why no call is made, as a sentence; ``lost_usd``: what is kept for calls that left no
    answer."""
    lost = f", {lost_usd:.2g} of it kept for calls that left no answer" * (lost_usd > LEAST_USD)
    return f"The next call could pass the budget of {budget_usd:g} USD{lost}; raise it and resume."


def explain_rest(budget_usd: float, lost_usd: float) -> str:
    """As ``explain_budget``, of all that is left to be sent by batch; ``lost_usd`` has as well what
    direct calls cost beyond the price of a batch."""
    lost = f", {lost_usd:.2g} of it for calls without an answer or at the full price"
    return (
        f"What is left could pass the budget of {budget_usd:g} USD{lost * (lost_usd > LEAST_USD)};"
        " raise it and resume."
    )
