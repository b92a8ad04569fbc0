"""A chat endpoint that answers after 50 ms, as cheaply as aiohttp can. Prints its port.

The answer is D; to a request for rewordings (Figure 4), as many as it asks for.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable

from aiohttp import web

LATENCY = 0.05  # seconds
_OTHERS = ("a", "one", "some", "any", "each")  # in place of the first word
_REQUEST = re.compile(rb"create a (\w+)-choice quiz by only")
_COUNTS = {b"one": 1, b"two": 2, b"three": 3, b"four": 4}

REPLY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "test",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "D"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 200, "completion_tokens": 1, "total_tokens": 201},
    }
).encode()


async def answer(request: web.BaseRequest) -> web.Response:
    """The reply, when its time has come."""
    body = await request.read()
    await asyncio.sleep(LATENCY)
    asked = _REQUEST.search(body)
    reply = reword(body, _COUNTS[asked[1]]) if asked else REPLY
    return web.Response(body=reply, content_type="application/json")


def reword(body: bytes, count: int) -> bytes:
    """A reply with ``count`` rewordings of the text in a request. One alone is another than those
    of a request for three."""
    prompt = json.loads(body)["messages"][0]["content"]
    text = prompt.split("Text:\n\n", 1)[1].rsplit("\n\n—", 1)[0]
    _, _, remainder = text.partition(" ")
    first = 0 if count > 1 else 4
    options = [
        f"{letter}) {other} {remainder}"
        for letter, other in zip("ABCD", _OTHERS[first:][:count], strict=False)
    ]
    document = json.loads(REPLY)
    document["choices"][0]["message"]["content"] = "\n\n".join(options)
    return json.dumps(document).encode()


async def serve(answer: Callable[[web.BaseRequest], Awaitable[web.Response]]) -> None:
    """Print a free port and answer there until terminated."""
    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(answer))
