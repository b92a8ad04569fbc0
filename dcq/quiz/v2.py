"""Protocol v2 in one go: the bdq, then a bcq for each slot that the model does not prefer.

Its runs are ordinary runs. What belongs together is found in the store: the newest bdq of a model
and sample, and the bcqs of its variants that were planned after it; the budget of the whole is
stored with its bdq. So if a process is killed at any moment, another can continue from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dcq import settings
from dcq.asking import prepare
from dcq.asking.budget import LEAST_USD
from dcq.asking.ledger import open_ledger
from dcq.asking.plan import Job, carry_out, resolve_all
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.jobs import lock, process
from dcq.jobs.process import STARTING
from dcq.jobs.state import START_SECONDS
from dcq.models.endpoints import Endpoint, resolve
from dcq.quiz import protocol2
from dcq.quiz.freeze import freeze, freeze_bcq
from dcq.quiz.method import QUIZ
from dcq.quiz.protocol2 import Estimate
from dcq.records import LETTERS, Kind, fingerprint
from dcq.store import Store, quizzes, runs, samples
from dcq.store.answers import settled
from dcq.store.runs import Event
from dcq.store.samples import StoredSample

_PREFIX = "v2-"


@dataclass(frozen=True)
class Whole:
    """One pass through the protocol: its ``runs``, the bdq first; the ``estimate``, None while the
    bdq is not done; and how the last run ``ended``."""

    sample: str
    model: str
    runs: tuple[str, ...]
    estimate: Estimate | None
    ended: Ended


def lock_name(sample_id: str, model: str) -> str:
    """The name of the lock that is held while a model takes the protocol."""
    return f"{_PREFIX}{fingerprint(sample_id, model)}"


def under_way(store: Store, sample_id: str, model: str) -> bool:
    """True while a process runs the protocol with this model, or is about to."""
    return lock.expected(store, lock_name(sample_id, model), START_SECONDS)


def any_under_way(store: Store) -> bool:
    """True while any model takes the protocol, on any sample."""
    names = (path.stem for path in store.runs_folder.glob(f"{_PREFIX}*.lock"))
    return any(lock.expected(store, name, START_SECONDS) for name in names)


def so_far(store: Store, sample_id: str, model: str) -> Estimate | None:
    """The estimate of the newest pass of this model so far; None if its bdq is not done."""
    bdq = runs.newest_of_kind(store, sample_id, Kind.BDQ, model)
    return _estimate(store, sample_id, model, bdq) if bdq and not _open(store, bdq) else None


def begun(store: Store, sample_id: str, model: str) -> bool:
    """True if there is a pass that could be continued: started, and not done."""
    if runs.newest_of_kind(store, sample_id, Kind.BDQ, model) is None:
        return False
    found = so_far(store, sample_id, model)
    return found is None or bool(found.missing)


def begin(
    store: Store,
    sample_id: str,
    models: Sequence[str],
    terms: Terms = NO_TERMS,
    *,
    resume: bool = False,
) -> None:
    """Have each model take the protocol in a separate process; ``resume`` continues its newest
    pass. Of ``terms``, limit and budget count. Raises InputError, and starts none, if one model
    cannot be asked with these terms or is taking the protocol already."""
    sample = samples.load(store, sample_id)
    endpoints = resolve_all(models)
    with lock.wait_for(store, STARTING):
        for endpoint in endpoints:
            if under_way(store, sample.id, endpoint.name):
                raise InputError(_already(endpoint))
        firsts = [_first_run(store, sample, endpoint, terms, resume) for endpoint in endpoints]
        for endpoint in endpoints:
            lock.announce(store, lock_name(sample.id, endpoint.name))
    for endpoint, bdq in zip(endpoints, firsts, strict=True):
        words = ["v2", sample.id, "--model", endpoint.name, "--resume"]
        words += ["--limit", str(terms.limit)] if terms.limit is not None else []
        words += ["--budget", str(terms.budget_usd)] if terms.budget_usd is not None else []
        process.spawn_for(store, [bdq], words)


async def take(
    store: Store,
    sample_id: str,
    model: str,
    terms: Terms = NO_TERMS,
    *,
    resume: bool = False,
    cancelled: asyncio.Event | None = None,
    on_run: Callable[[str, int, int], None] = lambda name, done, items: None,
    on_answers: Callable[[int], None] = lambda count: None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> Whole:
    """Ask all that is left of the bdq and then of each bcq, one quiz after the other, until one of
    them does not finish. Without ``resume`` all of them are asked from the start.

    The budget of ``terms`` (USD) is for all of them together; without one, the budget of earlier
    processes still applies. ``on_run`` is called with the name of each quiz, how many of its
    questions have answers already, and how many it has; ``cancelled``, ``on_answers`` and
    ``on_news`` are as in ``carry_out``. Raises InputError if the model cannot take the protocol, or
    is taking it already.
    """
    sample = samples.load(store, sample_id)
    endpoint = resolve(model, settings.load())
    if lock.held(store, lock_name(sample.id, endpoint.name)):
        raise InputError(_already(endpoint))
    with lock.hold(store, lock_name(sample.id, endpoint.name)):
        bdq = _first_run(store, sample, endpoint, terms, resume)
        parts = _Parts(store, endpoint, terms, bdq)

        async def ask(name: str, run_id: str) -> Ended:
            parts.allow(run_id)
            done, _ = settled(store, run_id)  # calls that failed are made again
            items = runs.load(store, run_id).plan.items
            if len(done) == items:
                return Ended(Event.FINISHED, "")
            if parts.overdrawn(run_id):
                return Ended(Event.STOPPED, parts.explain())
            on_run(name, len(done), items)
            return await carry_out(
                store,
                Job(run_id, endpoint, QUIZ),
                spent_elsewhere=parts.spent_by_others(run_id) if run_id == bdq else 0.0,
                cancelled=cancelled,
                on_answers=on_answers,
                on_news=on_news,
            )

        ended = await ask("BDQ", bdq)
        if ended.event is Event.FINISHED:
            for letter in protocol2.non_preferred_by(store, bdq):
                if cancelled is not None and cancelled.is_set():
                    ended = Ended(Event.CANCELLED, "cancelled; the answers so far are saved")
                    break
                ended = await ask(f"BCQ at {letter}", parts.bcq(letter))
                if ended.event is not Event.FINISHED:
                    break
        found = None if _open(store, bdq) else _estimate(store, sample.id, endpoint.name, bdq)
        taken = _bcqs(store, bdq)
        used = [taken[letter] for letter in found.non_preferred if letter in taken] if found else []
    return Whole(sample.id, endpoint.name, (bdq, *used), found, ended)


class _Parts:
    """The runs of one pass, and the budget that they share: the plan of the bdq has all of it, and
    that of a bcq what the others have left when it starts."""

    def __init__(self, store: Store, endpoint: Endpoint, terms: Terms, bdq: str) -> None:
        self.store, self.endpoint, self.terms, self.bdq = store, endpoint, terms, bdq
        self.runs = [bdq, *_bcqs(store, bdq).values()]
        self.budget = terms.budget_usd or runs.load(store, bdq).plan.budget_usd

    def bcq(self, letter: str) -> str:
        """The run with the original at ``letter``, planned if there is none yet."""
        known = _bcqs(self.store, self.bdq).get(letter)
        if known is None:
            quiz = freeze_bcq(self.store, runs.load(self.store, self.bdq).plan.subject, letter).quiz
            # In one step: a process may end right after it, and another continues.
            known = prepare.plan_run(self.store, QUIZ, quiz, self.endpoint, self._share(None))
            self.runs.append(known)
        return known

    def allow(self, run_id: str) -> None:
        """Adapt a run to the current terms, with what the others have left of the budget."""
        if not lock.held(self.store, run_id):  # the process that holds it has started
            prepare.amend(self.store, QUIZ, run_id, self._share(run_id))

    def overdrawn(self, run_id: str) -> bool:
        """Whether the other runs have spent all of the budget."""
        return self.budget is not None and self.budget - self.spent_by_others(run_id) <= LEAST_USD

    def explain(self) -> str:
        """Why no more is asked, if a run is overdrawn."""
        return f"The budget of {self.budget:g} USD for all quizzes is spent; raise it and resume."

    def spent_by_others(self, run_id: str | None) -> float:
        """USD that all runs but one have spent."""
        return sum(self._spent(other) for other in self.runs if other != run_id)

    def _share(self, run_id: str | None) -> Terms:
        """The terms of a run; None means a bcq that is not planned yet."""
        if self.budget is None or run_id == self.bdq:
            return replace(self.terms, budget_usd=self.budget)
        left = max(self.budget - self.spent_by_others(run_id), LEAST_USD)
        return replace(self.terms, budget_usd=left)

    def _spent(self, run_id: str) -> float:
        """USD, including calls whose process was killed."""
        with open_ledger(self.store, run_id, runs.load(self.store, run_id).plan) as ledger:
            return ledger.usd


def _already(endpoint: Endpoint) -> str:
    return f"{endpoint.name} is taking protocol v2 of this sample already; wait, or cancel its run."


def _first_run(
    store: Store, sample: StoredSample, endpoint: Endpoint, terms: Terms, resume: bool
) -> str:
    """The run of the bdq: the newest one with ``resume``, else a new one."""
    known = runs.newest_of_kind(store, sample.id, Kind.BDQ, endpoint.name) if resume else None
    if known is None:
        return prepare.plan_run(
            store, QUIZ, freeze(store, sample.id, Kind.BDQ).quiz, endpoint, terms
        )
    prepare.check(store, QUIZ, runs.load(store, known).plan.subject, endpoint, terms)
    return known


def _bcqs(store: Store, bdq: str) -> dict[str, str]:
    """The newest bcq of each slot, of those with the bdq's variants that were planned after it."""
    shown = runs.load(store, bdq).plan.subject
    later = runs.followers(store, bdq, Kind.BCQ)
    same = quizzes.same_variants(store, {(shown, run.quiz_id) for run in later})
    return {LETTERS[run.slot]: run.id for run in later if (shown, run.quiz_id) in same}


def _estimate(store: Store, sample_id: str, model: str, bdq: str) -> Estimate:
    done = {letter: run for letter, run in _bcqs(store, bdq).items() if not _open(store, run)}
    partition = samples.load(store, sample_id).partition.id
    return protocol2.estimate(store, model, sample_id, partition, bdq=bdq, bcqs=done)


def _open(store: Store, run_id: str) -> int:
    """How many questions of a run's plan have not been asked yet."""
    done, failed = settled(store, run_id)
    return runs.load(store, run_id).plan.items - len(done) - len(failed)
