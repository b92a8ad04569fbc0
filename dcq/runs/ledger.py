"""What a run has taken of its caps: calls, retries included, and money."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from dcq.errors import CallsUsedUpError
from dcq.runs.budget import cost_usd
from dcq.store import Store, runs
from dcq.store.runs import Plan, Spent

LINE = 40  # bytes


class Ledger:
    """Counts calls before they are made, and money when it is set aside for one.

    ``usd`` is what calls have cost, and what those in flight can cost at most. ``file`` is told of
    each change: a process that is killed leaves no answers of the calls in flight, but a file
    outlives it.
    """

    def __init__(self, plan: Plan, spent: Spent, file: int | None = None) -> None:
        self._most = plan.max_calls
        self._file = file
        calls, usd = _read(file)
        self.calls = max(calls, spent.calls)
        answered = cost_usd(plan, spent.tokens_in, spent.tokens_out)
        self.usd = max(usd, answered)
        self.lost_usd = self.usd - answered  # for calls whose process was killed

    def count_call(self) -> None:
        """Count one call, or raise CallsUsedUpError if the plan allows no more."""
        if self._most is not None and self.calls >= self._most:
            raise CallsUsedUpError(
                f"The {self._most:,} calls that the run may make are made; allow more and resume."
            )
        self.calls += 1
        self._write()

    def add_usd(self, usd: float) -> None:
        """Set money aside for a call, or (negative) give back what it did not cost."""
        self.usd += usd
        self._write()

    def _write(self) -> None:
        if self._file is not None:
            line = f"{self.calls} {self.usd:.9f}".ljust(LINE).encode("ascii")
            with contextlib.suppress(OSError):  # a full disk: the store knows what was answered
                os.pwrite(self._file, line, 0)


@contextmanager
def open_ledger(store: Store, run_id: str, plan: Plan) -> Iterator[Ledger]:
    """The ledger of a run. Where there are caps, it is kept in a file as it changes, and its calls
    in the store when it is closed."""
    spent = runs.spent(store, run_id)
    if plan.max_calls is None and plan.budget_usd is None:
        yield Ledger(plan, spent)
        return
    path = store.runs_folder / f"{run_id}.ledger"
    with contextlib.ExitStack() as opened:
        file = None
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            opened.callback(os.close, file)
        ledger = Ledger(plan, spent, file)
        if ledger.calls > spent.calls:  # a process was killed
            runs.note_calls(store, run_id, ledger.calls)
        before = ledger.calls
        try:
            yield ledger
        finally:
            if ledger.calls > before:
                runs.note_calls(store, run_id, ledger.calls)


def _read(file: int | None) -> tuple[int, float]:
    """Calls and USD; zeros where nothing was kept, or something else."""
    with contextlib.suppress(OSError, ValueError):
        if file is not None:
            calls, usd = os.pread(file, LINE, 0).decode("ascii").split()
            return int(calls), float(usd)
    return 0, 0.0
