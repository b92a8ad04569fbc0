"""How many questions a budget can bear whatever their answers cost."""

from __future__ import annotations

from collections.abc import Iterable

from dcq.store.runs import Plan


def count_affordable(
    plan: Plan, spent: tuple[int, int], prompts: Iterable[str], max_tokens: int
) -> int:
    """How many of ``prompts``, from the first on, fit into what is left of the plan's budget after
    ``spent`` tokens in and out; all of them where there is no budget. ``max_tokens`` is the longest
    reply that one may bring."""
    prices = plan.price_in, plan.price_out
    if plan.budget_usd is None or prices[0] is None or prices[1] is None:
        return len(list(prompts))
    left = plan.budget_usd * 1e6 - spent[0] * prices[0] - spent[1] * prices[1]
    count = 0
    for prompt in prompts:
        # A token is at least one byte of UTF-8, so no call can cost more than this.
        size = len(prompt.encode("utf-8", "surrogatepass"))
        left -= size * prices[0] + max_tokens * prices[1]
        if left < 0:
            break
        count += 1
    return count
