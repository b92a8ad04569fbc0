"""What a run has taken of its caps: calls, retries included, and money."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from dcq.errors import NoMoreCallsError
from dcq.runs.budget import cost_usd
from dcq.store import Store, runs
from dcq.store.runs import Plan, Spent

LINE = 40  # bytes


class Ledger:
    """Counts calls before they are made, and money when it is set aside for one; says whether more
    may be made.

    ``usd`` is what calls have cost, and what those in flight can cost at most. ``file`` is told of
    each change: a process that is killed leaves no answers of the calls in flight, but a file
    outlives it.
    """

    def __init__(self, plan: Plan, spent: Spent, file: int | None = None) -> None:
        self._most = plan.max_calls
        self._file = file
        self._closed = False
        calls, usd = _read(file)
        self.calls = max(calls, spent.calls)
        answered = cost_usd(plan, spent.tokens_in, spent.tokens_out)
        self.usd = max(usd, answered)
        self.lost_usd = self.usd - answered  # for calls whose process was killed

    def close(self) -> None:
        """Allow no further call, whatever the plan says."""
        self._closed = True

    def check(self) -> None:
        """Raise NoMoreCallsError if no further call is to be made."""
        if self._closed:
            raise NoMoreCallsError("Asking was stopped.")
        if self._most is not None and self.calls >= self._most:
            raise NoMoreCallsError(
                f"The {self._most:,} calls that the run may make are made; allow more and resume."
            )

    def count_call(self) -> None:
        """Count a call that is about to be made; raises as ``check`` does."""
        self.check()
        self.calls += 1
        self._write()

    def add_usd(self, usd: float) -> None:
        """Set money aside for a call, or (negative) give back what it did not cost."""
        if usd:  # nothing, where the price is not known
            self.usd += usd
            self._write()

    def _write(self) -> None:
        if self._file is not None:
            line = f"{self.calls} {self.usd:.9f}".ljust(LINE).encode("ascii")
            with contextlib.suppress(OSError):  # a full disk: the store knows what was answered
                os.pwrite(self._file, line, 0)


@contextmanager
def open_ledger(store: Store, run_id: str, plan: Plan) -> Iterator[Ledger]:
    """The ledger of a run, kept in a file as it changes; its calls are kept in the store as well
    where answers do not tell of all of them."""
    spent = runs.spent(store, run_id)
    path = store.runs_folder / f"{run_id}.ledger"
    with contextlib.ExitStack() as opened:
        file = None
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            opened.callback(os.close, file)
        ledger = Ledger(plan, spent, file)
        _keep_calls(store, run_id, ledger)  # those of a process that was killed
        try:
            yield ledger
        finally:
            _keep_calls(store, run_id, ledger)


def _keep_calls(store: Store, run_id: str, ledger: Ledger) -> None:
    if ledger.calls > runs.spent(store, run_id).calls:
        runs.note_calls(store, run_id, ledger.calls)


def _read(file: int | None) -> tuple[int, float]:
    """Calls and USD; zeros where nothing was kept, or something else."""
    with contextlib.suppress(OSError, ValueError):
        if file is not None:
            calls, usd = os.pread(file, LINE, 0).decode("ascii").split()
            return int(calls), float(usd)
    return 0, 0.0
