"""Playwright that waits while an element is on the page twice.

While a script runs, Streamlit shows what it drew the last time until something new is in its place;
so for a moment a button may be there as it was and as it is. Playwright waits for anything but
that: whatever names two elements where it needs one fails at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Any

import pytest
from playwright._impl.channel_owner import Channel
from playwright._impl.errors import Error

_PATIENCE = 10.0  # seconds
_original = Channel._call


def install() -> None:
    """From then on all that is asked of pages waits."""
    pytest.MonkeyPatch().setattr(Channel, "_call", _call)  # for good; there is no hook for this


def _call(
    channel: Channel, method: str, params: dict[str, Any], *args: Any, **kwargs: Any
) -> Awaitable[Any]:
    if not params.get("selector"):
        return _original(channel, method, params, *args, **kwargs)
    return _again(channel, method, params, *args, **kwargs)


async def _again(channel: Channel, *args: Any, **kwargs: Any) -> Any:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return await _original(channel, *args, **kwargs)
        except Error as error:
            said = f"{error} {error._details}"
            if "strict mode violation" not in said or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.1)
