"""The HTTP client under the library: no body is read that is longer than it may be.

An endpoint may send anything: a body without an end, two gigabytes, or two megabytes that unpack to
two gigabytes. What counts is what comes out of the unpacking, as it comes out.
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

_PACKED = {b"content-encoding", b"content-length", b"transfer-encoding"}


class TooLargeError(EndpointError):
    """A body was longer than it may be; the rest was not read."""


@dataclass
class Exchange:
    """One call: the most bytes that its reply may have, and whether that has begun to come."""

    most: int
    begun: bool = False


_EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def exchange(most: int) -> Iterator[Exchange]:
    """What is sent within the block may bring so many bytes."""
    one = Exchange(most)
    token = _EXCHANGE.set(one)
    try:
        yield one
    finally:
        _EXCHANGE.reset(token)


class BoundedClient(openai.DefaultAioHttpClient):
    """The library's own client, which stops reading where ``exchange`` says."""

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """As the base does; the body is always read. Raises TooLargeError."""
        response = await super().send(request, stream=True, **options)
        one = _EXCHANGE.get()
        if one is None:
            await response.aclose()
            raise RuntimeError("every call is made within exchange()")
        one.begun = True
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                if len(body) > one.most:
                    raise TooLargeError(f"{len(body):,} bytes and more")
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=[(k, v) for k, v in response.headers.raw if k.lower() not in _PACKED],
            content=bytes(body),
            request=request,
            extensions=response.extensions,
        )
