"""What is left of one run, asked to its end: for methods whose command works on several runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from dcq.asking.plan import Job, carry_out
from dcq.asking.reuse import reuse_answers
from dcq.asking.task import Ended, Method
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.limits import Limits, settle_limits
from dcq.store import Store, runs
from dcq.store.answers import settled
from dcq.store.runs import Event

NO_LIMITS = Limits()
_DONE = Ended(Event.FINISHED, "")


@dataclass(frozen=True)
class Watch:
    """Who is told of what is asked: ``on_run`` of each run that begins (what it is, how many of its
    requests have answers already, and how many it has), ``on_answers`` how many answers were just
    kept, ``on_news`` of anything else in a sentence. ``cancelled`` may be set from outside."""

    cancelled: asyncio.Event | None = None
    on_run: Callable[[str, int, int], None] = lambda name, done, items: None
    on_answers: Callable[[int], None] = lambda count: None
    on_news: Callable[[str], None] = lambda sentence: None


NOBODY = Watch()


async def ask_rest(
    store: Store,
    method: Method,
    run_id: str,
    who: Endpoint,
    *,
    reuse: bool,
    limits: Limits,
    watch: Watch,
    spent_elsewhere: float = 0.0,
) -> Ended:
    """Ask what is left of one run; ``spent_elsewhere`` (USD) is what others took of its budget."""
    if reuse:
        reused = reuse_answers(store, method, run_id)
        watch.on_news(f"{reused} replies are reused from earlier runs; the rest is asked.")
    stored = runs.load(store, run_id)
    done, _ = settled(store, run_id)
    if len(done) == stored.plan.items and stored.event is Event.FINISHED:
        return _DONE
    watch.on_run(f"{method.name} by {who.name}", len(done), stored.plan.items)
    return await carry_out(
        store,
        Job(run_id, who, method),
        limits=settle_limits(who, limits),
        spent_elsewhere=spent_elsewhere,
        cancelled=watch.cancelled,
        on_answers=watch.on_answers,
        on_news=watch.on_news,
    )
