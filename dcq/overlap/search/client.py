"""Calls to search services and archives: paced, tried again, bounded; no message shows a key."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from typing import Any, Final

import httpx2

from dcq.environment import read
from dcq.errors import EndpointBusyError, RequestRejectedError
from dcq.models.address import is_loopback
from dcq.models.certificates import authorities
from dcq.models.hooks import NO_HOOKS, Hooks, Retry
from dcq.models.masking import mask
from dcq.models.pacing import waiting
from dcq.models.pacing.pace import Pace
from dcq.models.usage import NOTHING
from dcq.overlap.search.faults import explain
from dcq.overlap.search.service import Call

MOST_BYTES = 10_000_000  # of a reply; results of a search have some hundred thousand
ATTEMPTS = 4
FIRST_WAIT = 0.5  # seconds before the first of them, doubled for each further one
SECONDS = 60.0  # for one call
_NO_CAPTURE = b"No Captures found"  # what an index of pages says with status 404

NOT_FOUND: Final = object()  # the reply where an archive has no capture

# Each request is logged with its address, and some services take the key in it.
logging.getLogger("httpx2").setLevel(logging.WARNING)


class Client:
    """Sends calls to one service, called ``name`` in messages; ``key`` is the variable of its key,
    "" where it takes none. ``calls`` counts them, those that failed included. Use as ``async with
    Client(…) as send``."""

    def __init__(self, name: str, address: str, hooks: Hooks = NO_HOOKS, key: str = "") -> None:
        self._name = name
        self._key = key
        self._mask = mask(read(key) if key else "")
        self._hooks = hooks
        self._pace = hooks.pace or Pace(1)
        # Redirects could lead to an address that nobody chose, with the key.
        from_env = not is_loopback(address)
        self._http = httpx2.AsyncClient(
            timeout=SECONDS,
            follow_redirects=False,
            trust_env=from_env,
            verify=authorities(trust_env=from_env),
        )
        self.calls = 0

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def __call__(self, call: Call) -> Any:
        """The JSON of the reply, or ``NOT_FOUND``.

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
                if wish > waiting.LONGEST_WAIT:
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
                    f"{self._name} did not answer within {SECONDS:g} seconds; resume later."
                ) from None
            except UnicodeEncodeError:  # half a surrogate pair, as a broken file may have
                raise RequestRejectedError(
                    "A query has a broken character that cannot be sent; mend or leave out this "
                    "instance."
                ) from None
            except (httpx2.DecodingError, httpx2.RemoteProtocolError):
                raise EndpointBusyError(
                    f"{self._name} broke off or garbled its reply; resume later, or check its "
                    "address."
                ) from None
            except (httpx2.HTTPError, httpx2.InvalidURL):
                # Its text may hold the address, and that the key.
                raise EndpointBusyError(
                    f"{self._name} cannot be reached; check the network and its address, then "
                    "resume."
                ) from None
            finally:
                self._http.cookies.clear()  # each call stands alone
        return self._read(reply, body, call)

    async def _body(self, reply: httpx2.Response) -> bytes:
        body = bytearray()
        async for part in reply.aiter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                raise RequestRejectedError(
                    f"{self._name} sent more than {MOST_BYTES / 1e6:.0f} MB for one query."
                )
        return self._mask(bytes(body))

    def _read(self, reply: httpx2.Response, body: bytes, call: Call) -> Any:
        status = reply.status_code
        if status == 404 and call.may_be_missing:
            if _NO_CAPTURE in body:
                return NOT_FOUND
            raise RequestRejectedError(
                f"{self._name} has no index at an address that it lists (status 404); check that "
                "the address it was given is a server with the indexes.",
                status=status,
            )
        if status != 200:
            raise explain(self._name, self._key, status, reply.headers, body)
        text = body.decode("utf-8", "replace").strip()
        try:
            return json.loads(text.split("\n")[0] if call.lines else text)
        except (ValueError, RecursionError):
            raise EndpointBusyError(
                f"{self._name} sent something that is not JSON; resume later, or check its address."
            ) from None
