"""How likely a model finds a text: scores instead of answers.

**What is scored is the option's text alone**, after the model's beginning-of-text token if it has
one: no question, no letter, no other option beside it. A benchmark that was trained on shows as its
exact wording being likelier than rewordings of it. A question around the text would bring back what
this mode leaves behind: a preference for a slot or letter, and the ability to follow instructions.

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
    """The sum of a text's token log-probabilities (natural logarithm), and of how many tokens.
    ``used`` and ``calls`` are what an endpoint took to tell it; nothing in this process.
    ``served_model`` is what the endpoint says scored it."""

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
    """``settings`` tells how the scores come about, to be stored with each."""

    @property
    def settings(self) -> Mapping[str, object]: ...  # noqa: D102  (told by the class)

    async def score(self, texts: Sequence[str]) -> list[Likelihood]:
        """One score a text, in order.

        Raises ``RequestRejectedError`` for a text that cannot be scored, ``EndpointRefusedError``
        where none can, ``EndpointBusyError`` in passing trouble.
        """
        ...
