"""Waiting that can be called off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

LOOK_SECONDS = 0.5  # between two looks whether to go on waiting

# Raises what ends the waiting; does nothing while it is to go on.
Check = Callable[[], None]


def go_on() -> None:
    """The check of whoever has nothing that could call the waiting off."""


async def wait(seconds: float, check: Check = go_on) -> None:
    """Sleep for so long, unless ``check`` raises."""
    end = now() + seconds
    while (left := end - now()) > 0:
        check()
        await asyncio.sleep(min(left, LOOK_SECONDS))


def now() -> float:
    """Seconds, by the event loop's clock."""
    return asyncio.get_running_loop().time()
