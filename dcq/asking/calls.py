"""A model ready to be asked with a given prompt's settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from dcq.asking.scoring import scoring
from dcq.models.chat import ChatClient
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.serving import serve
from dcq.records import Ask, Mode, Reply

# Asked for in each call: enough for the letters beside some other words.
TOP_LOGPROBS = 20
# The embedded model and local servers give log-probabilities at no cost. Hosted ones differ by
# model (some answer 403, which also means a missing permission), so they are asked on request only.
_GIVES_LOGPROBS = frozenset({"embedded", "vllm", "llamacpp"})


@asynccontextmanager
async def asking(
    endpoint: Endpoint,
    *,
    temperature: float,
    max_tokens: int,
    logprobs: bool = False,
    hooks: Hooks = NO_HOOKS,
) -> AsyncIterator[Ask]:
    """A function that sends one prompt; the embedded model's server lives as long as it is used.

    ``logprobs`` asks for those of the first token's candidates, as far as the endpoint gives them.
    In likelihood mode a prompt is a list of texts to score, as ``scoring.write_texts`` writes it.
    """
    if endpoint.mode is Mode.LIKELIHOOD:
        async with scoring(endpoint, hooks) as score:
            yield score
        return
    with ExitStack() as stack:
        # In a thread, because a model takes a second to start and other runs have calls in flight.
        ready = await asyncio.to_thread(stack.enter_context, serve(endpoint))
        async with ChatClient(ready, hooks=hooks) as client:

            async def ask(prompt: str) -> Reply:
                return await client.ask(
                    prompt,
                    temperature=temperature,
                    max_tokens=max_tokens,
                    top_logprobs=TOP_LOGPROBS if logprobs else None,
                )

            yield ask


def gives_logprobs(endpoint: Endpoint) -> bool:
    """Whether to ask for log-probabilities where nobody said."""
    return endpoint.preset in _GIVES_LOGPROBS
