"""How likely a model finds a text: scores instead of answers.

**Only the option's text is scored**, after the model's beginning-of-text token if it has one: no
question, no letter, no other option. If a model was trained on a benchmark, its exact wording is
likelier than rewordings of it. A question around the text would bring back what this mode avoids:
a preference for a slot or letter, and the ability to follow instructions.

The total falls with every token, so longer wordings lose; per token (the default choice) they do
not. A model without a beginning-of-text token cannot score a text's first token, which is then left
out of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dcq.models.usage import NOTHING, Usage


@dataclass(frozen=True)
class Likelihood:
    """The sum of a text's token log-probabilities (natural logarithm), and the number of tokens.
    ``used`` and ``calls`` are the usage of an endpoint; zero for a model in this process.
    ``served_model`` is the model that the endpoint reports."""

    total: float
    tokens: int
    used: Usage = field(default=NOTHING, compare=False)
    calls: int = field(default=1, compare=False)
    served_model: str | None = field(default=None, compare=False)

    @property
    def per_token(self) -> float:
        """The mean log-probability of a token; at most 0."""
        return self.total / self.tokens


class Scorer(Protocol):
    """``settings`` describes how the scores are computed, to be stored with each."""

    @property
    def settings(self) -> Mapping[str, object]: ...  # noqa: D102  (told by the class)

    async def score(self, texts: Sequence[str]) -> list[Likelihood]:
        """One score per text, in order.

        Raises ``RequestRejectedError`` for a text that cannot be scored, ``EndpointRefusedError``
        if none can, ``EndpointBusyError`` for temporary errors.
        """
        ...
