"""The price of a model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Price:
    """USD per million tokens, with the date and the source."""

    tokens_in: float
    tokens_out: float
    as_of: date | None = None
    source: str = ""

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """USD for so many tokens, which need not be whole numbers."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000
