"""Faults of services: what is tried again, what ends a search, and that no key is shown."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dcq.errors import (
    EndpointBusyError,
    EndpointRefusedError,
    NoMoreCallsError,
    RequestRejectedError,
)
from dcq.models.hooks import Hooks, Retry
from dcq.models.pacing.pace import Pace
from dcq.models.pacing.rate_limit import RateLimit
from dcq.overlap.search import client
from dcq.overlap.search.client import SearchClient
from dcq.overlap.search.serpapi import SerpApi
from dcq.overlap.search.service import Scope, ServiceCall
from tests.support.search_rules import KEY, serpapi_found
from tests.support.search_services import SearchServer


async def search(address: str, hooks: Hooks | None = None) -> None:
    async with SearchClient("the service", address, hooks or Hooks(), "THE_KEY") as send:
        await SerpApi(address=address).search(send, "coffee", Scope())


@pytest.mark.parametrize(
    ("status", "body", "error", "calls"),
    [
        (401, {"error": "Invalid API key."}, EndpointRefusedError, 1),
        (403, "<html>", EndpointRefusedError, 1),
        (429, {"error": "Your account has run out of searches."}, EndpointRefusedError, 1),
        (402, "", EndpointRefusedError, 1),
        (429, {"error": "slow down"}, EndpointBusyError, 4),
        (503, "", EndpointBusyError, 4),
        (200, "<html>not JSON", EndpointBusyError, 4),
        (200, "", EndpointBusyError, 4),
        (200, "[" * 100_000, EndpointBusyError, 4),
        (302, "", RequestRejectedError, 1),
        (400, {"error": "Missing query"}, RequestRejectedError, 1),
        (404, "", RequestRejectedError, 1),
    ],
)
async def test_faults(
    status: int,
    body: Any,
    error: type[Exception],
    calls: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    headers = {"Location": "http://127.0.0.1:1/elsewhere", "Set-Cookie": "a=b"}
    with SearchServer(lambda _: (status, body, headers)) as server:
        with pytest.raises(error) as raised:
            await search(server.address)
        assert len(server.requests) == calls
        assert all("cookie" not in request.headers for request in server.requests)
    shown = f"{raised.value!r} {raised.value.__cause__!r} {caplog.text}"
    assert KEY not in shown


@pytest.mark.parametrize(
    ("left", "error"), [("0, 0", EndpointRefusedError), ("0, 700", EndpointBusyError)]
)
async def test_a_used_up_month_is_told_from_a_busy_second_by_what_brave_counts(
    left: str, error: type[Exception]
) -> None:
    answer = (429, "{}", {"X-RateLimit-Remaining": left})
    with SearchServer(lambda _: answer) as server, pytest.raises(error):
        await search(server.address)


async def test_a_wish_for_time_is_heeded_and_a_long_one_raised() -> None:
    with SearchServer(lambda _: (503, "", {"Retry-After": "3600"})) as server:
        with pytest.raises(EndpointBusyError) as raised:
            await search(server.address)
        assert raised.value.retry_after == 3600
        assert len(server.requests) == 1
    never = {"Retry-After": "Thu, 01 Jan 2099 00:00:00 GMT"}
    with SearchServer(lambda _: (429, "", never)) as server:
        with pytest.raises(EndpointBusyError, match=r"left alone for about \d\d years"):
            await search(server.address)
        assert len(server.requests) == 1
    heard: list[Retry] = []
    with SearchServer(lambda _: (503, "", {"Retry-After": "0.2"})) as server:
        began = time.monotonic()
        with pytest.raises(EndpointBusyError):
            await search(server.address, Hooks(on_retry=heard.append))
        assert time.monotonic() - began >= 0.6
    assert [retry.number for retry in heard] == [1, 2, 3]


async def test_a_server_that_is_not_there_shows_no_key() -> None:
    with pytest.raises(EndpointBusyError) as raised:
        await search("http://127.0.0.1:1")
    assert KEY not in str(raised.value)
    assert raised.value.__suppress_context__


async def test_a_reply_of_40_mb_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 1_000_000)
    with (
        SearchServer(lambda _: (200, "x" * 40_000_000)) as server,
        pytest.raises(RequestRejectedError, match="more than 1 MB"),
    ):
        await search(server.address)


@contextmanager
def dripping() -> Iterator[str]:
    """A server whose reply never ends: a byte every 50 ms."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(10)

        def serve() -> None:
            try:
                guest, _ = door.accept()
                with guest:
                    guest.recv(65536)
                    guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                    while not done.wait(0.05):
                        guest.sendall(b" ")
            except OSError:
                return  # the client has heard enough

        server = threading.Thread(target=serve)
        server.start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            done.set()
            server.join()


async def test_a_reply_that_does_not_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SECONDS", 0.5)
    with dripping() as address, pytest.raises(RequestRejectedError, match="did not end"):
        await search(address)


async def test_a_broken_character_is_that_query_alone() -> None:
    with SearchServer(lambda _: (200, {})) as server:
        async with SearchClient("the service", server.address) as send:
            with pytest.raises(RequestRejectedError, match="broken character"):
                await send(ServiceCall("GET", server.address, {"q": "half \ud800"}, {}))


async def test_calls_are_paced_and_counted() -> None:
    counted: list[object] = []
    with SearchServer(lambda _: serpapi_found([])) as server:
        hooks = Hooks(Pace(1, requests=RateLimit(120)), on_call=counted.append)
        began = time.monotonic()
        async with SearchClient("the service", server.address, hooks) as send:
            for _ in range(4):
                await SerpApi(address=server.address).search(send, "coffee", Scope())
            assert send.calls == 4
        assert time.monotonic() - began >= 1.0  # two a second, and one saved up
    assert len(counted) == 4


async def test_a_wait_for_another_try_can_be_called_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT", 3600.0)  # longer than a test may take
    stopped = asyncio.Event()

    def check() -> None:
        if stopped.is_set():
            raise NoMoreCallsError("Asking was stopped.")

    with SearchServer(lambda _: (503, "")) as server:
        asyncio.get_running_loop().call_later(0.3, stopped.set)
        with pytest.raises(NoMoreCallsError):
            await search(server.address, Hooks(check=check))
        assert len(server.requests) == 1
