"""A replication in one go: pieces are frozen, completed by a model, and judged by another.

Completions and judgements are ordinary runs. What belongs together is in the store, so if a process
is killed at any moment, another can continue from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.asking import prepare
from dcq.asking.budget import LEAST_USD
from dcq.asking.ledger import open_ledger
from dcq.asking.plan import pick_up
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.asking.rest import NO_LIMITS, NOBODY, Watch, ask_rest
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.limits import Limits
from dcq.records import fingerprint
from dcq.replication.freeze import PAIRED, freeze
from dcq.replication.method import CHEAT, JUDGE, METHODS, REPLICATION, list_for_judge
from dcq.replication.pieces import AS_RELEASED, Share
from dcq.replication.prompts import Instruction, Version
from dcq.store import Store, replications, runs, samples
from dcq.store.answers import settled
from dcq.store.runs import Event

BUSY = "This model is completing this sample already; wait, or cancel its run."


@dataclass(frozen=True)
class Whole:
    """The ``run`` of a replication, that of its judge, None where none was needed or reached, and
    how the last of them ``ended``."""

    run: str
    judge_run: str | None
    ended: Ended


def lock_name(sample_id: str, model: str) -> str:
    """The name of the lock that is held while a model replicates a sample."""
    return f"replicate-{fingerprint(sample_id, model)}"


async def replicate(
    store: Store,
    sample_id: str,
    model: str,
    terms: Terms = NO_TERMS,
    *,
    judge: str | None = None,
    version: Version = Version.PAPER,
    instructions: Sequence[Instruction] = PAIRED,
    share: Share = AS_RELEASED,
    author: str = "",
    resume: bool = False,
    reuse: bool = False,
    limits: Limits = NO_LIMITS,
    watch: Watch = NOBODY,
) -> Whole:
    """Have a sample completed and, where a ``judge`` is named, the guided completions judged that
    do not equal their reference.

    Budget and cap on calls of ``terms`` are for both together, its limit counts instances.
    ``share`` says where texts are cut (``dcq.replication.freeze.preview``). ``resume`` goes on
    with the newest run of this model on this sample, if there is one, in its wording, with its
    instructions and cuts and, unless another is named, with its judge. Raises InputError, before
    anything is asked, if one of the models cannot be asked so, or this one is replicating the
    sample already.
    """
    sample = samples.load(store, sample_id)
    who = REPLICATION.endpoint(model)
    arbiter = JUDGE.endpoint(judge) if judge else None
    if arbiter:
        prepare.check_price(arbiter, terms)
    with lock.hold(store, lock_name(sample.id, who.name), BUSY):
        known = replications.newest_run(store, sample.id, who.name) if resume else None
        if known:
            pick_up(store, REPLICATION, [known], terms)
        else:
            prepare.check_price(who, terms)
            frozen = freeze(
                store,
                sample.id,
                version=version,
                instructions=instructions,
                share=share,
                judge=arbiter.name if arbiter else "",
                author=author,
            )
            known = prepare.plan_run(store, REPLICATION, frozen, who, terms)
        return await _Parts(store, known, who, arbiter, terms, reuse, limits, watch).ask()


async def ask_for_first_instances(
    store: Store,
    sample_id: str,
    model: str,
    terms: Terms = NO_TERMS,
    *,
    resume: bool = False,
    reuse: bool = False,
    limits: Limits = NO_LIMITS,
    watch: Watch = NOBODY,
) -> Whole:
    """Ask for the first instances of a sample's split, in one call. ``resume`` goes on with the
    newest such run of this model, if there is one. Raises InputError if it cannot be asked."""
    sample = samples.load(store, sample_id)
    who = CHEAT.endpoint(model)
    known = runs.newest(store, sample.id, who.name, method=CHEAT.name) if resume else None
    if known is None:
        prepare.check_price(who, terms)
        known = prepare.plan_run(store, CHEAT, sample.id, who, terms)
    return await go_on(store, known, terms, reuse=reuse, limits=limits, watch=watch)


async def go_on(
    store: Store,
    run_id: str,
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    limits: Limits = NO_LIMITS,
    watch: Watch = NOBODY,
) -> Whole:
    """Ask what is left of a run of any of the methods in ``METHODS``; a replication is judged as it
    was frozen. Raises InputError as ``replicate``, and for a run of another method."""
    stored = runs.load(store, run_id)
    method = METHODS.get(stored.plan.method)
    if method is None:
        raise InputError(
            f"Run {stored.id} is a {stored.plan.method} run; it is resumed by the command that "
            "started it."
        )
    if method is JUDGE:
        list_for_judge(store, stored.plan.subject)  # the completions may have gone on
    if method is REPLICATION:
        with lock.hold(store, lock_name(stored.plan.sample_id, stored.plan.model), BUSY):
            [(known, who)] = pick_up(store, REPLICATION, [stored.id], terms)
            return await _Parts(store, known, who, None, terms, reuse, limits, watch).ask()
    [(known, who)] = pick_up(store, method, [stored.id], terms)
    ended = await ask_rest(store, method, known, who, reuse=reuse, limits=limits, watch=watch)
    is_judge = method is JUDGE
    return Whole(stored.plan.subject if is_judge else known, known if is_judge else None, ended)


class _Parts:
    """The two runs of one replication, and what they share: the plan of the completions has all of
    the budget and of the calls, that of the judge what they have left."""

    def __init__(
        self,
        store: Store,
        run_id: str,
        who: Endpoint,
        judge: Endpoint | None,
        terms: Terms,
        reuse: bool,
        limits: Limits,
        watch: Watch,
    ) -> None:
        self.store, self.run, self.who, self.watch = store, run_id, who, watch
        self.reuse, self.limits = reuse, limits
        self.plan = runs.load(store, run_id).plan
        frozen = replications.load(store, self.plan.subject)
        self.judge = judge or (JUDGE.endpoint(frozen.judge) if frozen.judge else None)
        self.concurrency = terms.concurrency

    async def ask(self) -> Whole:
        """Ask what is left, first of the completions."""
        judged = self._judged()
        ended = await ask_rest(
            self.store,
            REPLICATION,
            self.run,
            self.who,
            reuse=self.reuse,
            limits=self.limits,
            watch=self.watch,
            spent_elsewhere=self._spent(judged).usd if judged else 0.0,
        )
        if ended.event is not Event.FINISHED or self.judge is None:
            return Whole(self.run, judged, ended)
        if not list_for_judge(self.store, self.run):
            return Whole(self.run, None, ended)
        if self.watch.cancelled is not None and self.watch.cancelled.is_set():
            words = "cancelled; the completions are saved and not judged"
            return Whole(self.run, judged, Ended(Event.CANCELLED, words))
        return await self._ask_judge(self.judge)

    async def _ask_judge(self, judge: Endpoint) -> Whole:
        spent = self._spent(self.run)
        budget, calls = self.plan.budget_usd, self.plan.max_calls
        left = None if budget is None else budget - spent.usd
        calls_left = None if calls is None else calls - spent.calls
        known = self._judged()
        if left is not None and left <= LEAST_USD and not (known and self._is_done(known)):
            words = f"The budget of {budget:g} USD is spent on completions; raise it and resume."
            return Whole(self.run, known, Ended(Event.STOPPED, words))
        if calls_left is not None and calls_left < 1 and not (known and self._is_done(known)):
            words = f"The {calls:,} calls are made for completions; allow more and resume."
            return Whole(self.run, known, Ended(Event.STOPPED, words))
        terms = Terms(
            None,
            None if left is None else max(left, LEAST_USD),
            None if calls_left is None else max(calls_left, 1),
            self.concurrency,
        )
        if known is None:
            known = prepare.plan_run(self.store, JUDGE, self.run, judge, terms)
        else:
            pick_up(self.store, JUDGE, [known], terms)
        ended = await ask_rest(
            self.store,
            JUDGE,
            known,
            judge,
            reuse=self.reuse,
            limits=self.limits,
            watch=self.watch,
        )
        return Whole(self.run, known, ended)

    def _judged(self) -> str | None:
        if self.judge is None:
            return None
        return runs.newest(self.store, self.run, self.judge.name, method=JUDGE.name)

    def _is_done(self, run_id: str) -> bool:
        done, _ = settled(self.store, run_id)
        return len(done) == len(replications.to_judge(self.store, self.run))

    def _spent(self, run_id: str) -> _Spent:
        with open_ledger(self.store, run_id, runs.load(self.store, run_id).plan) as ledger:
            return _Spent(ledger.usd, ledger.calls)


@dataclass(frozen=True)
class _Spent:
    """What a run has taken, calls of killed processes included."""

    usd: float
    calls: int
