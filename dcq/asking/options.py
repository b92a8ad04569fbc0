"""How runs are asked: within which limits, whether stored answers may be used, and who is told."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from dcq.asking.purse import Purse
from dcq.errors import InputError
from dcq.models.pacing.limits import Limits

NO_LIMITS = Limits()
MOST_IN_FLIGHT = 1024
MOST_CALLS = 1_000_000_000


@dataclass(frozen=True)
class Terms:
    """What a person allows a run; None is no limit. ``limit``: ask about so many instances, from
    the first on. ``budget_usd`` and ``max_calls``: what all its calls may come to, retries
    included. ``concurrency``: calls in flight. ``sequential``: the run may end early at planned
    looks; ``stop_for_futility``: also where there is nothing to find.

    Raises InputError for terms under which nothing can be asked.
    """

    limit: int | None = None
    budget_usd: float | None = None
    max_calls: int | None = None
    concurrency: int | None = None
    sequential: bool = False
    stop_for_futility: bool = False

    def __post_init__(self) -> None:
        in_flight, budget = self.concurrency, self.budget_usd
        if self.limit is not None and self.limit < 1:
            raise InputError(f"A limit of {self.limit} asks nothing; give at least 1.")
        if in_flight is not None and in_flight < 1:
            raise InputError(f"A concurrency of {in_flight} asks nothing; give at least 1.")
        if in_flight is not None and in_flight > MOST_IN_FLIGHT:
            raise InputError(
                f"A concurrency of {in_flight:,} is too much; give {MOST_IN_FLIGHT:,} at most."
            )
        if budget is not None and not (math.isfinite(budget) and budget > 0):
            raise InputError(f"A budget of {budget:g} USD cannot be kept; give more than 0.")
        if self.max_calls is not None and not 1 <= self.max_calls <= MOST_CALLS:
            raise InputError(
                f"A cap of {self.max_calls:,} calls cannot be kept; give 1 to {MOST_CALLS:,}."
            )
        if self.stop_for_futility and not self.sequential:
            raise InputError("Only a run with planned looks can stop for futility: --sequential.")
        if self.sequential and self.limit is not None:
            raise InputError("Looks are planned over the whole quiz; leave --limit out.")


NO_TERMS = Terms()


@dataclass(frozen=True)
class Watch:
    """Functions that are called while runs are asked: ``on_run`` when a run begins (its name, how
    many of its requests have answers already, how many it has), ``on_answers`` with how many
    answers were just kept, ``on_news`` with anything else, as a sentence. ``cancelled`` may be set
    from outside."""

    cancelled: asyncio.Event | None = None
    on_run: Callable[[str, int, int], None] = lambda name, done, items: None
    on_answers: Callable[[int], None] = lambda count: None
    on_news: Callable[[str], None] = lambda sentence: None

    @property
    def is_cancelled(self) -> bool:
        """Whether a person wants nothing more to be asked."""
        return self.cancelled is not None and self.cancelled.is_set()


NOBODY = Watch()


@dataclass(frozen=True)
class Options:
    """What holds for all runs that are asked together: their ``terms``; ``reuse``: take stored
    answers to identical requests; ``by_batch``: ask by the provider's Batch API; ``limits`` per
    minute, by default the provider's usual ones; ``author``: who asks; ``watch``: who is told;
    ``purse``: the budget that they share."""

    terms: Terms = NO_TERMS
    reuse: bool = False
    by_batch: bool = False
    limits: Limits = NO_LIMITS
    author: str = ""
    watch: Watch = NOBODY
    purse: Purse | None = None


DEFAULTS = Options()
