"""What calls can cost at most, and how many a run can still make."""

from __future__ import annotations

from collections.abc import Iterable

from dcq.store.runs import Plan, Spent


def cost_usd(plan: Plan, tokens_in: int, tokens_out: int) -> float:
    """USD for so many tokens at the plan's prices; 0 where they are not known."""
    if plan.price_in is None or plan.price_out is None:
        return 0.0
    return (tokens_in * plan.price_in + tokens_out * plan.price_out) / 1e6


def worst_cost_usd(plan: Plan, prompt: str, max_tokens: int) -> float:
    """The most that a call can cost whose reply has at most ``max_tokens``."""
    # A token is at least one byte of UTF-8.
    return cost_usd(plan, len(prompt.encode("utf-8", "surrogatepass")), max_tokens)


def count_affordable(plan: Plan, spent: Spent, prompts: Iterable[str], max_tokens: int) -> int:
    """How many of ``prompts``, from the first on, fit into what is left of the plan's budget and
    calls; all of them where there is neither."""
    waiting = list(prompts)
    if plan.max_calls is not None:
        waiting = waiting[: max(0, plan.max_calls - spent.calls)]
    if plan.budget_usd is None:
        return len(waiting)
    left = plan.budget_usd - cost_usd(plan, spent.tokens_in, spent.tokens_out)
    for count, prompt in enumerate(waiting):
        left -= worst_cost_usd(plan, prompt, max_tokens)
        if left < 0:
            return count
    return len(waiting)


def explain_budget(budget_usd: float, lost_usd: float) -> str:
    """Why no call is made, as a sentence; ``lost_usd``: what is kept for calls
    whose process was killed."""
    lost = f", {lost_usd:.2g} of it kept for calls whose process was killed" * (lost_usd > 1e-6)
    return f"The next call could pass the budget of {budget_usd:g} USD{lost}; raise it and resume."


def explain_stop(plan: Plan, spent: Spent) -> str:
    """Why no more is asked, as a sentence without its full stop; nothing where more may be."""
    if plan.max_calls is not None and spent.calls >= plan.max_calls:
        return f"the {plan.max_calls:,} calls that the run may make are made; allow more and resume"
    if plan.budget_usd is None:
        return ""
    return f"what is left could pass the budget of {plan.budget_usd:g} USD; raise it and resume"
