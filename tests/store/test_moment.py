"""Reads that belong together share one opening of the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, answer_plans, connect, investigations, runs, samples
from dcq.store.answer_plans import PlannedMethod
from dcq.store.moment import (
    RUNS,
    at_one_moment,
    until_changed,
    until_run_written,
    until_written,
    until_written_to,
)
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.runs import answer


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


RUN = "260101-00000000"


def test_a_write_that_says_what_it_changes_leaves_the_rest_as_it_was_read(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    @until_written
    def anything(store: Store) -> None:
        reads.append("anything")

    @until_written_to()
    def material(store: Store) -> None:
        reads.append("material")

    @until_written_to(RUNS)
    def listed(store: Store) -> None:
        reads.append("listed")

    @until_run_written
    def of_run(store: Store, run_id: str) -> None:
        reads.append(f"of {run_id}")

    def read_after(*only: str) -> list[str]:
        with fresh_store.write(only):
            pass
        reads.clear()
        anything(fresh_store)
        material(fresh_store)
        listed(fresh_store)
        of_run(fresh_store, RUN)
        of_run(fresh_store, RUN[:6])
        return list(reads)

    every = ["anything", "material", "listed", f"of {RUN}", f"of {RUN[:6]}"]
    monkeypatch.setattr(connect, "_IDLE", 60)
    with fresh_store.keep_open():
        assert read_after() == every
        assert read_after(RUN) == ["anything", f"of {RUN}", f"of {RUN[:6]}"]
        assert read_after(RUNS) == ["anything", "listed", f"of {RUN[:6]}"]
        assert read_after("260101-ffffffff") == ["anything", f"of {RUN[:6]}"]
        assert read_after() == every


def test_what_was_read_before_counts_while_the_store_is_held(fresh_store: Store) -> None:
    reads: list[int] = []

    @until_written
    def read(store: Store) -> int:
        reads.append(1)
        return len(reads)

    samples.save(fresh_store, small_sample())
    with fresh_store.hold():
        assert read(fresh_store) == read(fresh_store) == 1
    samples.save(fresh_store, small_sample(key="lakes"))
    with fresh_store.hold():
        assert read(fresh_store) == read(fresh_store) == 2


def _contents(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows by table."""
    with store.read() as db:
        tables = db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        return {
            str(name): db.execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall()  # noqa: S608
            for (name,) in tables
        }


WRITES: dict[str, tuple[set[str], Callable[[Store, str, str], object]]] = {
    "an event": ({"run_event"}, lambda store, run, _: runs.note(store, run, Event.STARTED)),
    "calls": ({"run"}, lambda store, run, _: runs.note_unanswered(store, run, 9, 0.5)),
    "terms": (
        {"run"},
        lambda store, run, _: runs.replan(
            store, run, items=2, budget_usd=1.0, max_calls=3, concurrency=2
        ),
    ),
    "a price": (
        {"run", "earlier_price"},
        lambda store, run, _: runs.reprice(
            store, run, price_in=1.0, price_out=2.0, price_date=None
        ),
    ),
    "an investigation": (
        {"investigation", "investigation_run"},
        lambda store, run, sample: investigations.add_run(
            store,
            investigations.create(store, sample, "m", QuizKind.ROTATED, []).id,
            ("rotated", sample),
            run,
            0.0,
        ),
    ),
    "weights": (
        {"answer_plan"},
        lambda store, *_: answer_plans.add(store, "m", "p/test", [PlannedMethod("quiz", "", 1.0)]),
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_says_that_it_changes_runs_alone_changes_nothing_else(
    fresh_store: Store, name: str
) -> None:
    sample = samples.save(fresh_store, small_sample(4))
    run = answer(
        fresh_store,
        freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz,
        {"D": 3},
    )
    before = _contents(fresh_store)
    tables, write = WRITES[name]
    write(fresh_store, run, sample)
    after = _contents(fresh_store)
    changed = {table for table in after if after[table] != before[table]}
    assert changed
    assert changed <= tables
    if tables <= {"run", "run_event", "earlier_price"}:  # of that run alone
        others = [row for row in before["run"] if row[0] != run]
        assert others == [row for row in after["run"] if row[0] != run]
