"""Calls to search services and archives: paced, tried again, bounded; no message shows a key."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
from typing import Any, Final

import httpx2

from dcq.errors import EndpointBusyError, EndpointRefusedError, RequestRejectedError
from dcq.models.address import is_loopback
from dcq.models.hooks import NO_HOOKS, Hooks, Retry
from dcq.models.pacing import waiting
from dcq.models.pacing.pace import Pace
from dcq.models.usage import NOTHING
from dcq.overlap.search.service import Call

MOST_BYTES = 10_000_000  # of a reply; results of a search have some hundred thousand
ATTEMPTS = 4
FIRST_WAIT = 0.5  # seconds before the first of them, doubled for each further one
LONGEST_WAIT = 60.0  # seconds; if a service wants more, the error is raised to the caller
SECONDS = 60.0  # for one call
_PASSING = frozenset({408, 425, 500, 502, 503, 504})

NOT_FOUND: Final = object()  # the reply of status 404: an archive has no capture

# Each request is logged with its address, and some services take the key in it.
logging.getLogger("httpx2").setLevel(logging.WARNING)


class Client:
    """Sends calls to one service, called ``name`` in messages. ``calls`` counts them, those that
    failed included. Use as ``async with Client(…) as send``."""

    def __init__(self, name: str, address: str, hooks: Hooks = NO_HOOKS) -> None:
        self._name = name
        self._hooks = hooks
        self._pace = hooks.pace or Pace(1)
        # Redirects could lead to an address that nobody chose, with the key.
        self._http = httpx2.AsyncClient(
            timeout=SECONDS, follow_redirects=False, trust_env=not is_loopback(address)
        )
        self.calls = 0

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def __call__(self, call: Call) -> Any:
        """The JSON of the reply, or ``NOT_FOUND``; of lines of JSON, the first.

        Raises:
            EndpointRefusedError: wrong key, or no more searches; nothing can succeed before a
                person does something.
            RequestRejectedError: this one call cannot succeed.
            EndpointBusyError: still in trouble after all attempts.

        """
        for number in range(1, ATTEMPTS):
            try:
                return await self._once(call)
            except EndpointBusyError as error:
                wish = error.retry_after or 0.0
                if wish > LONGEST_WAIT:
                    raise
                share = random.uniform(0.5, 1.0)  # noqa: S311  (nothing secret hangs on it)
                seconds = max(wish, share * FIRST_WAIT * 2 ** (number - 1))
                self._hooks.on_retry(Retry(error, number, seconds))
            await waiting.wait(seconds, self._hooks.check)
        return await self._once(call)

    async def _once(self, call: Call) -> Any:
        async with self._pace.slot(check=self._hooks.check):
            self._hooks.check()
            self._hooks.on_call(NOTHING)
            self.calls += 1
            begun = False
            try:
                async with (
                    asyncio.timeout(SECONDS),
                    self._http.stream(
                        call.method,
                        call.url,
                        params=dict(call.parameters),
                        headers=dict(call.headers),
                        json=None if call.body is None else dict(call.body),
                    ) as reply,
                ):
                    begun = True
                    body = await self._body(reply)
            except TimeoutError:
                if begun:
                    words = f"{self._name} did not end its reply within {SECONDS:g} seconds."
                    raise RequestRejectedError(words) from None
                raise EndpointBusyError(
                    f"{self._name} did not answer within {SECONDS:g} seconds."
                ) from None
            except UnicodeEncodeError:  # half a surrogate pair, as a broken file may have
                raise RequestRejectedError(
                    "A query has a broken character that cannot be sent; mend or leave out this "
                    "instance."
                ) from None
            except (httpx2.HTTPError, httpx2.InvalidURL):
                # Its text may hold the address, and that the key.
                raise EndpointBusyError(f"{self._name} cannot be reached.") from None
            finally:
                self._http.cookies.clear()  # each call stands alone
        return self._read(reply, body, call.may_be_missing)

    async def _body(self, reply: httpx2.Response) -> bytes:
        body = bytearray()
        async for part in reply.aiter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                raise RequestRejectedError(
                    f"{self._name} sent more than {MOST_BYTES / 1e6:.0f} MB for one query."
                )
        return bytes(body)

    def _read(self, reply: httpx2.Response, body: bytes, may_be_missing: bool) -> Any:
        status = reply.status_code
        if status == 404 and may_be_missing:
            if body.lstrip().startswith(b"{"):  # an index says in JSON that it has no capture
                return NOT_FOUND
            raise RequestRejectedError(
                f"{self._name} has no index at an address that it lists (status 404); check that "
                "the address it was given is a server with the indexes.",
                status=status,
            )
        if status in {401, 403}:
            raise EndpointRefusedError(
                f"{self._name} refuses the key; check that it is right and has not expired.",
                status=status,
            )
        if status == 402 or (status == 429 and _is_used_up(reply, body)):
            raise EndpointRefusedError(
                f"{self._name} has no searches left for this key; add some or wait for the next "
                "month, and what was found so far is kept.",
                status=status,
            )
        if status == 429 or status in _PASSING:
            raise EndpointBusyError(
                f"{self._name} is busy (status {status}).",
                status=status,
                retry_after=_seconds(reply.headers.get("Retry-After")),
            )
        if status >= 400:
            raise RequestRejectedError(
                f"{self._name} rejected a query (status {status}).", status=status
            )
        if status >= 300:
            raise RequestRejectedError(
                f"{self._name} sent us to another address, which is not followed.", status=status
            )
        text = body.decode("utf-8", "replace").strip()
        for part in (text, text.split("\n")[0]):
            try:
                return json.loads(part)
            except (ValueError, RecursionError):
                continue
        raise EndpointBusyError(f"{self._name} sent something that is not JSON.")


def _is_used_up(reply: httpx2.Response, body: bytes) -> bool:
    """Whether the month's searches are, and not only those of this second: SerpApi says so in its
    message, Brave in what it counts for the longer of its windows ("0, 0")."""
    if b"run out" in body:
        return True
    left = str(reply.headers.get("X-RateLimit-Remaining", "")).split(",")
    return len(left) > 1 and left[-1].strip() == "0"


def _seconds(header: str | None) -> float | None:
    try:
        seconds = float(header or "")
    except ValueError:  # a date, or nothing
        return None
    return seconds if math.isfinite(seconds) and seconds > 0 else None
