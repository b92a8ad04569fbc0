"""A provider that repeats what it is sent, and the key it is sent with, in every field that a reply
or an error can have.

The model's name says how: ``echo-CODE`` answers, ``echo-CODE-STATUS`` fails with this status, once
for each prompt where calls are retried, and then answers.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from aiohttp import web

from tests.support.provider import FakeProvider

CODES: Mapping[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "collapsed": lambda text: "".join(text.split()),
    "json": lambda text: json.dumps(json.dumps(text)),
    "escaped": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "address": lambda text: quote(text, safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "cut": lambda text: text[: len(text) * 3 // 4],
}
PASSING = {"429", "500", "503"}
NAMES = {  # of members, by what is in them: texts, lists or objects
    "text": (
        *("id", "object", "model", "system_fingerprint", "service_tier", "finish_reason", "role"),
        *("refusal", "reasoning_content", "reasoning", "stop_reason", "provider", "warning"),
        *("message", "type", "param", "detail", "status", "created_at", "custom_id"),
        *("native_finish_reason", "finishReason", "blockReason", "block_reason", "total_tokens"),
        "amazon-bedrock-guardrailAction",
        *("prompt_tokens", "completion_tokens", "reasoning_tokens", "request_id"),
    )
}
HEADERS = (
    *("x-request-id", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    *("retry-after", "retry-after-ms", "openai-organization", "openai-processing-ms", "server"),
    *("set-cookie", "location", "www-authenticate", "x-ratelimit-limit-requests"),
)


def completion(told: str, letter: str) -> dict[str, Any]:
    """A chat completion that chooses ``letter`` and has what was ``told`` wherever it can."""
    texts = dict.fromkeys(NAMES["text"], told)
    token = {"token": told, "logprob": -0.1, "bytes": list(told.encode()), told: told}
    call = {"id": told, "type": told, "function": {"name": told, "arguments": json.dumps([told])}}
    message = texts | {
        "content": f"{letter}) {told}",
        "refusal": None,
        "tool_calls": [call],
        "annotations": [{"type": told, "url_citation": {"url": told, "title": told}}],
    }
    choice = texts | {
        "index": 0,
        "message": message,
        "logprobs": {"content": [token | {"top_logprobs": [token, token]}], "refusal": [token]},
    }
    feedback = {"promptFeedback": texts, "prompt_feedback": texts}
    usage = texts | {"completion_tokens_details": texts, "prompt_tokens_details": texts}
    return (
        texts
        | feedback
        | {"choices": [choice], "usage": usage, "error": None, told: {told: [told]}}
    )


def error(told: str) -> dict[str, Any]:
    """An error that has it wherever it can."""
    texts = dict.fromkeys(NAMES["text"], told)
    inner = texts | {"code": told, "metadata": {"raw": told, "headers": {told: told}}}
    return texts | {"error": inner, "errors": {"data": [inner]}}


def scores(told: str, prompt: str) -> dict[str, Any]:
    """A completion that echoes its prompt, as it was asked to, and repeats it everywhere else."""
    words = prompt.split(" ")
    tokens = [words[0], *(f" {word}" for word in words[1:]), " yes"]
    values: list[float | None] = [None, *[-2.0] * (len(words) - 1), -9.0]
    choice = dict.fromkeys(NAMES["text"], told) | {
        "text": f"{prompt} yes",
        "logprobs": {"tokens": tokens, "token_logprobs": values, "top_logprobs": [{told: -1.0}]},
    }
    texts = dict.fromkeys(NAMES["text"], told)
    return texts | {"choices": [choice], "usage": texts | {"completion_tokens": 1}}


class EchoProvider(FakeProvider):
    """See this module. ``told`` is all that it has said back, so that a test can see that it
    did."""

    def __init__(self, *, key: str = "") -> None:
        super().__init__(key=key)
        self.told: list[str] = []
        self._failed: set[tuple[str, str]] = set()

    def add_routes(self, app: web.Application) -> None:
        """What the server answers."""
        app.router.add_post("/v1/chat/completions", self._repeat)
        app.router.add_post("/v1/completions", self._repeat)

    async def _repeat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        model = str(body["model"])
        messages = body.get("messages") or [{"content": body.get("prompt")}]
        prompt = str(messages[0]["content"])
        self.counts[model] += 1
        self.bodies.append(body)
        code, _, status = model.removeprefix("echo-").partition("-")
        asked = f"{prompt}\n{request.headers.get('Authorization', '')}"
        told = CODES[code](asked)
        self.told.append(told)
        headers = {name: CODES["address"](told)[:3_000] for name in HEADERS}
        reason = CODES["address"](told)[:500]
        failing = bool(status) and (model, prompt) not in self._failed
        if failing and status in PASSING:
            self._failed.add((model, prompt))
        if failing:
            return web.json_response(
                error(told), status=int(status), reason=reason, headers=headers
            )
        document = scores(told, prompt) if "prompt" in body else completion(told, "A")
        return web.json_response(document, reason=reason, headers=headers)
