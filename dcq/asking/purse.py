"""Money that several runs share: in an order, and over the processes that ask them.

Where there is enough for all, nobody waits. Where there is not, what comes first is served first:
a later share takes only what the earlier ones will not need by their estimates, and waits for the
rest until they have ended, which they mostly do for less.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

_FRESH_SECONDS = 0.05  # for so long what is kept for earlier shares is not summed up again
# For so long a share without a call in flight may be between two runs. One that takes longer may
# wait for a run that a later share has, which must not wait for it in turn.
_QUIET_SECONDS = 30.0


class Spender(Protocol):
    """A ledger, as a purse knows it: how many blocks for calls in flight are ``reserved``."""

    @property
    def reserved(self) -> int:
        """How many are open."""


class Purse:
    """At most ``budget_usd`` for all runs that share it. ``spent_usd`` is what was taken of it
    before. ``record`` is a file that outlives the process: which runs it paid for, and what each
    had cost before (``read_record``). ``ran_out``: a run ended because it did not suffice."""

    def __init__(
        self, budget_usd: float, spent_usd: float = 0.0, record: Path | None = None
    ) -> None:
        self.budget_usd = budget_usd
        self.calls, self.usd = 0, 0.0  # made of it, and what they have cost
        self.ran_out = False
        self._spent_usd = spent_usd
        self._record = record
        self._noted = set(read_record(record)) if record else set()
        self._open: list[Spender] = []

    def join(self, ledger: Spender) -> None:
        """A ledger takes of it from now on, and tells so (``take``)."""
        self._open.append(ledger)

    def leave(self, ledger: Spender) -> None:
        """A ledger takes no more."""
        self._open.remove(ledger)

    def take(self, calls: int, usd: float) -> None:
        """Count calls and USD; negative numbers give them back."""
        self.calls += calls
        self.usd += usd

    def note(self, run_id: str, usd_before: float) -> None:
        """Write down that a run is paid of it from now on."""
        if self._record is None or run_id in self._noted:
            return
        self._noted.add(run_id)
        with contextlib.suppress(OSError):  # a full disk: the store knows what was answered
            self._record.parent.mkdir(parents=True, exist_ok=True)
            with self._record.open("a", encoding="ascii") as file:
                file.write(f"{run_id} {usd_before:.9f}\n")

    def close(self) -> None:
        """What it was for is done: what is spent later is spent of another."""
        if self._record is not None:
            with contextlib.suppress(OSError):
                self._record.unlink(missing_ok=True)

    @property
    def left_usd(self) -> float:
        """What can still be spent or set aside."""
        return self.budget_usd - self._spent_usd - self.usd

    def may_free(self, *, but: Spender) -> bool:
        """Whether others than one ledger may still give money back."""
        return any(ledger.reserved for ledger in self._open if ledger is not but)

    def in_order(self, expected_usd: Sequence[float]) -> list[Share]:
        """A share for each of several things to ask, in the order in which they are served, by what
        each will cost at most."""
        shares: list[Share] = []
        for number, usd in enumerate(expected_usd):
            shares.append(Share(self, usd, shares, number))
        return shares


class Share(Purse):
    """One share of a purse, which pays for it. Use as ``with share:`` while it is asked; one that
    will not be asked is to be ended (``end``), so that others get what is kept for it."""

    def __init__(
        self, whole: Purse, expected_usd: float, among: Sequence[Share], number: int
    ) -> None:
        super().__init__(whole.budget_usd)
        self._whole, self._expected_usd = whole, expected_usd
        self._among, self._number = among, number
        self._is_asked = self._is_over = False
        self._heard_at = 0.0  # when it last took or gave back something
        self._kept: tuple[float, float] = (-1.0, 0.0)  # for earlier ones: when summed up, and USD

    def __enter__(self) -> Self:
        self._is_asked, self._heard_at = True, time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """Nothing more is asked of it."""
        self._is_asked, self._is_over = False, True
        if self.ran_out:
            self._whole.ran_out = True

    def join(self, ledger: Spender) -> None:
        """As for the whole purse."""
        super().join(ledger)
        self._whole.join(ledger)

    def leave(self, ledger: Spender) -> None:
        """As for the whole purse."""
        super().leave(ledger)
        self._whole.leave(ledger)

    def take(self, calls: int, usd: float) -> None:
        """As for the whole purse."""
        super().take(calls, usd)
        self._heard_at = time.monotonic()
        self._whole.take(calls, usd)

    def note(self, run_id: str, usd_before: float) -> None:
        """As for the whole purse."""
        self._whole.note(run_id, usd_before)

    @property
    def left_usd(self) -> float:
        """What can be spent without what is kept for earlier shares."""
        return self._whole.left_usd - self._kept_usd

    def may_free(self, *, but: Spender) -> bool:
        """As for the whole purse; earlier shares that are being asked may end for less."""
        earlier = self._among[: self._number]
        return self._whole.may_free(but=but) or any(each._may_end for each in earlier)

    @property
    def _kept_usd(self) -> float:
        # What is out of date here is too much, never too little: what is kept turns into money that
        # is spent.
        at, usd = self._kept
        if not 0 <= time.monotonic() - at < _FRESH_SECONDS:
            usd = sum(each._rest_usd for each in self._among[: self._number])
            self._kept = time.monotonic(), usd
        return usd

    @property
    def _may_end(self) -> bool:
        return self._is_asked and time.monotonic() - self._heard_at < _QUIET_SECONDS

    @property
    def _rest_usd(self) -> float:
        return 0.0 if self._is_over else max(0.0, self._expected_usd - self.usd)


def read_record(record: Path) -> Mapping[str, float]:
    """The runs that a purse of an earlier process has paid for, each with what it had cost before;
    empty where there is no record, or something else."""
    before: dict[str, float] = {}
    with contextlib.suppress(OSError, ValueError):
        for line in record.read_text("ascii").splitlines():
            run_id, usd = line.split()
            before.setdefault(run_id, float(usd))
    return before
