"""Wait for asynchronous work, also where an event loop is running already, as in a notebook."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Found = TypeVar("Found")


def wait_for(work: Coroutine[Any, Any, Found], stop: asyncio.Event | None = None) -> Found:
    """Run ``work`` to its end, in a thread with an event loop of its own, and return its result.
    Ctrl-C sets ``stop`` and waits for the calls in flight; without ``stop``, or a second time, it
    cancels the work."""
    loop = asyncio.new_event_loop()

    def finish() -> Found:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(work)

    def cancel() -> None:
        for task in asyncio.all_tasks(loop):
            task.cancel()

    with ThreadPoolExecutor(1, "dcq") as apart:
        working = apart.submit(finish)
        try:
            return working.result()
        except KeyboardInterrupt:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(stop.set if stop else cancel)
                try:
                    working.exception()
                except KeyboardInterrupt:
                    loop.call_soon_threadsafe(cancel)
            raise
