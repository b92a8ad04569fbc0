"""How many tokens a call took: what the endpoint reports where that can be true, and otherwise the
most that it can have been.

A budget is only as good as this count. An endpoint that reports no usage, or too little, would have
everything asked at no cost; a reply that was lost on its way was paid for all the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dcq.errors import EndpointError

# No tokenizer puts more bytes than this into a token on average over a text; English has 4 to 5.
LONGEST_TOKEN = 32


@dataclass(frozen=True)
class Usage:
    """Tokens in and out. ``reported`` is False where the counts are, or include, the most that
    calls can have taken and not what an endpoint reports."""

    tokens_in: int = 0
    tokens_out: int = 0
    reported: bool = True

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.reported and other.reported,
        )


NOTHING = Usage()


def most(prompt: str, limit: int) -> Usage:
    """The most that a call with this prompt can take, whose reply has at most ``limit`` tokens."""
    # A token is at least one byte of UTF-8.
    return Usage(_bytes(prompt), limit, reported=False)


def believe(
    told_in: int | None, told_out: int | None, *, prompt: str, limit: int, text: str | None
) -> Usage:
    """What a call took by the endpoint's word (None: no usable word), each count by itself; where
    that is missing, or fewer tokens than any tokenizer makes of the texts, the most it can be."""
    bound = most(prompt, limit)
    in_is_true = told_in is not None and told_in >= _fewest(prompt)
    out_is_true = told_out is not None and told_out >= _fewest(text or "")
    return Usage(
        told_in if told_in is not None and in_is_true else bound.tokens_in,
        told_out if told_out is not None and out_is_true else bound.tokens_out,
        reported=in_is_true and out_is_true,
    )


def _fewest(text: str) -> int:
    return math.ceil(_bytes(text) / LONGEST_TOKEN)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


class Meter:
    """What one prompt has taken so far, over all its calls."""

    def __init__(self, prompt: str) -> None:
        self.calls = 0
        self.taken = NOTHING
        self._prompt = prompt
        self._announced = NOTHING

    def announce(self, limit: int) -> Usage:
        """What the next call, of at most ``limit`` tokens back, can take beyond what has been
        announced: for the first call all of it, for another one after a call that cost nothing,
        nothing."""
        need = self.taken + most(self._prompt, limit)
        more = Usage(
            max(0, need.tokens_in - self._announced.tokens_in),
            max(0, need.tokens_out - self._announced.tokens_out),
            reported=False,
        )
        self._announced += more
        return more

    def lose(self, limit: int) -> None:
        """The reply to the last call was lost: it can have taken all it was allowed."""
        self.taken += most(self._prompt, limit)

    def read(self, told_in: int | None, told_out: int | None, limit: int, text: str | None) -> None:
        """A reply came: count it."""
        self.taken += believe(told_in, told_out, prompt=self._prompt, limit=limit, text=text)

    def charge(self, error: EndpointError) -> None:
        """Write what has been taken onto the error that all of it came to."""
        error.calls += self.calls
        error.tokens_in += self.taken.tokens_in
        error.tokens_out += self.taken.tokens_out
        error.usage_reported = error.usage_reported and self.taken.reported
