"""A lock that lets one process at a time ask the runs of a chain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.process import STARTING
from dcq.jobs.state import START_SECONDS
from dcq.records import fingerprint
from dcq.store import Store


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
        """Hold the lock for this process; InputError if another has it."""
        with lock.hold(store, self.lock_name(sample_id, who), self.busy(who)):
            yield

    @contextmanager
    def starting(self, store: Store, sample_id: str, everyone: Iterable[str]) -> Iterator[None]:
        """Within the block, plan what another process will ask, and ``announce`` it. Raises
        InputError if one of the models is busy."""
        with lock.wait_for(store, STARTING):
            for who in everyone:
                self.check_free(store, sample_id, who)
            yield

    def check_free(self, store: Store, sample_id: str, who: str = "") -> None:
        """Raise InputError while a process asks, or is about to."""
        if self.under_way(store, sample_id, who):
            raise InputError(self.busy(who))

    def announce(self, store: Store, sample_id: str, who: str) -> None:
        """Count the chain as under way from now on, before its process has taken the lock."""
        lock.announce(store, self.lock_name(sample_id, who))

    def busy(self, who: str) -> str:
        """The message to a second process or person that wants to ask the same chain."""
        return self.sentence.replace("{who}", who)
