"""What a run has cost: one figure if its endpoint reported all usage, and two bounds if not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from dcq.asking.budget import LEAST_USD
from dcq.models.usage import LONGEST_TOKEN
from dcq.words import usd_words


@dataclass(frozen=True)
class Cost:
    """USD. ``most`` counts against budgets; it is above ``least`` if calls failed without a reply
    or their replies reported no usage."""

    least: float
    most: float

    @classmethod
    def of(cls, progress: Mapping[Any, Any]) -> Self | None:
        """The cost of a row of ``run_progress.progress``; None where the price is not known."""
        price_in, price_out = progress["price_in"], progress["price_out"]
        if pd.isna(price_in) or pd.isna(price_out):
            return None

        def usd(tokens_in: float, tokens_out: float) -> float:
            return float(tokens_in * price_in + tokens_out * price_out) / 1e6

        # Where nothing is reported, the bytes of prompts are counted as tokens, one each.
        fewest = progress["reported_in"] + progress["unreported_in"] / LONGEST_TOKEN
        return cls(
            least=usd(fewest, progress["reported_out"]),
            most=usd(progress["tokens_in"], progress["tokens_out"]) + float(progress["lost_usd"]),
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


def bound(progress: Mapping[Any, Any]) -> str:
    """The words before the token counts of a row of ``run_progress.progress``: none if all tokens
    were reported."""
    return "" if progress["tokens_in"] == progress["reported_in"] else "at most "


def _small(usd: float) -> str:
    return f"${usd:.2f}" if usd >= 0.01 or not usd else f"${usd:.2g}"
