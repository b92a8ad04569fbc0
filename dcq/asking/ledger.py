"""What a run has taken of its limits: calls, retries included, and money.

Also what calls can cost at most, and the sentences for a budget that is used up.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from dcq.asking.purse import Purse
from dcq.errors import NoMoreCallsError
from dcq.models.price import Price
from dcq.models.usage import NOTHING, Usage, most
from dcq.store import Store, runs
from dcq.store.runs import Plan, Spent

LINE = 40  # bytes


class Reservation:
    """Money that is set aside for one question: ``usd``, of which ``announced`` is what its calls
    so far can take. ``times``: the factor on the plan's price."""

    def __init__(self, usd: float, times: float = 1.0) -> None:
        self.usd = usd
        self.times = times
        self.announced = 0.0


# A call finds the reservation of its question here: it is made in the question's task, or in one
# that this started.
_RESERVED: ContextVar[Reservation | None] = ContextVar("reserved", default=None)


class Ledger:
    """Counts calls before they are made, and sets money aside for them; says whether more may be
    made. ``usd`` is what calls have cost, and what those in flight can cost at most. Each change is
    written to ``file``: a process that is killed leaves no answers of the calls in flight, but the
    file outlives it. ``over_limit`` is by how many tokens a call of this model has passed its
    limit so far, as where thinking is charged beyond it: the next call may do the same. ``purse``
    is what the run shares with others."""

    def __init__(
        self,
        plan: Plan,
        spent: Spent,
        file: int | None = None,
        *,
        over_limit: int = 0,
        purse: Purse | None = None,
    ) -> None:
        self._plan = plan
        self.over_limit = over_limit
        self._file = file
        self._closed = False
        self.reserved = 0  # blocks of ``reserve`` that are open
        calls, usd = _read(file)
        self.calls = max(calls, spent.calls)
        self.usd = max(usd, spent_usd(plan, spent))
        # For calls that left no answer: their process was killed, or what they brought was lost.
        self.lost_usd = self.usd - answered_usd(plan, spent)
        self._purse = purse
        if purse is not None:
            purse.join(self)

    def close(self) -> None:
        """Allow no further call, whatever the plan allows."""
        self._closed = True

    def check(self) -> None:
        """Raise NoMoreCallsError if no further call may be made."""
        if self._closed:
            raise NoMoreCallsError("Asking was stopped.")
        if self._plan.max_calls is not None and self.calls >= self._plan.max_calls:
            raise NoMoreCallsError(
                f"The {self._plan.max_calls:,} calls that the run may make are made; allow more and"
                " resume."
            )

    def worst_usd(self, prompt: str) -> float:
        """The most that a call with this prompt can cost, by what is known of the model."""
        return worst_cost_usd(self._plan, prompt, self._plan.max_tokens + self.over_limit)

    def explain_budget(self, need: float) -> str:
        """Why the budget does not allow a call that can cost ``need``, as a sentence; what runs
        share has run out then."""
        own = math.inf if self._plan.budget_usd is None else self._plan.budget_usd - self.usd
        left = max(0.0, own if self._purse is None else min(own, self._purse.left_usd))
        if self._purse is not None:
            self._purse.ran_out = True
        lost = self.lost_usd > LEAST_USD
        kept = f" ({self.lost_usd:.2g} USD are kept for calls that left no answer)" * lost
        return (
            f"The next call could cost {need:.3g} USD, and {left:.3g} USD are left of the "
            f"budget{kept}; raise it and resume."
        )

    def fits(self, usd: float) -> bool:
        """Whether this much more can be spent within the budget."""
        own = self._plan.budget_usd is None or self.usd + usd <= self._plan.budget_usd
        return own and (self._purse is None or usd <= self._purse.left_usd)

    @property
    def others_in_flight(self) -> bool:
        """Whether other runs may still free what is set aside of the budget that they share."""
        return self._purse is not None and self._purse.may_free(but=self)

    def count_call(self, more: Usage = NOTHING) -> None:
        """Count a call that is about to be made; raises as ``check`` does. ``more`` is what it can
        take beyond what its question's calls have announced so far (``Meter.announce``): where
        that is more than was set aside for the question, as for a call after a lost reply, it is
        set aside now, and the call is not made if it could pass the budget."""
        self.check()
        reserved = _RESERVED.get()
        if reserved is not None:
            usd = cost_usd(self._plan, more.tokens_in, more.tokens_out)
            announced = reserved.announced + usd * reserved.times
            shortfall = max(0.0, announced - reserved.usd)
            if not self.fits(shortfall):
                raise NoMoreCallsError(self.explain_budget(shortfall))
            reserved.announced = announced
            reserved.usd += shortfall
            self._take(0, shortfall)
        self._take(1, 0.0)
        self._write()

    @contextmanager
    def reserve(self, usd: float, *, times: float = 1.0) -> Iterator[Reservation]:
        """Set money aside for the calls that are made within the block, at so many ``times`` the
        plan's price. The caller says what they cost (``settle``); until then, and if it never does,
        they count as costing all of it."""
        reserved = Reservation(usd, times)
        self._take(0, usd)
        if usd:
            self._write()
        token = _RESERVED.set(reserved)
        self.reserved += 1
        try:
            yield reserved
        finally:
            self.reserved -= 1
            _RESERVED.reset(token)

    def settle(self, reserved: Reservation, tokens_in: int, tokens_out: int, calls: int) -> None:
        """Count what the calls of a reservation took, and free the rest of it."""
        over = math.ceil(tokens_out / max(1, calls)) - self._plan.max_tokens
        self.over_limit = max(self.over_limit, over)
        cost = cost_usd(self._plan, tokens_in, tokens_out) * reserved.times
        self._take(0, cost - reserved.usd)
        if reserved.usd:
            self._write()

    def change(self, calls: int, usd: float) -> None:
        """Count calls and money that outlive a block, such as those of a batch; negative numbers
        take them back."""
        self._take(calls, usd)
        self._write()

    def _take(self, calls: int, usd: float) -> None:
        self.calls += calls
        self.usd += usd
        if self._purse is not None:
            self._purse.take(calls, usd)

    def _write(self) -> None:
        if self._file is not None:
            line = f"{self.calls} {self.usd:.9f}".ljust(LINE).encode("ascii")
            with contextlib.suppress(OSError):  # a full disk: the store knows what was answered
                os.lseek(self._file, 0, os.SEEK_SET)
                os.write(self._file, line)


@contextmanager
def open_ledger(
    store: Store,
    run_id: str,
    plan: Plan,
    purse: Purse | None = None,
    *,
    over_limit: int | None = None,
) -> Iterator[Ledger]:
    """The ledger of a run, kept in a file as it changes; calls and money are kept in the store as
    well where answers do not account for all of them. ``over_limit`` is looked up where it is
    None."""
    spent = runs.spent(store, run_id)
    path = store.runs_folder / f"{run_id}.ledger"
    with contextlib.ExitStack() as opened:
        file = None
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            opened.callback(os.close, file)
        if over_limit is None:
            over_limit = runs.over_limit(store, plan)
        ledger = Ledger(plan, spent, file, over_limit=over_limit, purse=purse)
        if purse is not None:
            opened.callback(purse.leave, ledger)
            purse.note(run_id, ledger.usd)
        save(store, run_id, plan, ledger)  # what a process that was killed took
        try:
            yield ledger
        finally:
            save(store, run_id, plan, ledger)


def save(store: Store, run_id: str, plan: Plan, ledger: Ledger) -> float:
    """Store what the ledger has counted and the answers do not account for; returns the USD of it.
    That can be less than before, where a batch has brought its answers."""
    spent = runs.spent(store, run_id)
    lost_usd = max(0.0, ledger.usd - answered_usd(plan, spent))
    if ledger.calls != spent.calls or abs(lost_usd - spent.lost_usd) > LEAST_USD:
        runs.note_unanswered(store, run_id, ledger.calls, lost_usd)
    return lost_usd


def _read(file: int | None) -> tuple[int, float]:
    """Calls and USD; zeros where nothing was kept, or something else."""
    with contextlib.suppress(OSError, ValueError):
        if file is not None:
            os.lseek(file, 0, os.SEEK_SET)
            calls, usd = os.read(file, LINE).decode("ascii").split()
            return int(calls), float(usd)
    return 0, 0.0


LEAST_USD = 1e-6  # less is the rounding of a ledger's file


class Priced(Protocol):
    """A run with its prices: USD per million tokens, None if unknown."""

    @property
    def price_in(self) -> float | None:
        """The price of tokens sent."""

    @property
    def price_out(self) -> float | None:
        """The price of tokens received."""


def price_of(run: Priced) -> Price | None:
    """The price that a run was planned at; None where it is not known."""
    if run.price_in is None or run.price_out is None:
        return None
    return Price(run.price_in, run.price_out)


def cost_usd(plan: Plan, tokens_in: int, tokens_out: int) -> float:
    """USD for so many tokens at the plan's prices; 0 where they are not known."""
    price = price_of(plan)
    return 0.0 if price is None else price.cost(tokens_in, tokens_out)


def worst_cost_usd(plan: Plan, prompt: str, max_tokens: int) -> float:
    """The most that a call can cost if its reply has at most ``max_tokens``."""
    bound = most(prompt, max_tokens)
    return cost_usd(plan, bound.tokens_in, bound.tokens_out)


def answered_usd(plan: Plan, spent: Spent) -> float:
    """What a run's answers have cost at most, each at the price of its own time."""
    earlier = spent.earlier
    now_in, now_out = spent.tokens_in - earlier.tokens_in, spent.tokens_out - earlier.tokens_out
    return earlier.usd + cost_usd(plan, now_in, now_out)


def spent_usd(plan: Plan, spent: Spent) -> float:
    """What a run's calls have cost at most, those that left no answer included."""
    return answered_usd(plan, spent) + spent.lost_usd


def explain_prices(plan: Plan, spent: Spent, usd: float) -> str:
    """Which prices count, as sentences, where they have changed since calls were made; else empty.
    ``usd`` is what the run has cost in all."""
    price = price_of(plan)
    if price is None or not (spent.earlier.tokens_in or spent.earlier.tokens_out):
        return ""
    now = (
        f"The price of {plan.model} has changed. Earlier calls count at the prices of their time"
        f" ({usd:.4g} USD so far). New calls cost {price.tokens_in:g} and {price.tokens_out:g} USD"
        " per million tokens in and out."
    )
    if plan.budget_usd is None:
        return now
    return f"{now} {max(0.0, plan.budget_usd - usd):.4g} of {plan.budget_usd:g} USD are left."


def explain_rest(budget_usd: float, lost_usd: float) -> str:
    """Why the rest of a run does not fit as a batch, as a sentence; ``lost_usd`` is counted for
    calls that left no answer, and for what direct calls cost beyond the price of a batch."""
    lost = f", {lost_usd:.2g} of it for calls without an answer or at the full price"
    return (
        f"What is left could pass the budget of {budget_usd:g} USD{lost * (lost_usd > LEAST_USD)};"
        " raise it and resume."
    )
