"""The model ``storm``: every fault and every kind of reply in one, settled by the prompt alone.

A prompt meets up to two passing faults before it gets its reply, and the same reply whenever it is
asked again. So a test knows what each question must come to, however often it was interrupted.
"""

from __future__ import annotations

import hashlib

from aiohttp import web

from tests.support.behaviours import Call, Fault, Outcome, Said, Server, failure

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
)
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
}


async def storm(call: Call, server: Server) -> Outcome:
    """Deliver the prompt's faults, then its reply, and note in ``delivered`` what that amounts
    to: a letter, or the name of an outcome."""
    chance = hashlib.sha256(b"storm" + call.prompt.encode()).digest()
    struck = server.strikes(call)
    if struck < chance[0] % 3 and server.struck(call):
        return _fault(FAULTS[chance[1 + struck] % len(FAULTS)], call)
    said, amount = _reply(_kind(int.from_bytes(chance[3:5], "big") % 100), call)
    server.delivered[call.prompt] = amount
    return said


def _kind(place: int) -> str:
    for name, share in REPLIES.items():
        place -= share
        if place < 0:
            return name
    return "letter"


def _fault(name: str, call: Call) -> Outcome:
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
    return web.json_response({**call.completion(Said("A")), "choices": []})


def _reply(name: str, call: Call) -> tuple[Outcome, str]:
    letter = call.guess()
    if name == "prose":
        return Said(f"The answer is **{letter}**."), letter
    if name == "lower case":
        return Said(letter.lower()), letter
    if name == "full width":
        return Said(chr(ord(letter) + 0xFEE0)), letter
    if name == "two letters":
        return Said("A or B"), "invalid"
    if name == "null content":
        return Said(None), "invalid"
    if name == "refusal":
        return Said(None, refusal="I can't help with that."), "refused"
    if name == "content filter":
        return Said(None, "content_filter"), "refused"
    if name == "too long":
        too_long = "This model's maximum context length is 512 tokens."
        return failure(400, too_long, "context_length_exceeded", param="messages"), "error"
    return Said(letter), letter
