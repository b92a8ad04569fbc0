"""Bodies of endpoints of the world, and a model that sends them, for ``tests/world``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from dcq.models.chat import ChatClient
from dcq.models.completion import Completion, read_completion
from dcq.models.endpoints import Endpoint
from dcq.models.faults import Trouble
from dcq.records import Reply
from tests.conftest import KEY
from tests.support.behaviours import MODELS, Behaviour, ChatRequest, ServerState
from tests.support.provider import FakeProvider

GITHUB = "https://github.com/"
PROMPT = "Which?\nA) one\nB) two\nC) three\nD) four"


def answer(usage: Any = None, **more: Any) -> dict[str, Any]:
    """The body of a reply that says B."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"content": "B"}}
    return {"choices": [choice | more.pop("choice", {})], "usage": usage, **more}


def read(body: Any, headers: Mapping[str, str] | None = None) -> Completion | Trouble:
    return read_completion(json.dumps(body).encode(), headers or {})


def sends(body: Any, status: int = 200) -> Behaviour:
    """Always the same body."""

    async def behave(call: ChatRequest, server: ServerState) -> web.Response:
        return web.json_response(body, status=status)

    return behave


def ask(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, behave: Behaviour, *prompts: str,
    max_tokens: int = 5,
) -> list[Reply]:  # fmt: skip
    """The replies of a model that behaves so, one after another."""
    monkeypatch.setitem(MODELS, "worldly", behave)
    endpoint = Endpoint("worldly", "worldly", provider.base_url, key=SecretStr(KEY))

    async def go() -> list[Reply]:
        async with ChatClient(endpoint, first_wait=0.001) as client:
            return [
                await client.ask(prompt, max_tokens=max_tokens, temperature=0.0)
                for prompt in prompts or (PROMPT,)
            ]

    return asyncio.run(go())
