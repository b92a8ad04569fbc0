"""How many questions a run can still ask, whatever their answers cost."""

from __future__ import annotations

from collections.abc import Iterable

from dcq.store.runs import Plan, Spent


def count_affordable(plan: Plan, spent: Spent, prompts: Iterable[str], max_tokens: int) -> int:
    """How many of ``prompts``, from the first on, fit into what is left of the plan's budget and
    calls; all of them where there is neither. ``max_tokens`` is the longest reply that one may
    bring."""
    waiting = list(prompts)
    if plan.max_calls is not None:
        waiting = waiting[: max(0, plan.max_calls - spent.calls)]
    prices = plan.price_in, plan.price_out
    if plan.budget_usd is None or prices[0] is None or prices[1] is None:
        return len(waiting)
    left = plan.budget_usd * 1e6 - spent.tokens_in * prices[0] - spent.tokens_out * prices[1]
    count = 0
    for prompt in waiting:
        # A token is at least one byte of UTF-8, so no call can cost more than this.
        size = len(prompt.encode("utf-8", "surrogatepass"))
        left -= size * prices[0] + max_tokens * prices[1]
        if left < 0:
            break
        count += 1
    return count


def explain_stop(plan: Plan, spent: Spent) -> str:
    """Why no more is asked, as a sentence without its full stop."""
    if plan.max_calls is not None and spent.calls >= plan.max_calls:
        return f"the {plan.max_calls:,} calls that the run may make are made; allow more and resume"
    return f"what is left could pass the budget of {plan.budget_usd:g} USD; raise it and resume"
