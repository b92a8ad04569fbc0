"""How likely a model finds a text: scores instead of answers.

**Only the text is scored**, after the model's beginning-of-text token if it has one, and after a
``context`` where a caller gives one, whose tokens are read and never scored. A quiz gives none: no
question, no letter, no other option. If a model was trained on a benchmark, its exact wording is
likelier than rewordings of it. A question around the text would bring back what this mode avoids:
a preference for a slot or letter, and the ability to follow instructions.

The total falls with every token, so longer wordings lose; per token (the default choice) they do
not. Where nothing stands before a text, neither a context nor a beginning-of-text token, its first
token cannot be scored and is left out.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dcq.errors import RequestRejectedError
from dcq.models.usage import NOTHING, Usage

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ScoredText:
    """A text to be scored, after a ``context`` if there is one."""

    text: str
    context: str = ""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Log-probabilities (natural logarithm) of a text's tokens, each given what is before it.

    ``logprobs`` are those of the text's own tokens, never of the context. ``means`` and ``spreads``
    are, at each token's place, mean and standard deviation of log p under the model's own
    distribution p over the whole vocabulary (μ and σ of Min-K%++, Zhang et al. 2024); None where
    the distribution is not known whole, as from an endpoint. ``pieces`` are the tokens as text,
    which joined are nearly the text; empty where they are not known.

    ``used`` and ``calls`` are the usage of an endpoint; nothing for a model on this machine.
    ``served_model`` is the model that the endpoint reports.
    """

    logprobs: Numbers
    means: Numbers | None = None
    spreads: Numbers | None = None
    pieces: tuple[str, ...] = ()
    used: Usage = NOTHING
    calls: int = 1
    served_model: str | None = None

    @property
    def total(self) -> float:
        """The sum of the log-probabilities."""
        return math.fsum(self.logprobs)

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
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


def check_letters(text: ScoredText) -> None:
    """Raise ``RequestRejectedError`` for a text that is not valid Unicode, such as half of an
    emoji, which no tokenizer takes."""
    try:
        f"{text.context}{text.text}".encode()
    except UnicodeEncodeError:
        raise RequestRejectedError(
            "The text has a broken character that cannot be scored; fix or leave out this instance."
        ) from None


def check_length(tokens: int, scored: int, most: int) -> None:
    """Raise ``RequestRejectedError`` if a text with its context has ``tokens`` of which none is
    ``scored``, or more than the ``most`` that the model reads."""
    if scored < 1:
        raise RequestRejectedError("The text is too short to be scored; leave this instance out.")
    if tokens > most:
        raise RequestRejectedError(
            f"The text and what stands before it take {tokens} tokens and the model reads {most};"
            " leave this instance out or choose a model with a larger context."
        )


def write_pieces(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Tokens as text. A character whose bytes lie in several tokens belongs to the last of them."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces = [decoder.decode(token) for token in tokens]
    if pieces:
        pieces[-1] += decoder.decode(b"", final=True)
    return tuple(pieces)
