"""What a run will take, before a cent is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.models import prices
from dcq.models.endpoints import LIKELIHOOD
from dcq.quiz.prompts import Prompt, quiz_prompt
from dcq.records import Item
from dcq.runs import likelihood


@dataclass(frozen=True)
class Estimate:
    """Calls, tokens and USD of one run. ``tokens_out`` is the most that can come back;
    ``cost_usd`` is None where the model's price is not known."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def estimate(
    model: str, prompt: Prompt, dataset: str, split: str, items: Sequence[Item]
) -> Estimate:
    """Estimate asking ``items`` of ``model``; tokens are guessed from characters."""
    if model.startswith(LIKELIHOOD):
        sent = [text for item in items for text in item.options]
        prompt = likelihood.PROMPT
    else:
        sent = [quiz_prompt(prompt, dataset, split, item.options) for item in items]
    tokens_in = sum(map(prices.estimate_tokens, sent))
    tokens_out = len(items) * prompt.max_tokens
    return Estimate(len(items), tokens_in, tokens_out, prices.cost(model, tokens_in, tokens_out))
