"""The rest of a limit per minute, for one process or for all that share its file, and waiting that
can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import lock_descriptor

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


# Another process has the file only for a moment, but cannot wake us when it is done.
LOOK_AGAIN = 0.002  # seconds
LONGEST = 200  # bytes: two numbers, and no more of what is not ours


@dataclass
class _Account:
    """What was left (negative: taken on credit), and when, by the event loop's clock: on Linux the
    time since boot."""

    level: float
    at: float


class RateLimit:
    """A limit per minute, refilled continuously; up to one second's worth may be saved up.

    ``file``: where the state is stored, so that processes which ask one provider share its limit;
    if it cannot be written, each process applies the limit alone.
    """

    def __init__(self, per_minute: float, file: Path | None = None) -> None:
        self._rate = per_minute / 60
        self._most = max(self._rate, 1.0)
        self._file = file
        self._own = _Account(self._most, now())

    async def take(self, amount: float, check: Check = go_on) -> None:
        """Wait until ``amount`` is available, then take it. A call larger than what may be saved up
        goes through when everything is available, on credit, and the next calls wait for it. If
        ``check`` raises, nothing is taken."""
        enough = min(amount, self._most)
        while True:
            try:
                with self._account() as account:
                    time = now()
                    # After a reboot the stored time lies in the future of the clock.
                    passed = max(0.0, time - account.at)
                    account.level = min(self._most, account.level + passed * self._rate)
                    account.at = time
                    if account.level >= enough:
                        account.level -= amount
                        return
                    seconds = (enough - account.level) / self._rate + 0.001
            except BlockingIOError:
                seconds = LOOK_AGAIN
            await wait(seconds, check)

    @contextmanager
    def _account(self) -> Iterator[_Account]:
        """The state, saved when the block ends. Raises BlockingIOError while another has it."""
        file = self._open()
        if file is None:
            yield self._own
            return
        with file:
            if not lock_descriptor(file.fileno(), blocking=False):
                raise BlockingIOError
            self._own = _read(file) or self._own
            yield self._own
            with contextlib.suppress(OSError):  # a full disk: the limit is applied alone
                file.truncate(0)
                file.write(json.dumps([self._own.level, self._own.at]).encode())

    def _open(self) -> io.FileIO | None:
        if self._file is None:
            return None
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            return io.FileIO(self._file, "a+")
        return None


def _read(file: io.FileIO) -> _Account | None:
    file.seek(0)
    try:
        level, at = json.loads(file.read(LONGEST))
        account = _Account(float(level), float(at))
    except (ValueError, TypeError):  # new, or cut short as its writer died
        return None
    return account if math.isfinite(account.level) and math.isfinite(account.at) else None
