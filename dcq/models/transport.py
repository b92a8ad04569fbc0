"""The HTTP client under the library: no response body is read beyond its size limit.

An endpoint may send anything: an endless body, two gigabytes, or two megabytes that unpack to two
gigabytes. The limit applies to the unpacked size, while it is unpacked. It may send the key back
too: nobody gets it from here.
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
from dcq.models.masking import Mask

_PACKED = {b"content-encoding", b"content-length", b"transfer-encoding"}


class TooLargeError(EndpointError):
    """A body was longer than its limit; the rest was not read."""


@dataclass
class Exchange:
    """One call: the most bytes that its reply may have, what takes the key out of them, and whether
    it has begun to arrive."""

    most: int
    mask: Mask
    begun: bool = False


_EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def exchange(most: int, mask: Mask) -> Iterator[Exchange]:
    """Responses to requests within the block may have at most ``most`` bytes, and pass ``mask``."""
    one = Exchange(most, mask)
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
        """As the base class does; the body is always read. Raises TooLargeError."""
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
            content=one.mask(bytes(body)),
            request=request,
            extensions=response.extensions,
        )
