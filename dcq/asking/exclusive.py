"""Lets one process at a time ask a model the same, and a chain of runs that belong together.

Whoever comes second is told who asks, and since when. A run holds its own lock while it is asked. A
run that is about to be asked counts as well, from the moment at which it is planned: planning and
looking for others happen under one lock, so that of two that start at once one is first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dcq.errors import AskedAlreadyError
from dcq.jobs import lock
from dcq.jobs.process import STARTING
from dcq.jobs.state import START_SECONDS, state_of
from dcq.models.endpoints import Endpoint, model_asked
from dcq.records import fingerprint
from dcq.store import Store, open_runs
from dcq.store.open_runs import OpenRun
from dcq.store.runs import Event

# Runs that this process has planned and will ask itself.
_PLANNED_HERE: set[tuple[str, str]] = set()


@dataclass(frozen=True)
class Exclusive:
    """A lock for each sample and each model or search service, or for each sample alone if it is
    ``by_sample``. ``prefix`` begins the names of the locks. ``sentence`` is the message to a second
    process, in which ``{who}`` is the model or service that is busy."""

    prefix: str
    sentence: str
    by_sample: bool = False

    def lock_name(self, sample_id: str, who: str = "") -> str:
        """The name of the lock for this sample and model."""
        return f"{self.prefix}{fingerprint(sample_id, '' if self.by_sample else who)}"

    def is_held(self, store: Store, sample_id: str, who: str = "") -> bool:
        """True while a process holds the lock."""
        return lock.is_held(store, self.lock_name(sample_id, who))

    def under_way(self, store: Store, sample_id: str, who: str) -> bool:
        """True while a process holds the lock, or was started and has not taken it yet."""
        return lock.expected(store, self.lock_name(sample_id, who), START_SECONDS)

    def any_under_way(self, store: Store) -> bool:
        """True while any process asks about any sample, or is about to."""
        names = (path.stem for path in store.runs_folder.glob(f"{self.prefix}*.lock"))
        return any(lock.expected(store, name, START_SECONDS) for name in names)

    @contextmanager
    def hold(self, store: Store, sample_id: str, who: str = "") -> Iterator[None]:
        """Hold the lock for this process; AskedAlreadyError if another has it."""
        with lock.hold(store, self.lock_name(sample_id, who), self.busy(who)):
            yield

    @contextmanager
    def starting(self, store: Store, sample_id: str, everyone: Iterable[str]) -> Iterator[None]:
        """Within the block, plan what another process will ask, and ``announce`` it. Raises
        AskedAlreadyError if one of the models is busy."""
        with lock.wait_for(store, STARTING):
            for who in everyone:
                self.check_free(store, sample_id, who)
            yield

    def check_free(self, store: Store, sample_id: str, who: str = "") -> None:
        """Raise AskedAlreadyError while a process asks, or is about to."""
        if self.under_way(store, sample_id, who):
            name = self.lock_name(sample_id, who)
            holder = lock.describe_holder(store, name) if lock.is_held(store, name) else ""
            raise AskedAlreadyError(self.busy(who) + (f" (It is {holder}.)" if holder else ""))

    def announce(self, store: Store, sample_id: str, who: str) -> None:
        """Count the chain as under way from now on, before its process has taken the lock."""
        lock.announce(store, self.lock_name(sample_id, who))

    def busy(self, who: str) -> str:
        """The message to a second process or person that wants to ask the same chain."""
        return self.sentence.replace("{who}", who)


@contextmanager
def claiming(store: Store) -> Iterator[None]:
    """Within the block nobody else plans or begins a run of this store."""
    with lock.wait_for(store, STARTING):
        yield


def note_planned(store: Store, run_id: str) -> None:
    """Note that this process has planned a run, so that it may begin it."""
    _PLANNED_HERE.add((str(store.path), run_id))


def hand_over(store: Store, run_id: str) -> None:
    """Note that another process was started to ask a run that this one has planned."""
    _PLANNED_HERE.discard((str(store.path), run_id))


def find_other(
    store: Store, method: str, about: str, endpoint: Endpoint, run_id: str = ""
) -> OpenRun | None:
    """A run, other than ``run_id``, in which some process asks the same model the same by this
    method, or is about to; None if there is none. ``about`` is the subject of a run or, for
    requests that are frozen for each run, their sample. A model is the same whatever it is called
    by: ``gpt-4o`` and ``openai:gpt-4o`` are."""
    for run in open_runs.find(store, method, about):
        is_same = (run.base_url, model_asked(run.model), run.mode) == (
            endpoint.base_url,
            model_asked(endpoint.name),
            endpoint.mode,
        )
        if is_same and run.id != run_id and _is_under_way(store, run):
            return run
    return None


def check_unasked(
    store: Store, method: str, about: str, endpoint: Endpoint, run_id: str = ""
) -> None:
    """Raise AskedAlreadyError where ``find_other`` finds a run."""
    other = find_other(store, method, about, endpoint, run_id)
    if other is None:
        return
    who = (
        lock.describe_holder(store, other.id)
        if lock.is_held(store, other.id)
        else f"planned at {other.event_at:%H:%M:%S} UTC, and about to begin"
    )
    raise AskedAlreadyError(
        f"{endpoint.name} is being asked this already (run {other.id}: {who}); wait for it, or"
        " cancel it."
    )


def _is_under_way(store: Store, run: OpenRun) -> bool:
    if lock.is_held(store, run.id):
        return True
    is_own = (str(store.path), run.id) in _PLANNED_HERE
    planned = run.event is Event.PLANNED and not is_own
    return planned and state_of(store, run.id, run.event, run.event_at).live
