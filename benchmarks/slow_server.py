"""A chat endpoint that answers D after 50 ms, as cheaply as aiohttp can. Prints its port."""

from __future__ import annotations

import asyncio
import json

from aiohttp import web

LATENCY = 0.05  # seconds
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
    """The same reply to everything, when its time has come."""
    await request.read()
    await asyncio.sleep(LATENCY)
    return web.Response(body=REPLY, content_type="application/json")


async def main() -> None:
    """Serve until terminated."""
    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
