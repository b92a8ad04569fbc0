"""Calls to one endpoint: temporary errors are retried, permanent errors are raised.

An endpoint may send anything: an endless body, two gigabytes, or two megabytes that unpack to two
gigabytes. So no body is read beyond a limit on its unpacked size, which applies while it is
unpacked. The endpoint may send back the key and what it was asked: ``dcq.models.masking`` takes
that out before anything else reads the reply."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Mapping
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from dcq.errors import EndpointBusyError, RequestRejectedError
from dcq.models.address import check_resolved, is_loopback
from dcq.models.certificates import authorities
from dcq.models.endpoints import Endpoint
from dcq.models.faults import Trouble, explain, read_trouble
from dcq.models.headers import DAY, read_exhaustion
from dcq.models.hooks import NO_HOOKS, Hooks, Retry
from dcq.models.masking import Mask
from dcq.models.pacing import rate_limit
from dcq.models.pacing.pace import Pace
from dcq.models.usage import Meter

if TYPE_CHECKING:  # they take a second to import, which commands that ask nothing can save
    import httpx2
    import openai


log = logging.getLogger(__name__)

FIRST_WAIT = 0.5  # seconds before the first retry, doubled for each further one
CONNECT_SECONDS = 10.0
REFUSED_RETRIES = 1  # of a connection that nothing accepts, after half a second
MOST_BYTES = 2 * 2**20  # of one reply, unpacked; one of 4,000 tokens has about 20,000

# Headers in which the library describes this machine to an endpoint: private, and a tenth of the
# time of a call.
_ABOUT_US = [
    f"X-Stainless-{name}"
    for name in ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
]
_ABOUT_THE_CALL = ["X-Stainless-Retry-Count", "X-Stainless-Read-Timeout"]


class Client:
    """Calls one endpoint. Use as ``async with Client(endpoint) as client``. ``timeout`` is seconds
    for one whole call (None: the endpoint's), ``max_retries`` how often a temporary error is
    retried, ``first_wait`` seconds before the first retry."""

    echoes: frozenset[str] = frozenset()  # members of a reply that repeat what was sent, and may

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float | None = None,
        max_retries: int = 5,
        first_wait: float = FIRST_WAIT,
        hooks: Hooks = NO_HOOKS,
    ) -> None:
        self.endpoint = endpoint
        self.pace = hooks.pace or Pace(endpoint.concurrency)
        self._timeout = endpoint.timeout if timeout is None else timeout
        self._max_retries = max_retries
        self._first_wait = first_wait
        self._hooks = hooks
        if not endpoint.base_url:
            raise ValueError("the embedded model must be served first: see dcq.models.serving")
        import httpx2
        import openai

        from dcq.models.bounded_client import BoundedClient

        self._response = httpx2.Response
        # A complete URL, because the library takes 0.1 ms to build one.
        self._address = endpoint.base_url.rstrip("/")
        key = endpoint.key.get_secret_value() if endpoint.key else ""
        self._mask = Mask([key], hooks.private, echoes=self.echoes)
        self._options: openai.RequestOptions = {
            # Never sent; where it is missing, the library draws random bytes for one at every call.
            "idempotency_key": "unused",
            "headers": dict.fromkeys(_ABOUT_THE_CALL, openai.Omit()),
        }
        from_env = not is_loopback(endpoint.base_url)  # no proxy to ourselves
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            # The library insists on a key; servers that need none ignore it.
            api_key=endpoint.key.get_secret_value() if endpoint.key else "none",
            # The types do not say so, but headers can be left out here as in a call.
            default_headers=cast("Mapping[str, str]", dict.fromkeys(_ABOUT_US, openai.Omit())),
            max_retries=0,  # our own retries have one limit for all causes, and are reported
            http_client=BoundedClient(
                timeout=httpx2.Timeout(self._timeout, connect=CONNECT_SECONDS),
                follow_redirects=False,  # a redirect could lead to an address that we refuse
                trust_env=from_env,
                verify=authorities(trust_env=from_env),
            ),
        )

    async def __aenter__(self) -> Self:
        await check_resolved(self.endpoint.base_url, allow_metadata=self.endpoint.allow_metadata)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def _post(
        self, path: str, body: Mapping[str, object], tokens: int, meter: Meter, limit: int
    ) -> tuple[httpx2.Response | Trouble, float]:
        """One call in its slot, and the seconds that it took; ``tokens`` is what it may use by
        estimate, ``limit`` the most that may come back. Counted in ``meter``."""
        async with self.pace.slot(tokens, self._hooks.check) as slot:
            self._hooks.check()
            self._hooks.on_call(meter.announce(limit))
            meter.calls += 1
            began = monotonic()
            response = await self._send(
                self._client.post(
                    self._address + path,
                    body=body,
                    cast_to=self._response,
                    options=self._options,
                )
            )
            seconds = monotonic() - began
            if isinstance(response, Trouble):
                if response.overloaded:
                    slot.refuse()
            else:
                # A dict, because ten look-ups in the library's headers cost a tenth of the call.
                headers = {
                    name.decode("latin-1").lower(): value.decode("latin-1")
                    for name, value in response.headers.raw
                }
                exhausted = read_exhaustion(headers) or 0.0
                if exhausted <= DAY:  # none of these limits is longer; the next call will tell
                    self.pace.pause(min(exhausted, rate_limit.LONGEST_WAIT))
            return response, seconds

    async def _send(
        self, call: Awaitable[httpx2.Response], most_bytes: int = MOST_BYTES
    ) -> httpx2.Response | Trouble:
        """One HTTP exchange, within the time limit; no more than ``most_bytes`` are read."""
        import aiohttp
        import httpx2
        import openai

        from dcq.models.bounded_client import TooLargeError, exchange

        try:
            with exchange(most_bytes, self._mask) as http_exchange:
                async with asyncio.timeout(self._timeout):
                    return await call
        except TooLargeError:
            size = f"{most_bytes / 2**20:.0f} MB"
            return Trouble(None, f"sent more than {size} as a reply, which is not read", retries=0)
        except openai.APIStatusError as error:
            return read_trouble(error.status_code, error.response.content, error.response.headers)
        except (openai.APIConnectionError, aiohttp.ClientError, TimeoutError) as error:
            # The root cause decides: the layers above call most of these a connect timeout.
            if _is_caused_by(error, aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
                # A server that has stopped refuses at once; one that starts needs longer than we
                # would wait. Other causes, such as a name that is not found, may pass.
                refused = _is_caused_by(error, ConnectionRefusedError)
                return Trouble(None, unreachable=True, retries=REFUSED_RETRIES if refused else None)
            if _is_caused_by(error, TimeoutError) and http_exchange.begun:
                what = f"did not end its reply within {self._timeout:g} s"
                return Trouble(None, what, retries=1)
            if _is_caused_by(error, TimeoutError):
                return Trouble(None, f"did not answer within {self._timeout:g} s")
            return Trouble(None, "broke the connection")
        except httpx2.InvalidURL:
            return Trouble(None, unreachable=True)
        except UnicodeEncodeError:
            # A lone surrogate, as a broken file may have, cannot be encoded as UTF-8.
            raise RequestRejectedError(
                "The prompt has a broken character that cannot be sent; fix or leave out this"
                " instance."
            ) from None

    async def _wait_or_raise(self, trouble: Trouble, retries: int) -> None:
        """Wait before the next call, if there is to be one; raise the error if not."""
        error = explain(trouble, self.endpoint)
        # An unreachable server may just be starting; if it stays unreachable, no call can work.
        passing = isinstance(error, EndpointBusyError) or trouble.unreachable
        most = self._max_retries if trouble.retries is None else trouble.retries
        if not passing or retries > min(most, self._max_retries):
            raise error
        # Jitter: calls that failed together are not retried together.
        share = random.uniform(0.5, 1.0)  # noqa: S311 (nothing secret hangs on it)
        wait = share * self._first_wait * 2 ** (retries - 1)
        requested = trouble.retry_after or 0.0
        if requested > rate_limit.LONGEST_WAIT:
            raise error
        wait = max(requested, min(wait, rate_limit.LONGEST_WAIT))
        if trouble.overloaded:
            self.pace.pause(requested)
        log.info("retry %d in %.1f s: %s", retries, wait, error)
        self._hooks.on_retry(Retry(error, retries, wait))
        await rate_limit.wait(wait, self._hooks.check)


def _is_caused_by(error: BaseException | None, *kinds: type[BaseException]) -> bool:
    while error is not None and not isinstance(error, kinds):
        error = error.__cause__
    return error is not None
