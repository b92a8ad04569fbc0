"""Reads that belong together share one opening of the store."""

from __future__ import annotations

import pytest

from dcq.store import Store, samples
from dcq.store.connect import Part
from dcq.store.moment import at_one_moment, until_changed, until_written
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


@pytest.mark.parametrize(
    ("written", "again"), [(Part.ANSWERS, False), (Part.RUNS, True), (None, True)]
)
def test_a_value_is_kept_while_only_other_parts_are_written(
    fresh_store: Store, written: Part | None, again: bool
) -> None:
    reads = []

    @until_written(Part.RUNS)
    def read(store: Store) -> int:
        reads.append(store)
        with store.read() as db:
            return len(db.execute("FROM run").fetchall())

    with fresh_store.keep_open():
        with fresh_store.write():
            pass
        assert [read(fresh_store), read(fresh_store)] == [0, 0]
        with fresh_store.write(written):
            pass
        read(fresh_store)
    assert len(reads) == 1 + again


def test_within_one_moment_a_value_is_read_once(fresh_store: Store) -> None:
    reads = []

    @until_written()
    def read(store: Store) -> None:
        reads.append(store)

    with fresh_store.write():
        pass
    for number in (1, 2):  # a file that was just written has no version of its own
        with fresh_store.hold():
            read(fresh_store)
            read(fresh_store)
        assert len(reads) == number
