"""Limits that endpoints name when they reject a call, and replies that come as streams.

Each case is rebuilt from a public thread or page, which it names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web

from dcq.errors import RequestRejectedError
from dcq.models.completion import Completion, read_completion
from dcq.models.faults import Trouble
from dcq.models.quirks import REASONING_RESERVE
from dcq.models.stream import join_stream
from tests.support.behaviours import ChatRequest, FakeReply, ServerState
from tests.support.provider import FakeProvider
from tests.support.worldly import GITHUB, PROMPT, ask, sends

# Limits


@dataclass(frozen=True)
class Limited:
    """A server that rejects a call unless ``takes`` says yes of the limit, with these words."""

    source: str
    says: str
    least: int = 0
    greatest: int = 10**9
    needs: int = 0  # tokens before the reply
    status: int = 400


NESTED = json.dumps(
    {
        "error": {
            "message": "Expected a value >= 16, but got 5 instead.",
            "param": "max_output_tokens",
        }
    }
)
LIMITS = [
    Limited(
        f"{GITHUB}vectorize-io/hindsight/issues/58",
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got"
        " {n} instead.",
        least=16,
    ),
    Limited(f"{GITHUB}musistudio/claude-code-router/issues/994", f"max_output_tokens {NESTED}", 16),
    Limited(
        f"{GITHUB}agentscope-ai/QwenPaw/pull/4489",
        "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [10, 65536]",
        least=10,
    ),
    Limited(
        f"{GITHUB}henrycunh/golem/issues/44",
        "{n} is less than the minimum of 16 - 'max_tokens'",
        16,
    ),
    Limited(
        f"{GITHUB}open-webui/open-webui/issues/10507",
        "Range of max_tokens should be [1, 2048]",
        greatest=2048,
        needs=100,
    ),
    Limited(
        f"{GITHUB}openai/openai-python/issues/687",
        "max_tokens is too large: {n}. This model supports at most 2048 completion tokens, whereas"
        " you provided {n}.",
        greatest=2048,
        needs=100,
    ),
    Limited(
        f"{GITHUB}BerriAI/litellm/issues/5198",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]",
        greatest=2048,
        needs=100,
    ),
    Limited(
        f"{GITHUB}aws-samples/bedrock-access-gateway/issues/41",
        "The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum"
        " tokens value that is lower than 2048.",
        greatest=2047,
        needs=100,
    ),
    Limited(
        "https://console.groq.com/docs/errors",
        "`max_tokens` must be less than or equal to `2048`, the maximum value for `max_tokens` is"
        " less than the `context_window` for this model",
        greatest=2048,
        needs=100,
    ),
    Limited(
        f"{GITHUB}stepfun-ai/Step-Audio-R1/issues/3",
        "'max_tokens' or 'max_completion_tokens' is too large: {n}. This model's maximum context"
        " length is 2048 tokens and your request has 350 input tokens ({n} > 2048 - 350).",
        greatest=1698,
        needs=100,
    ),
    Limited(
        f"{GITHUB}evalstate/fast-agent/issues/621",
        "This model's maximum context length is 2048 tokens. However, you requested 9999 tokens"
        " (350 in the messages, {n} in the completion). Please reduce the length of the messages or"
        " completion.",
        greatest=1698,
        needs=100,
    ),
    Limited(
        f"{GITHUB}continuedev/continue/issues/6080",
        "input length and `max_tokens` exceed context limit: 350 + {n} > 2048, decrease input"
        " length or `max_tokens` and try again",
        greatest=1698,
        needs=100,
    ),
    Limited(
        f"{GITHUB}huggingface/text-generation-inference/issues/1236",
        "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 350 `inputs` tokens and {n}"
        " `max_new_tokens`",
        greatest=1698,
        needs=100,
    ),
    Limited(
        "https://console.groq.com/docs/rate-limits",
        "Request too large on tokens per minute (TPM): Limit 3000, Requested 4000",
        greatest=REASONING_RESERVE + 5 - 1000,
        needs=100,
        status=413,
    ),
]


@pytest.mark.parametrize("limited", LIMITS, ids=[limited.source for limited in LIMITS])
def test_a_limit_is_moved_to_what_the_endpoint_names_and_kept(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, limited: Limited
) -> None:
    async def behave(call: ChatRequest, server: ServerState) -> Any:
        n = call.limit or 0
        if not limited.least <= n <= limited.greatest:
            message = limited.says.replace("{n}", str(n))
            return web.json_response({"error": {"message": message}}, status=limited.status)
        if n < limited.needs:
            return FakeReply("", "length", reasoning=n)
        return FakeReply(call.guess(), reasoning=limited.needs)

    first, second = ask(provider, monkeypatch, behave, PROMPT, PROMPT + "?")
    assert first.text in list("ABCD")
    named = limited.least or limited.greatest
    assert first.sent["max_tokens"] == named
    assert second.attempts == 1
    # A longer prompt leaves less of a context.
    assert named - 20 <= second.sent["max_tokens"] <= named


@pytest.mark.parametrize(
    "message",
    [
        f"max_tokens: expected a value >= {10**6}",  # more than anyone agreed to pay for
        "max_tokens must be at least 1, got -950",
        "This model's maximum context length is 64 tokens and your request has 63 input tokens",
    ],
)
def test_a_limit_out_of_reach_is_not_followed(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    body = {"error": {"message": message}}
    with pytest.raises(RequestRejectedError):
        ask(provider, monkeypatch, sends(body, 400))
    sent = [body.get("max_tokens", body.get("max_completion_tokens")) for body in provider.bodies]
    assert set(sent) == {5}
    assert len(sent) <= 2


def test_an_endpoint_that_names_another_limit_each_time_is_left(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def greedy(call: ChatRequest, server: ServerState) -> web.Response:
        message = f"max_tokens: expected a value >= {(call.limit or 0) + 1}"
        return web.json_response({"error": {"message": message}}, status=400)

    with pytest.raises(RequestRejectedError):
        ask(provider, monkeypatch, greedy)
    assert len(provider.bodies) == 2


@pytest.mark.parametrize(
    ("status", "message"),
    [
        # huggingface/text-generation-inference#1236, ai-forever/gigachain#237
        (422, "Input validation error: `temperature` must be strictly positive"),
        (422, "Invalid params: temperature must be in range (0, +inf)"),
    ],
)
def test_a_temperature_that_may_not_be_0_is_nearly_0(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, status: int, message: str
) -> None:
    async def behave(call: ChatRequest, server: ServerState) -> Any:
        if call.body.get("temperature") == 0:
            return web.json_response({"message": message, "status": status}, status=status)
        return FakeReply(call.guess())

    (reply,) = ask(provider, monkeypatch, behave)
    assert reply.sent["temperature"] == 0.01


# Streams

CHUNK = '"object":"chat.completion.chunk","choices":[{"index":0,"delta"'
STREAMS = [
    (
        f"{GITHUB}openclaw/openclaw/pull/97474",
        f'data: {{{CHUNK}:{{"role":"assistant","content":""}}}}]}}\n\n'
        f'data: {{{CHUNK}:{{"content":"B"}}}}]}}\n\n'
        f'data: {{{CHUNK}:{{}},"finish_reason":"stop"}}],'
        '"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    ),
    (  # no empty lines between the pieces
        f"{GITHUB}orhanerday/ChatGPT/issues/8",
        f'data: {{{CHUNK}:{{"content":"B"}}}}]}}\n'
        f'data: {{{CHUNK}:{{}},"finish_reason":"stop"}}],'
        '"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\ndata: [DONE]\n',
    ),
    (  # comments, events without data, a first piece without a choice, usage on its own
        f"{GITHUB}meilisearch/meilisearch/pull/6477",
        ": keep-alive\n\nretry: 3000\n\n"
        'data: {"choices":[],"prompt_filter_results":[]}\n\n'
        f'event: message\ndata: {{{CHUNK}:{{"content":"B"}}}}]}}\n\n'
        f'data: {{{CHUNK}:{{}},"finish_reason":"stop"}}]}}\n\n'
        'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}'
        "\n\ndata: [DONE]\n\n",
    ),
]


@pytest.mark.parametrize("body", [case[1] for case in STREAMS], ids=[case[0] for case in STREAMS])
def test_a_body_that_is_always_a_stream_is_read(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    async def behave(call: ChatRequest, server: ServerState) -> web.Response:
        return web.Response(text=body, content_type="text/event-stream")

    (reply,) = ask(provider, monkeypatch, behave)
    assert (reply.text, reply.finish_reason, reply.attempts) == ("B", "stop", 1)
    assert (reply.tokens_in, reply.tokens_out, reply.usage_reported) == (9, 1, True)


def test_a_stream_that_breaks_off_or_ends_in_an_error_is_no_reply() -> None:
    """ggml-org/llama.cpp#16109: errors come as events of the stream."""
    begun = f'data: {{{CHUNK}:{{"content":"B"}}}}]}}\n\n'
    assert isinstance(read_completion(join_stream(begun.encode()), {}), Trouble)
    failed = begun + 'data: {"error":{"code":503,"message":"overloaded"}}\n\n'
    got = read_completion(join_stream(failed.encode()), {})
    assert isinstance(got, Trouble)
    assert got.status == 503


def test_a_long_stream_is_joined_in_linear_time() -> None:
    pieces = f'data: {{{CHUNK}:{{"content":"word "}}}}]}}\n\n' * 20_000
    got = read_completion(join_stream(f"{pieces}data: [DONE]\n\n".encode()), {})
    assert isinstance(got, Completion)
    assert got.text == "word " * 20_000
