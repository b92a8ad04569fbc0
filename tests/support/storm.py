"""The model ``storm``: every fault and every kind of reply in one, settled by the prompt alone.

A prompt meets up to two passing faults before it gets its reply, and the same reply whenever it is
asked again. So a test knows what each question must come to, however often it was interrupted.
"""

from __future__ import annotations

import asyncio
import hashlib

from aiohttp import web

from tests.support.behaviours import (
    REASONING_TOKENS,
    ChatRequest,
    FakeReply,
    Fault,
    Outcome,
    ServerState,
    failure,
    unsupported,
)

FAULTS = (
    "429",
    "429 with Retry-After",
    "500",
    "502",
    "503",
    "reset",
    "half body",
    "malformed JSON",
    "empty choices",
    "timeout",
)
TIMEOUT = 1.5  # seconds: what the client has to give up after
# How often of a hundred; the rest is a plain letter.
REPLIES = {
    "prose": 12,
    "lower case": 8,
    "full width": 8,
    "two letters": 8,
    "null content": 6,
    "refusal": 8,
    "content filter": 6,
    "too long": 4,
    "hidden reasoning": 8,
}


async def storm(call: ChatRequest, server: ServerState) -> Outcome:
    """Deliver the prompt's faults, then its reply, and note in ``delivered`` what that amounts
    to: a letter, or the name of an outcome. Parameters that reasoning models do not take are
    rejected before all else."""
    if "max_tokens" in call.body:
        server.did["max_tokens"] += 1
        return unsupported("max_tokens", "max_completion_tokens")
    for parameter in ("temperature", "logprobs"):
        if parameter in call.body:
            server.did[parameter] += 1
            return unsupported(parameter)
    chance = hashlib.sha256(b"storm" + call.prompt.encode()).digest()
    struck = server.strikes(call)
    if struck < chance[0] % 3 and server.struck(call):
        fault = FAULTS[chance[1 + struck] % len(FAULTS)]
        server.did[fault] += 1
        return await _fault(fault, call)
    kind = _kind(int.from_bytes(chance[3:5], "big") % 100)
    server.did[kind] += 1
    said, amount = _reply(kind, call)
    server.delivered[call.prompt] = amount
    return said


def _kind(place: int) -> str:
    for name, share in REPLIES.items():
        place -= share
        if place < 0:
            return name
    return "letter"


async def _fault(name: str, call: ChatRequest) -> Outcome:
    if name == "timeout":
        await asyncio.sleep(2 * TIMEOUT)
        return Fault.RESET  # nobody is there any more
    if name.startswith("429"):
        headers = {"Retry-After": "0.05"} if "with" in name else {}
        return failure(429, "Rate limit reached.", "rate_limit_exceeded", headers=headers)
    if name.isdigit():
        return failure(int(name), "The server had an error.")
    if name == "reset":
        return Fault.RESET
    if name == "half body":
        return Fault.HALF_BODY
    if name == "malformed JSON":
        return web.Response(text='{"choices": [{"mess', content_type="application/json")
    return web.json_response({**call.completion(FakeReply("A")), "choices": []})


def _reply(name: str, call: ChatRequest) -> tuple[Outcome, str]:
    letter = call.guess()
    if name == "prose":
        return FakeReply(f"The answer is **{letter}**."), letter
    if name == "lower case":
        return FakeReply(letter.lower()), letter
    if name == "full width":
        return FakeReply(chr(ord(letter) + 0xFEE0)), letter
    if name == "two letters":
        return FakeReply("A or B"), "invalid"
    if name == "null content":
        return FakeReply(None), "invalid"
    if name == "refusal":
        return FakeReply(None, refusal="I can't help with that."), "refused"
    if name == "content filter":
        return FakeReply(None, "content_filter"), "refused"
    if name == "hidden reasoning":
        if call.limit is not None and call.limit <= REASONING_TOKENS:
            return FakeReply("", "length", reasoning=call.limit), ""
        return FakeReply(letter, reasoning=REASONING_TOKENS), letter
    if name == "too long":
        too_long = "This model's maximum context length is 512 tokens."
        return failure(400, too_long, "context_length_exceeded", param="messages"), "error"
    return FakeReply(letter), letter
