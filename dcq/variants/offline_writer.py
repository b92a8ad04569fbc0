"""The offline generator in a model's place: asked by the same engine, at no cost.

What it needs to know stands in the request as JSON, and its reply is a JSON list of texts, so a run
of it is kept, resumed and looked into like any other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dcq.asking.calls import Ask
from dcq.asking.prompt import Prompt
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import Hooks
from dcq.records import Instance, Reply
from dcq.variants import offline

NAME = "offline"
PROMPT = Prompt(name=NAME, version="v1", wording="", temperature=0.0, max_tokens=0)
ENDPOINT = Endpoint(name=NAME, model=NAME, base_url="", preset=NAME, concurrency=1, free=True)


def write_request(
    instance: Instance, count: int, language: str, seed: int, *, commoner: bool = False
) -> str:
    """The request for ``count`` rewordings of an instance, in ``commoner`` words if so wanted."""
    return json.dumps(
        {
            "text": instance.text,
            "count": count,
            "language": language,
            "protected": list(instance.protected),
            "seed": seed,
            **({"commoner": True} if commoner else {}),
        },
        ensure_ascii=False,
    )


def read_reply(reply: Reply) -> list[str]:
    """The texts of a reply."""
    return list(json.loads(reply.text or "[]"))


@asynccontextmanager
async def asking(hooks: Hooks) -> AsyncIterator[Ask]:
    """A function that answers requests; a language that it does not know raises InputError."""

    async def ask(request: str) -> Reply:
        hooks.check()
        wanted = json.loads(request)
        texts = await asyncio.to_thread(
            offline.reword,
            wanted["text"],
            wanted["count"],
            language=wanted["language"],
            protected=wanted["protected"],
            seed=wanted["seed"],
            commoner=wanted.get("commoner", False),
        )
        return Reply(json.dumps(texts, ensure_ascii=False))

    yield ask
