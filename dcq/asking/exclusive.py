"""One process at a time asks the runs of a chain, whoever wants to ask them."""

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
    """A lock for each sample and each who answers about it (a model's name, or that of a search
    service), or for each sample alone if it is ``by_sample``. ``prefix`` begins the names of the
    locks; ``sentence`` is what is said to whoever comes second, ``{who}`` in it being who is
    busy."""

    prefix: str
    sentence: str
    by_sample: bool = False

    def lock_name(self, sample_id: str, who: str = "") -> str:
        """The name of the lock that is held meanwhile."""
        return f"{self.prefix}{fingerprint(sample_id, '' if self.by_sample else who)}"

    def held(self, store: Store, sample_id: str, who: str = "") -> bool:
        """True while a process asks."""
        return lock.is_held(store, self.lock_name(sample_id, who))

    def under_way(self, store: Store, sample_id: str, who: str) -> bool:
        """True while a process asks, or is about to."""
        return lock.expected(store, self.lock_name(sample_id, who), START_SECONDS)

    def any_under_way(self, store: Store) -> bool:
        """True while any process asks about any sample."""
        names = (path.stem for path in store.runs_folder.glob(f"{self.prefix}*.lock"))
        return any(lock.expected(store, name, START_SECONDS) for name in names)

    @contextmanager
    def hold(self, store: Store, sample_id: str, who: str = "") -> Iterator[None]:
        """Hold the lock for this process; InputError if another has it."""
        with lock.hold(store, self.lock_name(sample_id, who), self.busy(who)):
            yield

    @contextmanager
    def starting(self, store: Store, sample_id: str, everyone: Iterable[str]) -> Iterator[None]:
        """Plan and ``announce``, within the block, what another process will ask. Raises InputError
        if one of them is busy."""
        with lock.wait_for(store, STARTING):
            for who in everyone:
                self.check_free(store, sample_id, who)
            yield

    def check_free(self, store: Store, sample_id: str, who: str = "") -> None:
        """Raise InputError while a process asks, or is about to."""
        if self.under_way(store, sample_id, who):
            raise InputError(self.busy(who))

    def announce(self, store: Store, sample_id: str, who: str) -> None:
        """Count the chain as under way from now on, before its process has come."""
        lock.announce(store, self.lock_name(sample_id, who))

    def busy(self, who: str) -> str:
        """The message to a second process or person that wants to ask the same chain."""
        return self.sentence.replace("{who}", who)
