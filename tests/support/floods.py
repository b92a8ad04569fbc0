"""Models whose replies have no measure: what a hostile endpoint sends to fill a machine."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Callable
from functools import cache

from tests.support.behaviours import Behaviour, ChatRequest, FakeReply, Flood, Outcome, ServerState

MB = 2**20


@cache
def _packed() -> tuple[bytes, ...]:
    """Half a gigabyte of spaces as half a megabyte of gzip."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    chunks = [packer.compress(b" " * MB) for _ in range(512)]
    return tuple(chunk for chunk in [*chunks, packer.flush()] if chunk)


async def _bomb() -> AsyncIterator[bytes]:
    for chunk in _packed():
        yield chunk


async def _twice_packed() -> AsyncIterator[bytes]:
    """The same, packed once more."""
    yield gzip.compress(b"".join(_packed()))


async def _endless() -> AsyncIterator[bytes]:
    yield b'{"choices": ['
    while True:
        yield b"{}," * 20_000


async def _trickle() -> AsyncIterator[bytes]:
    yield b'{"choices": ['
    while True:
        yield b"{},"
        await asyncio.sleep(0.05)


async def _large() -> AsyncIterator[bytes]:
    """A whole reply of 200 MB."""
    yield b'{"choices": [{"message": {"content": "A'
    for _ in range(200):
        yield b"A" * MB
    yield b'"}}]}'


async def _many_objects() -> AsyncIterator[bytes]:
    """Below the limit as text, and much more when it is read."""
    yield b'{"choices": [' + b"{}," * 690_000 + b"{}]}"


def _pours(
    chunks: Callable[[], AsyncIterator[bytes]], status: int = 200, encoding: str = ""
) -> Behaviour:
    headers = {"Content-Encoding": encoding} if encoding else {}

    async def behave(call: ChatRequest, server: ServerState) -> Outcome:
        return Flood(chunks, status, headers)

    return behave


async def _almost(call: ChatRequest, server: ServerState) -> Outcome:
    """A reply of one and a half megabytes around the letter, which may be read."""
    whole = json.dumps({**call.completion(FakeReply("A")), "padding": " " * (3 * MB // 2)}).encode()

    async def chunks() -> AsyncIterator[bytes]:
        yield whole

    return Flood(chunks)


FLOODS: dict[str, Behaviour] = {
    "gzip-bomb": _pours(_bomb, encoding="gzip"),
    "gzip-bomb-400": _pours(_bomb, 400, "gzip"),
    "twice-packed": _pours(_twice_packed, encoding="gzip, gzip"),
    "endless": _pours(_endless),
    "endless-500": _pours(_endless, 500),
    "trickle": _pours(_trickle),
    "large": _pours(_large),
    "many-objects": _pours(_many_objects),
    "almost-too-large": _almost,
}

ENDLESS = Flood(_endless)  # of plain completions too
