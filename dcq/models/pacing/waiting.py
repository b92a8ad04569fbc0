"""Waiting that can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

LONGEST_WAIT = 60.0  # seconds; if an endpoint wants more, the error is raised to the caller
LOOK_SECONDS = 0.5  # between two checks whether to continue waiting

# Raises to end the waiting; does nothing while it should continue.
Check = Callable[[], None]


def go_on() -> None:
    """A check that never cancels the waiting."""


async def wait(seconds: float, check: Check = go_on) -> None:
    """Sleep for ``seconds``, unless ``check`` raises."""
    end = now() + seconds
    while (left := end - now()) > 0:
        check()
        await asyncio.sleep(min(left, LOOK_SECONDS))


def now() -> float:
    """Seconds, by the event loop's clock."""
    return asyncio.get_running_loop().time()
