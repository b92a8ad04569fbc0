"""A model provider for tests: a real HTTP server that speaks OpenAI's chat protocol.

The model's name chooses the behaviour (see ``MODELS``), so a test needs no other
switch. In a test::

    with Provider(key="sk-test", seen=["the original text"]) as provider:
        ask(base_url=provider.base_url, model="knows-original", ...)
        assert provider.counts["knows-original"] == 1

From a shell, for browser and command-line tests (the first line on stdout is the base URL; the key,
if one is wanted, comes in the environment as ``PROVIDER_KEY``)::

    python -m tests.support.provider --seen texts.json --latency 0.05

``GET /_counts`` (beside ``/v1``) gives the same counts as JSON to other processes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.support.behaviours import MODELS, ChatRequest, FakeReply, Fault, Flood, failure
from tests.support.completions import complete
from tests.support.floods import ENDLESS, FLOODS
from tests.support.storm import storm

TRUE = object()


class FakeProvider:
    """The server, in a thread of its own, from ``with`` to the end of the block.

    ``key``: the only key let in; an empty one lets everyone in. ``seen``: texts that
    ``knows-original`` recognises. ``latency``: seconds added to each chat call. ``faults``: how
    many times a passing fault strikes each prompt before it clears. ``retry_after``: seconds
    announced with a 429, None for no header. ``slow``: seconds that the model ``slow`` takes.
    """

    def __init__(
        self,
        *,
        key: str = "",
        seen: Sequence[str] = (),
        latency: float = 0.0,
        faults: int = 2,
        retry_after: float | None = 0.02,
        slow: float = 30.0,
        port: int = 0,
    ) -> None:
        self.key = key
        self.seen = tuple(text.strip() for text in seen)
        self.latency = latency
        self.faults = faults
        self.retry_after = retry_after
        self.slow = slow
        self.counts: Counter[str] = Counter()  # chat calls that passed the key check, by model
        self.statuses: Counter[int] = Counter()  # chat calls by HTTP status (0: connection cut)
        self.bodies: list[dict[str, Any]] = []  # every chat body that passed the key check
        self.asked_at: list[float] = []  # when each of these came, in seconds
        self.delivered: dict[str, str] = {}  # what ``storm`` last replied, by prompt
        self.usage: Any = TRUE  # what is reported instead of the true usage; None: nothing
        self.poured = 0  # bytes of bodies without measure
        self.lose = 0  # so many replies more are cut off on their way
        self.answers_at_most = math.inf  # later chat calls wait until this is raised
        self.did: Counter[str] = Counter()  # its faults and kinds of reply, by name
        self.in_flight = 0
        self.in_flight_most = 0
        self._struck: Counter[tuple[str, str]] = Counter()
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._runner: web.AppRunner | None = None

    @property
    def root_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"{self.root_url}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def struck(self, call: ChatRequest) -> bool:
        """Whether a passing fault should strike this call; counts it if so."""
        place = (call.model, call.prompt)
        if self._struck[place] >= self.faults:
            return False
        self._struck[place] += 1
        return True

    def strikes(self, call: ChatRequest) -> int:
        """How often a passing fault has struck this prompt."""
        return self._struck[call.model, call.prompt]

    def add_routes(self, app: web.Application) -> None:
        """What the server answers."""
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/completions", self._complete)
        app.router.add_get("/_counts", self._show_counts)

    async def _start(self) -> None:
        app = web.Application(client_max_size=8 * 2**20)
        self.add_routes(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def _stop(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()
        slow = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    def _refuses_key(self, request: web.Request) -> web.Response | None:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not self.key or given == self.key:
            return None
        # Some providers repeat the key in their message; ours repeats all of it, so that a test
        # can show that it goes no further.
        return failure(401, f"Incorrect API key provided: {given}.", "invalid_api_key")

    async def _show_counts(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "total": self.counts.total(),
                "by_model": dict(self.counts),
                "by_status": {str(status): n for status, n in self.statuses.items()},
                "in_flight_most": self.in_flight_most,
            }
        )

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        refused = self._refuses_key(request)
        if refused is not None:
            return refused
        body = await request.json()
        self.counts[body["model"]] += 1
        self.bodies.append(body)
        if body["model"] == "scores-without-end":
            return await self._pour(request, ENDLESS)
        return complete(body, self.seen, self.counts[body["model"]])

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.in_flight_most = max(self.in_flight_most, self.in_flight)
        try:
            return await self._answer(request)
        finally:
            self.in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        refused = self._refuses_key(request)
        if refused is not None:
            self.statuses[refused.status] += 1
            return refused
        body = await request.json()
        call = ChatRequest(body)
        self.counts[call.model] += 1
        number = self.counts.total()
        self.bodies.append(body)
        self.asked_at.append(self._loop.time())
        if self.latency:
            await asyncio.sleep(self.latency)
        while number > self.answers_at_most:
            await asyncio.sleep(0.01)
        behave = storm if call.model == "storm" else {**MODELS, **FLOODS}.get(call.model)
        if behave is None:
            said: FakeReply | web.Response | Fault | Flood = failure(
                404, f"The model `{call.model}` does not exist.", "model_not_found"
            )
        else:
            said = await behave(call, self)
        if isinstance(said, FakeReply):
            said = web.json_response(self._report(call.completion(said)))
        if self.lose:
            self.lose -= 1
            said = Fault.RESET
        self.statuses[said.status if isinstance(said, web.Response) else 0] += 1
        if isinstance(said, web.Response):
            return said
        if isinstance(said, Flood):
            return await self._pour(request, said)
        return await self._cut(request, call, said)

    async def _pour(self, request: web.Request, flood: Flood) -> web.StreamResponse:
        response = web.StreamResponse(status=flood.status, headers=flood.headers)
        response.content_type = "application/json"
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):  # nobody listens any more
            async for chunk in flood.chunks():
                self.poured += len(chunk)
                await response.write(chunk)
        return response

    def _report(self, completion: dict[str, Any]) -> dict[str, Any]:
        if self.usage is not TRUE:
            completion["usage"] = self.usage
        return completion

    async def _cut(
        self, request: web.Request, call: ChatRequest, fault: Fault
    ) -> web.StreamResponse:
        assert request.transport is not None
        if fault is Fault.RESET:
            request.transport.abort()
            return web.Response()  # nobody receives it
        whole = json.dumps(call.completion(FakeReply("A"))).encode()
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.content_length = len(whole)
        await response.prepare(request)
        await response.write(whole[: len(whole) // 2])
        request.transport.close()
        return response


def serve_provider(key: str = "sk-test-provider") -> FakeProvider:
    """A provider that lets one key in, for ``with``: what most tests need."""
    return FakeProvider(key=key)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seen", type=Path, help="a JSON list of texts")
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--faults", type=int, default=2)
    options = parser.parse_args()
    seen = json.loads(options.seen.read_text("utf-8")) if options.seen else []
    with FakeProvider(
        key=os.environ.get("PROVIDER_KEY", ""),
        seen=seen,
        latency=options.latency,
        faults=options.faults,
        port=options.port,
    ) as provider:
        print(provider.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
