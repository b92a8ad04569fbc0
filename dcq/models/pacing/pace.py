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

from dcq.models.pacing.rate_limit import Check, RateLimit, go_on, now, wait


@dataclass
class CallPermit:
    """Permission for one call. The caller reports here if the endpoint refused it."""

    began: float
    refused: bool = field(default=False, init=False)

    def refuse(self) -> None:
        """Note that the endpoint reported too many requests."""
        self.refused = True


class Pace:
    """Limits calls: ``most`` at once, fewer after refusals, and no more than ``requests`` and
    ``tokens`` allow per minute, spread evenly. Several clients of one provider may share one; all
    in one event loop.
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
        """Whether the tokens passed to ``slot`` matter."""
        return self._tokens is not None

    def pause(self, seconds: float) -> None:
        """Let no further call through for this long, as the endpoint requested."""
        self._resume_at = max(self._resume_at, now() + seconds)

    @asynccontextmanager
    async def slot(self, tokens: int = 0, check: Check = go_on) -> AsyncIterator[CallPermit]:
        """Wait for a slot, and hold it. ``tokens``: what the call may use, in and out. ``check``
        may cancel the waiting by raising."""
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
        slot = CallPermit(now())
        try:
            yield slot
        finally:
            self.in_flight -= 1
            self._adapt(slot)
            self._freed.set()

    async def _wait_for_resumption(self, check: Check) -> None:
        while (left := self._resume_at - now()) > 0:
            await wait(left, check)

    def _adapt(self, slot: CallPermit) -> None:
        if not slot.refused:
            self._limit = min(self._most, self._limit + 1 / self._limit)
        elif slot.began > self._cut_at:
            # Calls that were in flight at the last reduction say nothing about the new limit.
            self._limit = max(1.0, self._limit / 2)
            self._cut_at = now()
