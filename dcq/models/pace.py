"""How fast one provider is asked: calls in flight that adapt to refusals, within limits a minute.

The number of calls in flight follows additive increase, multiplicative decrease, as TCP does
(Chiu and Jain, 1989): one more for each round of calls that went well, half as many after a
refusal.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from dcq.models.rate_limit import RateLimit
from dcq.models.waiting import Check, go_on, now, wait


@dataclass
class Slot:
    """Leave for one call. Whoever was told "too many" reports it here."""

    began: float
    refused: bool = field(default=False, init=False)

    def refuse(self) -> None:
        """The endpoint said that it is asked too much."""
        self.refused = True


class Pace:
    """Lets calls through: ``most`` at once, fewer after refusals, and no more than ``requests`` and
    ``tokens`` allow a minute, spread evenly over it. Several clients of one provider may share one;
    all in one event loop.
    """

    def __init__(
        self,
        most: int,
        *,
        requests: RateLimit | None = None,
        tokens: RateLimit | None = None,
    ) -> None:
        self._most = most
        self._limit = float(most)
        self._cut_at = float("-inf")
        self._resume_at = float("-inf")
        self._requests = requests
        self._tokens = tokens
        self._gate = asyncio.Lock()  # first come, first served
        self._freed = asyncio.Event()
        self.in_flight = 0

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return int(self._limit)

    @property
    def counts_tokens(self) -> bool:
        """Whether it matters what ``slot`` is told of tokens."""
        return self._tokens is not None

    def pause(self, seconds: float) -> None:
        """Let no further call through for this long: the endpoint's own wish."""
        self._resume_at = max(self._resume_at, now() + seconds)

    @asynccontextmanager
    async def slot(self, tokens: int = 0, check: Check = go_on) -> AsyncIterator[Slot]:
        """Wait for leave, and hold it. ``tokens``: what the call may take, in and out. ``check``
        may call the waiting off by an exception."""
        async with self._gate:
            while self.in_flight >= self.limit:
                self._freed.clear()
                await self._freed.wait()
            check()
            await self._wait_for_resumption(check)
            if self._requests:
                await self._requests.take(1, check)
            if self._tokens:
                await self._tokens.take(tokens, check)
            self.in_flight += 1
        slot = Slot(now())
        try:
            yield slot
        finally:
            self.in_flight -= 1
            self._adapt(slot)
            self._freed.set()

    async def _wait_for_resumption(self, check: Check) -> None:
        while (left := self._resume_at - now()) > 0:
            await wait(left, check)

    def _adapt(self, slot: Slot) -> None:
        if not slot.refused:
            self._limit = min(self._most, self._limit + 1 / self._limit)
        elif slot.began > self._cut_at:
            # Calls that were on their way at the last cut tell nothing about the new limit.
            self._limit = max(1.0, self._limit / 2)
            self._cut_at = now()
