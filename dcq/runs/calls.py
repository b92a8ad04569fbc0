"""A model ready to be asked with a given prompt's settings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from dcq.models.chat import ChatClient
from dcq.models.endpoints import Endpoint
from dcq.models.pace import Pace
from dcq.models.serving import serve
from dcq.records import Reply

Ask = Callable[[str], Awaitable[Reply]]


@asynccontextmanager
async def asking(
    endpoint: Endpoint, *, temperature: float, max_tokens: int, concurrency: int | None = None
) -> AsyncIterator[Ask]:
    """A function that sends one prompt; the embedded model's server lives as long as it is used."""
    with serve(endpoint) as ready:
        async with ChatClient(ready, pace=Pace(concurrency or endpoint.concurrency)) as client:

            async def ask(prompt: str) -> Reply:
                return await client.ask(prompt, temperature=temperature, max_tokens=max_tokens)

            yield ask
