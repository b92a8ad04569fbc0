"""The HTTP client of calls to endpoints: no reply beyond a limit is read, and private texts are
taken out of what is.

Apart from ``dcq.models.client``, because the libraries take a second to import, which commands that
ask nothing can save.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from dcq.errors import EndpointError
from dcq.models.masking import Mask, mask_headers
from dcq.models.stream import join_stream


class TooLargeError(EndpointError):
    """A body was longer than its limit; the rest was not read."""


@dataclass
class Exchange:
    """One call: the most bytes that its reply may have, what takes private texts out of them, and
    whether the reply has begun to arrive."""

    most: int
    mask: Mask
    begun: bool = False


_EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def exchange(most: int, mask: Mask) -> Iterator[Exchange]:
    """Within the block, limit replies to ``most`` bytes and pass them through ``mask``."""
    http_exchange = Exchange(most, mask)
    token = _EXCHANGE.set(http_exchange)
    try:
        yield http_exchange
    finally:
        _EXCHANGE.reset(token)


class BoundedClient(openai.DefaultAioHttpClient):
    """The library's own client, limited to what ``exchange`` allows."""

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """As the base class does; the body is always read. Raises TooLargeError."""
        response = await super().send(request, stream=True, **options)
        exchange = _EXCHANGE.get()
        if exchange is None:
            await response.aclose()
            raise RuntimeError("every call is made within exchange()")
        exchange.begun = True
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                if len(body) > exchange.most:
                    raise TooLargeError(f"{len(body):,} bytes and more")
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=mask_headers(response.headers.raw),
            # Joined first: a key may lie in several pieces of a stream.
            content=exchange.mask(join_stream(bytes(body))),
            request=request,  # and nothing else: the line of the status can repeat a prompt as well
        )
