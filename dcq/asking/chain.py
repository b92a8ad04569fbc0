"""Several runs on one budget: each is asked when the one before has finished.

Its runs are ordinary runs, and what belongs together is found in the store. So if a process is
killed at any moment, another can go on from there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from dcq.asking import prepare
from dcq.asking.calls import gives_logprobs
from dcq.asking.ledger import LEAST_USD, open_ledger
from dcq.asking.options import DEFAULTS, Options, Terms
from dcq.asking.plan import FINISHED, NOTHING_SPENT, RunJob, Spending, ask_rest, pick_up
from dcq.asking.task import ChainStep, Ended, Method
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.models.endpoints import Endpoint
from dcq.store import Store, runs, sources
from dcq.store.answers import answered_and_failed
from dcq.store.runs import Event

CANCELLED = Ended(Event.CANCELLED, "cancelled; what was answered is kept")


@dataclass(frozen=True)
class ChainOutcome:
    """What became of a chain: its first ``run``, the newest run that follows it (None where there
    is none), and how the last run that was asked ``ended``."""

    run: str
    follower: str | None
    ended: Ended


class Chain:
    """Runs that share the budget and the cap on calls of ``options.terms``: each has what the
    others have left when it starts.

    ``usd_before`` is what each run had cost before it joined the chain. The plan of the run
    ``budget_run``, if there is one, holds the whole budget and all calls, so that a later process
    finds them there. ``logprobs`` asks for the log-probabilities of the first token's candidates
    where the model gives them.
    """

    def __init__(
        self,
        store: Store,
        options: Options,
        usd_before: Mapping[str, float],
        *,
        budget_run: str = "",
        logprobs: bool = False,
    ) -> None:
        self.store, self.options, self.terms = store, options, options.terms
        self.usd_before, self.budget_run, self.logprobs = dict(usd_before), budget_run, logprobs

    @property
    def cancelled(self) -> bool:
        """Whether a person wants no further run to begin."""
        return self.options.watch.is_cancelled

    def plan(self, step: ChainStep) -> str:
        """Save a new run with its share of the budget, and return its id. A process may end right
        after it, and another goes on."""
        share = self._share(None, step.limit)
        run_id = prepare.plan_run(self.store, step.method, step.subject, step.endpoint, share)
        self.usd_before[run_id] = 0.0
        return run_id

    def count_from_now(self, run_id: str, endpoint: Endpoint) -> float:
        """From now on count what a run costs against the chain's budget. Returns what it has cost
        so far, at the price that the rest of it will have."""
        if not lock.is_held(self.store, run_id):
            prepare.reprice(self.store, run_id, endpoint)
        self.usd_before[run_id] = spent(self.store, run_id).usd
        return self.usd_before[run_id]

    async def ask_all(self, steps: Iterable[ChainStep]) -> Ended:
        """Ask one step after the other, until one does not finish. Each step is fetched when the
        one before has finished, so that it may depend on its replies."""
        ended = FINISHED
        for step in steps:
            if self.cancelled:
                return CANCELLED
            ended = await self.ask(step)
            if ended.event is not Event.FINISHED:
                break
        return ended

    async def ask(self, step: ChainStep) -> Ended:
        """Ask what is left of a step's run; a run is planned first if the step has none."""
        run_id, others = step.run, self._spent_by_others(step.run)
        sources.refuse_others(self.store, [run_id] if run_id else [])
        # Whoever holds it has begun.
        if run_id is not None and not lock.is_held(self.store, run_id):
            share = self._share(run_id, step.limit)
            prepare.amend(self.store, step.method, run_id, step.endpoint, share)
        if (reason := self._why_not(others)) and not (run_id and _is_done(self.store, run_id)):
            return Ended(Event.STOPPED, reason)
        run_id = run_id or self.plan(step)
        logprobs = self.logprobs and step.logprobs and gives_logprobs(step.endpoint)
        return await ask_rest(
            self.store,
            RunJob(run_id, step.endpoint, step.method, logprobs),
            self.options,
            name=step.name or f"{step.method.name} by {step.endpoint.name}",
            spent_elsewhere=others if run_id == self.budget_run else NOTHING_SPENT,
        )

    def _why_not(self, others: Spending) -> str | None:
        """Why nothing can be asked after what the ``others`` have spent; None if it can."""
        budget, calls = self.terms.budget_usd, self.terms.max_calls
        if budget is not None and budget - others.usd <= LEAST_USD:
            return f"The budget of {budget:g} USD for all runs is spent; raise it and resume."
        if calls is not None and calls <= others.calls:
            return f"The {calls:,} calls for all runs are made; allow more and resume."
        return None

    def _spent_by_others(self, run_id: str | None) -> Spending:
        """What all runs but one have spent, calls of killed processes included; not counted where
        nothing is bounded by it. A price that fell since frees nothing."""
        total = NOTHING_SPENT
        if self.terms.budget_usd is None and self.terms.max_calls is None:
            return total
        for other, before in self.usd_before.items():
            if other != run_id:
                taken = spent(self.store, other)
                total += Spending(max(0.0, taken.usd - before), taken.calls)
        return total

    def _share(self, run_id: str | None, limit: int | None) -> Terms:
        """The terms of a run; None means one that is not planned yet."""
        budget, calls = self.terms.budget_usd, self.terms.max_calls
        if run_id is None or run_id != self.budget_run:
            others = self._spent_by_others(run_id)
            before = self.usd_before.get(run_id or "", 0.0)
            budget = budget and before + max(budget - others.usd, LEAST_USD)
            calls = calls and max(calls - others.calls, 1)
        return Terms(limit, budget, calls, self.terms.concurrency)


async def ask_run(
    store: Store,
    method: Method,
    run_id: str,
    endpoint: Endpoint,
    options: Options = DEFAULTS,
    followers: Iterable[ChainStep] | None = None,
) -> ChainOutcome:
    """Ask what is left of a planned run, then of the runs that follow it: ``followers``, or those
    that its method names. The budget and calls of its plan are for all of them. The caller holds
    the lock of the method (``Method.exclusive``)."""
    plan = runs.load(store, run_id).plan
    terms = replace(options.terms, budget_usd=plan.budget_usd, max_calls=plan.max_calls)
    before = dict.fromkeys([run_id, *runs.all_of(store, subject=run_id)], 0.0)
    chain = Chain(store, replace(options, terms=terms), before, budget_run=run_id)
    first = ChainStep(method, plan.subject, endpoint, run_id, options.terms.limit)
    ended = await chain.ask(first)
    if ended.event is Event.FINISHED:
        after = method.followers(store, run_id) if followers is None else followers
        ended = await chain.ask_all(after)
    if method.follows:
        return ChainOutcome(plan.subject, run_id, ended)
    return ChainOutcome(run_id, next(iter(runs.all_of(store, subject=run_id)), None), ended)


async def go_on(
    store: Store, methods: Collection[Method], run_id: str, options: Options = DEFAULTS
) -> ChainOutcome:
    """Ask what is left of a stored run, and of the runs that follow it, as it was planned. Raises
    InputError for a run of another method than these, if it cannot be asked, or if another process
    is asking it."""
    stored = runs.load(store, run_id)
    method = next(
        (candidate for candidate in methods if candidate.name == stored.plan.method), None
    )
    if method is None:
        raise InputError(
            f"Run {stored.id} is a {stored.plan.method} run; it is resumed by the command that "
            "started it."
        )
    if method.follows:
        method.take_up(store, stored.plan.subject)  # what it follows may have gone on
    with contextlib.ExitStack() as held:
        if method.exclusive is not None:
            held.enter_context(
                method.exclusive.hold(store, stored.plan.sample_id, stored.plan.model)
            )
        [(resumed_id, endpoint)] = pick_up(store, method, [stored.id], options.terms)
        return await ask_run(store, method, resumed_id, endpoint, options)


def _is_done(store: Store, run_id: str) -> bool:
    done, _ = answered_and_failed(store, run_id)  # calls that failed are made again
    return len(done) == runs.load(store, run_id).plan.items


def spent(store: Store, run_id: str) -> Spending:
    """What a run has taken, calls of killed processes included."""
    plan = runs.load(store, run_id).plan
    with open_ledger(store, run_id, plan, over_limit=0) as ledger:  # nothing is asked
        return Spending(ledger.usd, ledger.calls)
