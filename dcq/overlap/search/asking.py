"""Services and archives asked by the engine in a model's place, one request at a time.

All that they need to know is in the request as JSON, and their reply is JSON, so that such a run is
stored, resumed, reused and inspected like any other.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import date
from typing import Any

from dcq.errors import EndpointError, InputError, RequestRejectedError
from dcq.models.hooks import Hooks
from dcq.overlap.search.archives import Archive
from dcq.overlap.search.client import SearchClient
from dcq.overlap.search.service import Scope, Service, WebPage, Window
from dcq.records import Ask, Reply

MOST_CHARACTERS = 500_000  # of the passages of one reply; usual ones have some thousand


def write_query(query: str, scope: Scope) -> str:
    """A request to a service."""
    return json.dumps(
        {"query": query, "language": scope.language, **_days(scope.window)}, ensure_ascii=False
    )


def write_page(url: str, window: Window) -> str:
    """A request to an archive."""
    return json.dumps({"page": url, **_days(window)}, ensure_ascii=False)


def read_pages(text: str) -> list[WebPage]:
    """The pages of a service's reply."""
    return [
        WebPage(row["url"], row["title"], tuple(row["fragments"]), tuple(row["marked"]))
        for row in json.loads(text)
    ]


@asynccontextmanager
async def asking_service(service: Service, hooks: Hooks) -> AsyncIterator[Ask]:
    """A function that searches for one query."""
    async with SearchClient(service.name, service.address, hooks, service.key_variable) as send:

        async def search(asked: dict[str, Any]) -> object:
            scope = Scope(_window(asked), asked["language"])
            pages = [asdict(page) for page in await service.search(send, asked["query"], scope)]
            if len(json.dumps(pages, ensure_ascii=False)) > MOST_CHARACTERS:
                raise RequestRejectedError(
                    f"{service.name} sent over {MOST_CHARACTERS:,} characters of passages for one "
                    "query."
                )
            return pages

        yield _counted(send, search)


@asynccontextmanager
async def asking_archive(archive: Archive, hooks: Hooks) -> AsyncIterator[Ask]:
    """A function that looks up one page in an archive."""
    async with SearchClient(archive.name, archive.address, hooks) as send:

        async def look_up(asked: dict[str, Any]) -> object:
            window = _window(asked)
            if window is None:
                raise InputError("An archive is asked about a window of time; name one.")
            return await archive.has(send, asked["page"], window)

        yield _counted(send, look_up)


def _counted(send: SearchClient, do: Callable[[dict[str, Any]], Awaitable[object]]) -> Ask:
    """As ``do``, for requests and replies as text, with the calls that each took."""

    async def ask(request: str) -> Reply:
        before, began = send.calls, time.monotonic()
        try:
            result = await do(json.loads(request))
        except EndpointError as error:
            error.calls = send.calls - before
            raise
        return Reply(
            json.dumps(result, ensure_ascii=False),
            seconds=time.monotonic() - began,
            attempts=send.calls - before,
        )

    return ask


def _days(window: Window | None) -> dict[str, str]:
    return {"from": str(window.start), "to": str(window.end)} if window else {}


def _window(asked: dict[str, Any]) -> Window | None:
    if "from" not in asked:
        return None
    return Window(date.fromisoformat(asked["from"]), date.fromisoformat(asked["to"]))
