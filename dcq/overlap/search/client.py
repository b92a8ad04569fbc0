"""Calls to search services and archives: paced, retried, with bounded replies; no message shows a
key.

A failed reply is explained in a sentence that names the fix. The service's own words are searched
and never repeated: they may hold the key or the query.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import httpx2
from pydantic import TypeAdapter, ValidationError

from dcq.environment import read_variable
from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.models.address import is_loopback
from dcq.models.certificates import authorities
from dcq.models.faults import come_back
from dcq.models.headers import read_retry_after
from dcq.models.hooks import NO_HOOKS, Hooks, Retry
from dcq.models.masking import Mask
from dcq.models.pacing import rate_limit
from dcq.models.pacing.pace import Pace
from dcq.models.usage import NOTHING
from dcq.overlap.search.service import ServiceCall

MOST_BYTES = 10_000_000  # of a reply; results of a search have some hundred thousand
ATTEMPTS = 4
FIRST_WAIT = 0.5  # seconds before the first of them, doubled for each further one
SECONDS = 60.0  # for one call
_NO_CAPTURE = b"No Captures found"  # what an index of pages says with status 404

NOT_FOUND: Final = object()  # the reply where an archive has no capture

# Each request is logged with its address, and some services take the key in it.
logging.getLogger("httpx2").setLevel(logging.WARNING)


class SearchClient:
    """Sends calls to one service, called ``name`` in messages. ``address``, its base URL, decides
    whether the environment's proxies and certificates are used: not for this machine.
    ``key_variable`` is the environment variable of its key, "" where it takes none. ``calls`` is
    how many were sent, failed ones included. Use as ``async with SearchClient(…) as send``."""

    def __init__(
        self, name: str, address: str, hooks: Hooks = NO_HOOKS, key_variable: str = ""
    ) -> None:
        self._name = name
        self._key_variable = key_variable
        self._mask = Mask([read_variable(key_variable) if key_variable else ""], hooks.private)
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

    async def __aenter__(self) -> SearchClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def __call__(self, call: ServiceCall) -> Any:
        """The JSON of the reply, of its first line alone for ``call.lines``; or ``NOT_FOUND``.

        Raises:
            EndpointRefusedError: wrong key, or no more searches; nothing can succeed before a
                person does something.
            RequestRejectedError: this one call cannot succeed.
            EndpointBusyError: busy or unreachable after all attempts, or asks for a longer wait
                than ``LONGEST_WAIT``.

        """
        for attempt in range(1, ATTEMPTS):
            try:
                return await self._send_once(call)
            except EndpointBusyError as error:
                asked_wait = error.retry_after or 0.0
                if asked_wait > rate_limit.LONGEST_WAIT:
                    raise
                jitter = random.uniform(0.5, 1.0)  # noqa: S311  (nothing secret hangs on it)
                seconds = max(asked_wait, jitter * FIRST_WAIT * 2 ** (attempt - 1))
                self._hooks.on_retry(Retry(error, attempt, seconds))
            await rate_limit.wait(seconds, self._hooks.check)
        return await self._send_once(call)

    async def _send_once(self, call: ServiceCall) -> Any:
        async with self._pace.slot(check=self._hooks.check):
            self._hooks.check()
            self._hooks.on_call(NOTHING)
            self.calls += 1
            reply_started = False
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
                    reply_started = True
                    body = await self._read_body(reply)
            except TimeoutError:
                if reply_started:
                    message = f"{self._name} did not end its reply within {SECONDS:g} seconds."
                    raise RequestRejectedError(message) from None
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
        return self._parse_reply(reply, body, call)

    async def _read_body(self, reply: httpx2.Response) -> bytes:
        """The body, at most ``MOST_BYTES``, with the key and private texts masked."""
        body = bytearray()
        async for part in reply.aiter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                raise RequestRejectedError(
                    f"{self._name} sent more than {MOST_BYTES / 1e6:.0f} MB for one query."
                )
        return self._mask(bytes(body))

    def _parse_reply(self, reply: httpx2.Response, body: bytes, call: ServiceCall) -> Any:
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
            raise error_for_status(self._name, self._key_variable, status, reply.headers, body)
        text = body.decode("utf-8", "replace").strip()
        try:
            return json.loads(text.split("\n")[0] if call.lines else text)
        except (ValueError, RecursionError):
            raise EndpointBusyError(
                f"{self._name} sent something that is not JSON; resume later, or check its address."
            ) from None


_T = TypeVar("_T")

_TRANSIENT = frozenset({408, 425, 500, 502, 503, 504})
# Codes of Brave's errors, in the reference of each of its endpoints, as
# https://api-dashboard.search.brave.com/api-reference/videos/video_search/get
_KEY_REFUSED = frozenset({"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"})
_QUOTA_SPENT = frozenset({"QUOTA_LIMITED"})
_NOT_IN_PLAN = frozenset({"OPTION_NOT_IN_PLAN"})


class NotInPlanError(RequestRejectedError):
    """The plan of this key lacks a feature that was asked for; without it the query may be
    answered."""


def error_for_status(
    name: str, key_variable: str, status: int, headers: Mapping[str, str], body: bytes
) -> EndpointError:
    """The error to raise for a ``status`` other than 200. ``key_variable`` is the variable of the
    service's key, "" where it takes none."""
    document = _json_or_none(body)
    codes = _brave_codes(document)
    if codes & _KEY_REFUSED or (key_variable and status in {401, 403}):
        return EndpointRefusedError(
            f"{name} refuses the key; check that the one in {key_variable} is right, has not "
            "expired and belongs to a plan for web search.",
            status=status,
        )
    if status == 402 or (status == 429 and _is_quota_spent(headers, body, codes)):
        return EndpointRefusedError(
            f"{name} has no searches left for this key; add some or wait for the next month, and "
            "what was found so far is kept.",
            status=status,
        )
    if codes & _NOT_IN_PLAN:
        return NotInPlanError(
            f"The plan of this key lacks what {name} is asked for; choose a plan for web search.",
            status=status,
        )
    if status == 429 or status in _TRANSIENT:
        seconds = read_retry_after(headers)
        advice = come_back(seconds)
        return EndpointBusyError(
            f"{name} is busy (status {status}){f' and {advice}' if advice else '; resume later.'}",
            status=status,
            retry_after=seconds,
        )
    if _error_contains(document, "Invalid index"):
        return EndpointRefusedError(
            f"{name} is no index that the service has; choose one that it lists.", status=status
        )
    if status >= 400:
        return RequestRejectedError(f"{name} rejected a query (status {status}).", status=status)
    return RequestRejectedError(
        f"{name} sent us to another address, which is not followed; set the right one.",
        status=status,
    )


def infini_gram_error(name: str, document: Any) -> RequestRejectedError | None:
    """The error if infini-gram refused a string, which it reports with status 200; None otherwise.
    https://github.com/liujch1998/infini-gram/blob/main/api/api_server.py"""
    if not isinstance(document, dict) or "error" not in document:
        return None
    if _error_contains(document, "Please limit your input"):
        return RequestRejectedError(
            f"A text is too long for {name}, which takes 1,000 characters and 500 tokens; leave "
            "this instance out."
        )
    return RequestRejectedError(f"{name} could not answer this query; resume to ask again.")


def unexpected_reply_error(name: str) -> RequestRejectedError:
    """The error for a reply of another form than the service documents."""
    return RequestRejectedError(
        f"{name} sent a reply of another form than it documents; resume to ask again, or check the "
        "address at which it is asked."
    )


def read_as(adapter: TypeAdapter[_T], document: Any, name: str) -> _T:
    """``document`` in the form that a service documents (``adapter``); further fields are ignored.
    Raises ``RequestRejectedError`` where it has another form, which does not mean that nothing was
    found."""
    try:
        return adapter.validate_python(document)
    except (ValidationError, RecursionError):
        raise unexpected_reply_error(name) from None


def _json_or_none(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _brave_codes(document: Any) -> frozenset[str]:
    """Brave's codes: of ``error``, as its service answers, or of ``errors``, as its reference
    shows it."""
    if not isinstance(document, dict):
        return frozenset()
    error_list = document.get("errors")
    errors = [document.get("error"), *(error_list if isinstance(error_list, list) else [])]
    codes = [error.get("code") for error in errors if isinstance(error, dict)]
    return frozenset(code for code in codes if isinstance(code, str))


def _error_contains(document: Any, words: str) -> bool:
    """Whether the error text of a reply contains ``words``."""
    message = document.get("error") if isinstance(document, dict) else None
    return isinstance(message, str) and words in message


def _is_quota_spent(headers: Mapping[str, str], body: bytes, codes: frozenset[str]) -> bool:
    """Whether the searches of the month are spent, not only those of this second: SerpApi says so
    in its message, Brave by its code, or by what remains in the longer of its windows
    ("0, 0")."""
    if b"run out" in body or codes & _QUOTA_SPENT:
        return True
    remaining = str(headers.get("X-RateLimit-Remaining", "")).split(",")
    return len(remaining) > 1 and remaining[-1].strip() == "0"
