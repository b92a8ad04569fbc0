"""How likely a model finds a text: scores instead of answers.

**Only the text itself is scored**, after the model's beginning-of-text token if it has one, and
after a context where one is given: no question, no letter, no other option. If a model was trained
on a benchmark, its exact wording is likelier than rewordings of it. A question around the text
would bring back what this mode avoids: a preference for a slot or letter, and the ability to follow
instructions.

The total falls with every token, so longer wordings lose; per token they do not. A model without a
beginning-of-text token cannot score the first token of a text that stands alone, which is then left
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dcq.models.usage import NOTHING, Usage


@dataclass(frozen=True)
class ScoredText:
    """A ``text`` that is scored after a ``context``, which is not."""

    text: str
    context: str = ""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The text's own tokens under a model: ``logprobs``, natural logarithms, shape (tokens,).

    ``means`` and ``spreads``, of the same shape, are the mean of log p over the vocabulary, weighed
    by the model's own probabilities at that token, and its standard deviation; None where the
    vocabulary is not known whole. ``pieces`` are the tokens as text, () where they are not known.
    ``used`` and ``calls`` are the usage of an endpoint; zero for a model in this process.
    ``served_model`` is the model that the endpoint reports."""

    logprobs: NDArray[np.float64]
    means: NDArray[np.float64] | None = None
    spreads: NDArray[np.float64] | None = None
    pieces: tuple[str, ...] = ()
    used: Usage = field(default=NOTHING)
    calls: int = 1
    served_model: str | None = None

    @property
    def total(self) -> float:
        """The sum over the tokens."""
        return float(self.logprobs.sum())

    @property
    def tokens(self) -> int:
        """How many there are."""
        return len(self.logprobs)

    @property
    def per_token(self) -> float:
        """The mean log-probability of a token; at most 0."""
        return self.total / self.tokens


class Scorer(Protocol):
    """``settings`` describes how the scores are computed, to be stored with each."""

    @property
    def settings(self) -> Mapping[str, object]: ...  # noqa: D102  (told by the class)

    async def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """One score per text, in order.

        Raises ``RequestRejectedError`` for a text that cannot be scored, ``EndpointRefusedError``
        if none can, ``EndpointBusyError`` for temporary errors.
        """
        ...
