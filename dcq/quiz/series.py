"""Quizzes that one model takes one after the other: one process at a time, and one budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from dcq.asking import prepare
from dcq.asking.budget import LEAST_USD
from dcq.asking.ledger import open_ledger
from dcq.asking.plan import Job, carry_out
from dcq.asking.prepare import Terms
from dcq.asking.rest import NOBODY, Watch
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.process import STARTING
from dcq.jobs.state import START_SECONDS
from dcq.models.endpoints import Endpoint
from dcq.quiz.method import QUIZ
from dcq.records import fingerprint
from dcq.store import Store, imports, runs
from dcq.store.answers import settled
from dcq.store.runs import Event

FINISHED = Ended(Event.FINISHED, "")


@dataclass(frozen=True)
class Turn:
    """Lets one process at a time ask a series of a sample and a model. ``prefix`` begins the names
    of the locks; ``doing`` says in a message what the model is busy with."""

    prefix: str
    doing: str

    def lock_name(self, sample_id: str, model: str) -> str:
        """The name of the lock that is held while a model takes the series."""
        return f"{self.prefix}{fingerprint(sample_id, model)}"

    def under_way(self, store: Store, sample_id: str, model: str) -> bool:
        """True while a process asks this model, or is about to."""
        return lock.expected(store, self.lock_name(sample_id, model), START_SECONDS)

    def any_under_way(self, store: Store) -> bool:
        """True while any model is asked, on any sample."""
        names = (path.stem for path in store.runs_folder.glob(f"{self.prefix}*.lock"))
        return any(lock.expected(store, name, START_SECONDS) for name in names)

    @contextmanager
    def hold(self, store: Store, sample_id: str, endpoint: Endpoint) -> Iterator[None]:
        """Take the turn for this process; InputError if another has it."""
        with lock.hold(store, self.lock_name(sample_id, endpoint.name), self._busy(endpoint)):
            yield

    @contextmanager
    def starting(
        self, store: Store, sample_id: str, endpoints: Sequence[Endpoint]
    ) -> Iterator[None]:
        """Plan and ``announce``, within the block, what another process will ask. Raises InputError
        if one of the models is busy."""
        with lock.wait_for(store, STARTING):
            for endpoint in endpoints:
                if self.under_way(store, sample_id, endpoint.name):
                    raise InputError(self._busy(endpoint))
            yield

    def announce(self, store: Store, sample_id: str, model: str) -> None:
        """Count the series as under way from now on, before its process has come."""
        lock.announce(store, self.lock_name(sample_id, model))

    def _busy(self, endpoint: Endpoint) -> str:
        return f"{endpoint.name} {self.doing} already; wait, or cancel its run."


class Series:
    """The runs of one series, and the ``budget`` (USD, None for none) that they share: the plan of
    each has what the others have left when it starts. ``before`` is what each run had cost before
    it became one of them. The plan of the run ``keeper``, if there is one, has all of the budget,
    so that a later process finds it there."""

    def __init__(
        self,
        store: Store,
        endpoint: Endpoint,
        terms: Terms,
        budget: float | None,
        before: Mapping[str, float],
        *,
        keeper: str = "",
        watch: Watch = NOBODY,
        logprobs: bool = False,
    ) -> None:
        self.store, self.endpoint, self.terms, self.budget = store, endpoint, terms, budget
        self.before, self.keeper = dict(before), keeper
        self.watch, self.logprobs = watch, logprobs
        for run_id, usd in before.items():
            if imports.is_imported(store, run_id):  # what came with it about money is not believed
                self.before[run_id] = min(usd, self.take_in(run_id))

    def plan(self, quiz_id: str) -> str:
        """A new run of a quiz, its budget included: a process may end right after it, and another
        continues."""
        run_id = prepare.plan_run(self.store, QUIZ, quiz_id, self.endpoint, self._share(None))
        self.before[run_id] = 0.0
        return run_id

    def take_in(self, run_id: str) -> float:
        """Count what a run costs from now on as the series'; returns what it has cost so far, at
        the price that the rest of it will have."""
        if not lock.held(self.store, run_id):
            prepare.reprice(self.store, run_id, self.endpoint)
        self.before[run_id] = _usd(self.store, run_id)
        return self.before[run_id]

    async def ask(self, name: str, run_id: str) -> Ended:
        """Ask what is left of a run, which is ``name`` to whoever watches."""
        if not lock.held(self.store, run_id):  # the process that holds it has started
            prepare.amend(self.store, QUIZ, run_id, self.endpoint, self._share(run_id))
        done, _ = settled(self.store, run_id)  # calls that failed are made again
        items = runs.load(self.store, run_id).plan.items
        if len(done) == items:
            return FINISHED
        others = self._spent_by_others(run_id)
        if self.budget is not None and self.budget - others <= LEAST_USD:
            return Ended(
                Event.STOPPED,
                f"The budget of {self.budget:g} USD for all quizzes is spent; raise it and resume.",
            )
        self.watch.on_run(name, len(done), items)
        return await carry_out(
            self.store,
            Job(run_id, self.endpoint, QUIZ, self.logprobs),
            spent_elsewhere=others if run_id == self.keeper else 0.0,
            cancelled=self.watch.cancelled,
            on_answers=self.watch.on_answers,
            on_news=self.watch.on_news,
        )

    @property
    def cancelled(self) -> bool:
        """Whether someone wants no further quiz to begin."""
        return self.watch.cancelled is not None and self.watch.cancelled.is_set()

    def _spent_by_others(self, run_id: str | None) -> float:
        """USD that all runs but one have spent, calls of killed processes included. A price that
        fell since frees nothing."""
        return sum(
            max(0.0, _usd(self.store, other) - before)
            for other, before in self.before.items()
            if other != run_id
        )

    def _share(self, run_id: str | None) -> Terms:
        """The terms of a run; None means one that is not planned yet."""
        if self.budget is None or (run_id is not None and run_id == self.keeper):
            return replace(self.terms, budget_usd=self.budget)
        left = max(self.budget - self._spent_by_others(run_id), LEAST_USD)
        return replace(self.terms, budget_usd=self.before.get(run_id or "", 0.0) + left)


def _usd(store: Store, run_id: str) -> float:
    with open_ledger(store, run_id, runs.load(store, run_id).plan) as ledger:
        return ledger.usd
