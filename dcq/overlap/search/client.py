"""Calls to search services and archives: paced, tried again, bounded; no message shows a key."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from typing import Any, Final

import httpx2
import stamina

from dcq.errors import EndpointBusyError, EndpointRefusedError, RequestRejectedError
from dcq.overlap.search.service import Call

MOST_BYTES = 10_000_000  # of a reply; results of a search have some hundred thousand
_SECONDS = 60.0
_PASSING = frozenset({408, 425, 500, 502, 503, 504})

NOT_FOUND: Final = object()  # the reply of status 404: an archive has no capture

# Each request is logged with its address, and some services take the key in it.
logging.getLogger("httpx2").setLevel(logging.WARNING)


class Client:
    """Sends calls with at least ``pause`` seconds between two of them; ``attempts`` each where the
    trouble is passing. ``sleep`` is what waits."""

    def __init__(
        self,
        name: str,
        pause: float,
        *,
        attempts: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = name
        self._pause = pause
        self._attempts = attempts
        self._sleep = sleep
        self._next = 0.0
        self._http = httpx2.Client(timeout=_SECONDS)
        self.calls = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def __call__(self, call: Call) -> Any:
        """The JSON of the reply, or ``NOT_FOUND``; of lines of JSON, the first.

        Raises:
            EndpointRefusedError: wrong key, or no more searches; nothing can succeed before a
                person does something.
            RequestRejectedError: this one call cannot succeed.
            EndpointBusyError: still in trouble after all attempts.

        """
        for attempt in stamina.retry_context(
            on=EndpointBusyError,
            attempts=self._attempts,
            wait_initial=0.5,
            wait_max=20,
            timeout=120,
        ):
            with attempt:
                return self._once(call)
        raise AssertionError  # the last attempt has raised

    def _once(self, call: Call) -> Any:
        wait = self._next - time.monotonic()
        if wait > 0:
            self._sleep(wait)
        self._next = time.monotonic() + self._pause
        self.calls += 1
        try:
            with self._http.stream(
                call.method,
                call.url,
                params=dict(call.parameters),
                headers=dict(call.headers),
                json=None if call.body is None else dict(call.body),
            ) as reply:
                status, body = reply.status_code, self._body(reply)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            # Its text may hold the address, and that the key.
            raise EndpointBusyError(f"{self._name} cannot be reached.") from None
        return self._read(status, body, call.may_be_missing)

    def _body(self, reply: httpx2.Response) -> bytes:
        body = b""
        for part in reply.iter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                raise RequestRejectedError(
                    f"{self._name} sent more than {MOST_BYTES / 1e6:.0f} MB for one query."
                )
        return body

    def _read(self, status: int, body: bytes, may_be_missing: bool) -> Any:
        if status == 404 and may_be_missing:
            return NOT_FOUND
        if status in {401, 403}:
            raise EndpointRefusedError(
                f"{self._name} refuses the key; check that it is right and has not expired.",
                status=status,
            )
        if status == 402 or (status == 429 and b"run out" in body):
            raise EndpointRefusedError(
                f"{self._name} has no searches left for this key; add some or wait for the next "
                "month, and what was found so far is kept.",
                status=status,
            )
        if status == 429 or status in _PASSING:
            raise EndpointBusyError(f"{self._name} is busy (status {status}).", status=status)
        if status >= 400:
            raise RequestRejectedError(
                f"{self._name} rejected a query (status {status}).", status=status
            )
        text = body.decode("utf-8", "replace").strip()
        for part in (text, text.split("\n")[0]):
            try:
                return json.loads(part)
            except (ValueError, RecursionError):
                continue
        raise EndpointBusyError(f"{self._name} sent something that is not JSON.")
