"""Reads that belong together share one opening of the store."""

from __future__ import annotations

import pytest

from dcq.store import Store, samples
from dcq.store.moment import at_one_moment, until_changed
from tests.conftest import small_sample


@at_one_moment
def twice(store: Store, *, save: bool = False) -> bool:
    """Whether two reads had the same connection."""
    with store.read() as first:
        pass
    if save:
        samples.save(store, small_sample())
    with store.read() as second:
        return first is second


def test_the_store_is_opened_once_and_not_written_meanwhile(fresh_store: Store) -> None:
    assert twice(fresh_store)
    assert twice.__name__ == "twice"
    with pytest.raises(RuntimeError, match="written while it is held"):
        twice(fresh_store, save=True)
    samples.save(fresh_store, small_sample())  # it is let go of, also after an error
    assert len(samples.listing(fresh_store)) == 1


def test_a_value_is_read_again_when_its_state_is_another(fresh_store: Store) -> None:
    states, reads = iter([1, 1, 2, 2]), []

    @until_changed(lambda store, name: next(states), kept=2)
    def read(store: Store, name: str) -> str:
        reads.append(name)
        return name * len(reads)

    assert [read(fresh_store, "a") for _ in range(4)] == ["a", "a", "aa", "aa"]


def test_only_so_many_values_are_kept(fresh_store: Store) -> None:
    reads = []

    @until_changed(lambda store, name: 0, kept=2)
    def read(store: Store, name: str) -> None:
        reads.append(name)

    for name in ("a", "b", "a", "c", "b", "a"):
        read(fresh_store, name)
    assert reads == ["a", "b", "c", "a"]
