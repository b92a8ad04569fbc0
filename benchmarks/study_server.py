"""A chat endpoint for ``benchmarks.study_scale`` that answers after 5 ms. Prints its port.

To a quiz it says one of the four letters, by the request; to a request for rewordings, as many as
it asks for, in other words of the same kind. GET says how many requests there were.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random

from aiohttp import web

from benchmarks.slow_server import serve
from tests.support.behaviours import ChatRequest, reword_by

LATENCY = 0.005  # seconds
# Words of which any may stand for any other, so that none gives an original away.
KINDS = (
    ("red", "blue", "green", "white", "black", "brown", "grey", "yellow"),
    ("farmer", "baker", "doctor", "teacher", "sailor", "miller", "hunter", "painter"),
    ("carried", "lifted", "dropped", "washed", "painted", "counted", "ordered", "repaired"),
    ("stones", "boxes", "chairs", "bottles", "ropes", "lamps", "boards", "baskets"),
    ("spring", "summer", "autumn", "winter"),
    ("church", "bridge", "market", "school", "harbour", "castle", "forest", "river"),
)
_KIND_OF = {word: kind for kind in KINDS for word in kind}


def in_other_words(text: str, count: int) -> list[str]:
    """Rewordings of a text: each word that has others of its kind becomes one of them. In a text
    without such words, some long ones change places."""
    draw = random.Random(text)
    words = text.split(" ")
    if any(word in _KIND_OF for word in words):
        return [
            " ".join(draw.choice(_KIND_OF[word]) if word in _KIND_OF else word for word in words)
            for _ in range(count)
        ]
    movable = [at for at, word in enumerate(words) if word.isalpha() and word.islower()]
    return [_with_swaps(words, draw.sample(movable, min(4, len(movable)))) for _ in range(count)]


def _with_swaps(words: list[str], places: list[int]) -> str:
    moved = dict(zip(places, [*places[1:], *places[:1]], strict=True))
    return " ".join(words[moved.get(at, at)] for at in range(len(words)))


def reply_of(content: str, prompt: bytes) -> bytes:
    """A reply as endpoints write it."""
    tokens_in = len(prompt) // 4
    message = {"role": "assistant", "content": content}
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "test",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": 1,
            "total_tokens": tokens_in + 1,
        },
    }
    return json.dumps(document).encode()


class Server:
    """Answers, and counts what it was asked."""

    def __init__(self) -> None:
        self.count = 0

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """The reply, when its time has come."""
        if request.method == "GET":
            return web.Response(text=str(self.count))
        self.count += 1
        body = await request.read()
        await asyncio.sleep(LATENCY)
        said = "ABCD"[hashlib.md5(body, usedforsecurity=False).digest()[0] % 4]
        if b"-choice quiz by " in body:
            said = reword_by(ChatRequest(json.loads(body)), in_other_words).text or ""
        return web.Response(body=reply_of(said, body), content_type="application/json")


if __name__ == "__main__":
    asyncio.run(serve(Server().answer))
