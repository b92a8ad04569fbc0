"""What a run has cost: one figure if its endpoint reported all usage, and two bounds if not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from dcq.asking.budget import LEAST_USD, price_of
from dcq.models.usage import LONGEST_TOKEN
from dcq.store.run_progress import Progress
from dcq.words import usd_words


@dataclass(frozen=True)
class Cost:
    """USD. ``most`` counts against budgets; it is above ``least`` if calls failed without a reply
    or their replies reported no usage."""

    least: float
    most: float

    @classmethod
    def of(cls, run: Progress) -> Self | None:
        """What a run has cost so far; None where its price is not known."""
        price = price_of(run)
        if price is None:
            return None
        # Where nothing is reported, the bytes of prompts are counted as tokens, one each.
        fewest = run.reported_in + run.unreported_in / LONGEST_TOKEN
        return cls(
            least=price.cost(fewest, run.reported_out),
            most=price.cost(run.tokens_in, run.tokens_out) + run.lost_usd,
        )

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


def bound(run: Progress) -> str:
    """What to say before the token counts of a run: nothing where they were reported."""
    return "" if run.tokens_in == run.reported_in else "at most "


def _small(usd: float) -> str:
    return f"${usd:.2f}" if usd >= 0.01 or not usd else f"${usd:.2g}"
