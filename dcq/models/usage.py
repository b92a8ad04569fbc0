"""How many tokens a call used: what the endpoint reports if that is plausible, else an upper bound.

A budget is only as good as this count. With an endpoint that reports no usage, or too little, calls
would seem to cost nothing; and a reply that was lost on its way was charged all the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dcq.errors import EndpointError

# No tokenizer puts more bytes than this into a token on average over a text; English has 4 to 5.
LONGEST_TOKEN = 32


@dataclass(frozen=True)
class Usage:
    """Tokens in and out. ``reported`` is False if the counts are, or include, upper bounds instead
    of what an endpoint reports."""

    tokens_in: int = 0
    tokens_out: int = 0
    reported: bool = True

    def __add__(self, other_usage: Usage) -> Usage:
        return Usage(
            self.tokens_in + other_usage.tokens_in,
            self.tokens_out + other_usage.tokens_out,
            self.reported and other_usage.reported,
        )


NOTHING = Usage()


def most(prompt: str, limit: int) -> Usage:
    """The most tokens that a call with this prompt and a reply of at most ``limit`` tokens can
    use."""
    # A token is at least one byte of UTF-8.
    return Usage(_bytes(prompt), limit, reported=False)


def believe(
    reported_in: int | None,
    reported_out: int | None,
    *,
    prompt: str,
    limit: int,
    text: str | None,
    agrees: bool = True,
) -> Usage:
    """The usage of a call by the endpoint's report (None: nothing usable), each count separately;
    an upper bound if that is missing, or lower than any tokenizer could make it. ``agrees`` False:
    its reports contradict each other, and these are the largest."""
    bound = most(prompt, limit)
    in_is_true = reported_in is not None and reported_in >= _fewest(prompt)
    out_is_true = reported_out is not None and reported_out >= _fewest(text or "")
    return Usage(
        reported_in if reported_in is not None and in_is_true else bound.tokens_in,
        reported_out if reported_out is not None and out_is_true else bound.tokens_out,
        reported=in_is_true and out_is_true and agrees,
    )


def _fewest(text: str) -> int:
    return math.ceil(_bytes(text) / LONGEST_TOKEN)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


class Meter:
    """The tokens and money that one prompt has used so far, over all its calls."""

    def __init__(self, prompt: str) -> None:
        self.calls = 0
        self.taken = NOTHING
        self._prompt = prompt
        self._announced = NOTHING

    def announce(self, limit: int) -> Usage:
        """What the next call, with a reply of at most ``limit`` tokens, can use beyond what has
        been announced: everything for the first call, nothing after a call that cost nothing."""
        need = self.taken + most(self._prompt, limit)
        more = Usage(
            max(0, need.tokens_in - self._announced.tokens_in),
            max(0, need.tokens_out - self._announced.tokens_out),
            reported=False,
        )
        self._announced += more
        return more

    def lose(self, limit: int) -> None:
        """Count the most that the last call can have used, because its reply was lost."""
        self.taken += most(self._prompt, limit)

    def read(
        self,
        reported_in: int | None,
        reported_out: int | None,
        limit: int,
        text: str | None,
        *,
        agrees: bool = True,
    ) -> None:
        """Count the usage of a reply that came."""
        self.taken += believe(
            reported_in, reported_out, prompt=self._prompt, limit=limit, text=text, agrees=agrees
        )

    def charge(self, error: EndpointError) -> None:
        """Note on ``error`` how much has been used."""
        error.calls += self.calls
        error.tokens_in += self.taken.tokens_in
        error.tokens_out += self.taken.tokens_out
        error.usage_reported = error.usage_reported and self.taken.reported
