"""What a run will take, before a cent is spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dcq.models import prices


@dataclass(frozen=True)
class Estimate:
    """Calls, tokens and USD of one run. ``tokens_out`` is the most that can come back;
    ``cost_usd`` is None where the model's price is not known."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def estimate(model: str, texts: Iterable[str], max_tokens: int) -> Estimate:
    """Estimate asking ``texts`` of ``model``, each with a reply of ``max_tokens`` at most; their
    tokens are guessed from characters."""
    counts = [prices.estimate_tokens(text) for text in texts]
    tokens_in, tokens_out = sum(counts), len(counts) * max_tokens
    return Estimate(len(counts), tokens_in, tokens_out, prices.cost(model, tokens_in, tokens_out))
