"""What a run has cost and what it will take: one figure where its endpoint reported all usage, else
two bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from dcq.asking.ledger import LEAST_USD, price_of
from dcq.models import prices
from dcq.models.price import Price
from dcq.models.usage import LONGEST_TOKEN
from dcq.store.run_progress import RunProgress
from dcq.words import usd_words


@dataclass(frozen=True)
class Cost:
    """USD. ``most`` counts against budgets; it is above ``least`` if calls failed without a reply
    or their replies reported no usage."""

    least: float
    most: float

    @classmethod
    def of(cls, run: RunProgress) -> Self | None:
        """What a run has cost so far; None where its price is unknown."""
        price = price_of(run)
        if price is None:
            return None
        # Where nothing is reported, the bytes of prompts are counted as tokens, one each.
        fewest = run.reported_in + run.unreported_in / LONGEST_TOKEN
        most = run.earlier_usd + price.cost(
            run.tokens_in - run.earlier_in, run.tokens_out - run.earlier_out
        )
        dearest = Price(
            max(price.tokens_in, run.dearest_in or 0.0),
            max(price.tokens_out, run.dearest_out or 0.0),
        )
        doubted = dearest.cost(run.tokens_in - fewest, run.tokens_out - run.reported_out)
        return cls(least=max(0.0, most - doubted), most=most + run.lost_usd)

    @property
    def exact(self) -> bool:
        """Whether all that was paid for is known."""
        return self.most - self.least <= LEAST_USD


def words(cost: Cost | None) -> str:
    """A cost in words; an unknown price is reported as unknown."""
    if cost is None or cost.exact:
        return usd_words(None if cost is None else cost.most)
    least, most = _small(cost.least), _small(cost.most)
    return usd_words(cost.most) if least == most else f"at least {least}, at most {most}"


def total_words(costs: Sequence[Cost | None]) -> str:
    """What several runs have cost together, at most; runs whose price is unknown are named."""
    known = [cost.most for cost in costs if cost is not None]
    total = "free of charge" if not sum(known) else usd_words(sum(known))
    if len(known) == len(costs):
        return total
    unknown = f"{len(costs) - len(known):,} of {len(costs):,} runs at an unknown price"
    return unknown if not sum(known) else f"{total}, and {unknown}"


def bound(run: RunProgress) -> str:
    """The words to put before a run's token counts; empty where the endpoint reported them
    exactly."""
    return "" if run.tokens_in == run.reported_in else "at most "


def _small(usd: float) -> str:
    return f"${usd:.2f}" if usd >= 0.01 or not usd else f"${usd:.2g}"


@dataclass(frozen=True)
class CostEstimate:
    """Calls, tokens and USD of one run. ``tokens_out`` is the most that can come back;
    ``cost_usd`` is None where the model's price is not known."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def estimate(model: str, texts: Iterable[str], max_tokens: int) -> CostEstimate:
    """Estimate asking ``texts`` of ``model``, each with a reply of ``max_tokens`` at most; their
    tokens are guessed from characters."""
    return estimate_counted(model, [prices.estimate_tokens(text) for text in texts], max_tokens)


def estimate_counted(model: str, counts: Sequence[int], max_tokens: int) -> CostEstimate:
    """As ``estimate``, of texts whose tokens are counted already."""
    tokens_in, tokens_out = sum(counts), len(counts) * max_tokens
    return CostEstimate(
        len(counts), tokens_in, tokens_out, prices.cost(model, tokens_in, tokens_out)
    )
