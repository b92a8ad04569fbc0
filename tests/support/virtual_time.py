"""An event loop whose clock leaps: what waits a minute is over at once, and to the microsecond.

For code that waits by the loop's clock alone; nothing outside the loop (a server, a thread) may be
waited for in it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Leap(selectors.SelectSelector):
    """Ready at once, whatever the time-out; adds the time-outs up."""

    seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everything waits, and nothing is due"
        self.seconds += max(timeout, 0.0)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._leap = _Leap()
        super().__init__(self._leap)

    def time(self) -> float:
        return self._leap.seconds


def run(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """What ``work`` gives, and how many seconds it took by the loop's clock."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work), runner.get_loop().time()
