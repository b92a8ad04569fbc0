"""Sittings: begun once, answered by adding rows, closed by the last answer."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dcq.errors import ChangedError, InputError
from dcq.records import Item
from dcq.store import (
    Store,
    migrations,
    replications,
    results,
    reviews,
    samples,
    sittings,
    steps,
    variants,
)
from dcq.store.steps import latest
from dcq.store.variants import Decision, NewVariant
from tests.conftest import small_sample

ITEMS = tuple(Item(f"i{n}", (f"=1+{n}", "b\x00", "c", "d"), n % 4) for n in range(3))


def begin(store: Store, person: str = "Ada", sample: str = "s") -> str:
    return sittings.begin(store, sample, person, lambda asked, seed: ITEMS)


def test_a_store_of_an_older_release_gets_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    at = [step.__name__ for step in steps.STEPS].index("m027_sittings")
    with monkeypatch.context() as older:
        # Samples are saved by the code of today, which fills these columns.
        older.setattr(migrations, "STEPS", (*steps.STEPS[:at], latest.m046_rows_and_revisions))
        sample = samples.save(Store(path), small_sample())
    store = Store(path)
    assert sittings.every(store) == []
    found = sittings.find(store, begin(store, sample=sample))
    assert found is not None
    assert found.items == ITEMS


def test_answers_are_added_and_the_newest_counts_until_the_last(fresh_store: Store) -> None:
    sitting = begin(fresh_store)
    before = results.state(fresh_store)
    for at, letter in ((0, "B"), (1, "A"), (0, "A"), (0, "A")):  # changed; clicked twice
        sittings.answer(fresh_store, sitting, at, letter)
    assert results.state(fresh_store) != before
    found = sittings.find(fresh_store, sitting)
    assert found is not None
    assert found.letters == ("A", "A", None)
    assert not found.finished
    sittings.answer(fresh_store, sitting, 2, "D")
    sittings.answer(fresh_store, sitting, 2, "D")  # a second click on the last changes nothing
    with pytest.raises(ChangedError, match="finished"):
        sittings.answer(fresh_store, sitting, 2, "C")
    found = sittings.find(fresh_store, sitting)
    assert found is not None
    assert found.finished
    assert found.right == (True, False, False)
    assert found.answered_at is not None
    with fresh_store.read() as db:
        rows = db.execute("SELECT letter FROM sitting_answer ORDER BY seq").fetchall()
    assert rows == [("B",), ("A",), ("A",), ("D",)]


def test_two_tabs_have_one_sitting_and_a_finished_one_is_followed_by_another(
    fresh_store: Store,
) -> None:
    asked: list[tuple[frozenset[str], int]] = []

    def draw(seen: frozenset[str], seed: int) -> tuple[Item, ...]:
        asked.append((seen, seed))
        return ITEMS

    first = sittings.begin(fresh_store, "s", "Ada", draw)
    assert sittings.begin(fresh_store, "s", " ADA ", draw) == first
    assert begin(fresh_store, "Ben") != first
    for at in range(3):
        sittings.answer(fresh_store, first, at, "A")
    assert sittings.begin(fresh_store, "s", "Ada", draw) != first
    assert [seen for seen, _ in asked] == [frozenset(), {"i0", "i1", "i2"}]
    assert len({seed for _, seed in asked}) == 2
    assert all(0 <= seed < 2**53 for _, seed in asked)
    assert len(sittings.of_person(fresh_store, "ada")) == 2


def test_many_at_once_begin_one_sitting_and_lose_no_answer(fresh_store: Store) -> None:
    begun: list[str] = []

    def work(at: int) -> None:
        begun.append(begin(fresh_store))
        sittings.answer(fresh_store, begun[-1], at, "C")

    threads = [threading.Thread(target=work, args=(at,)) for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [found] = sittings.every(fresh_store)
    assert set(begun) == {found.id}
    assert found.letters == ("C", "C", "C")


@pytest.mark.parametrize(
    ("at", "letter", "said"),
    [
        (3, "A", "no question 4"),
        (-1, "A", "no question"),
        (0, "E", "no option"),
        (0, "", "no option"),
        (0, "AB", "no option"),
        (0, "a", "no option"),
    ],
)
def test_an_answer_to_nothing_is_refused(
    fresh_store: Store, at: int, letter: str, said: str
) -> None:
    sitting = begin(fresh_store)
    with pytest.raises(InputError, match=said):
        sittings.answer(fresh_store, sitting, at, letter)
    with pytest.raises(InputError, match="no sitting"):
        sittings.answer(fresh_store, "x", 0, "A")
    found = sittings.find(fresh_store, sitting)
    assert found is not None
    assert found.letters == (None, None, None)
    assert sittings.find(fresh_store, "'; DROP TABLE sitting; --") is None


def test_neither_a_person_without_a_name_nor_a_sitting_without_questions_begins(
    fresh_store: Store,
) -> None:
    with pytest.raises(InputError, match="name"):
        begin(fresh_store, "  ")
    with pytest.raises(InputError, match="every instance"):
        sittings.begin(fresh_store, "s", "Ada", lambda asked, seed: ())
    assert sittings.every(fresh_store) == []


@pytest.mark.parametrize("name", ["ada", " Ada ", "ADA", "Ａｄａ"])
def test_a_name_is_one_persons_however_it_is_written(name: str) -> None:
    assert sittings.person_key(name) == "ada"


def test_whoever_decided_edited_or_cut_is_known_in_every_sample_with_the_text(
    fresh_store: Store,
) -> None:
    small = samples.save(fresh_store, small_sample(3))
    large = samples.save(fresh_store, small_sample(5))  # holds the smaller one's instances
    other = samples.save(fresh_store, small_sample(3, key="lakes"))
    first = samples.load(fresh_store, small).instances[0].id
    assert not sittings.curated_by(fresh_store, large, "Ada")
    seen = variants.current(fresh_store, small)[first][0]
    reviews.decide(fresh_store, small, [seen], Decision.REJECTED, "Ada")
    variants.add(fresh_store, small, [NewVariant(first, 1, "x", "person", "Ben")])
    variants.add(fresh_store, small, [NewVariant(first, 2, "y", "offline", "Cleo")])
    replications.move(fresh_store, small, first, 0, 3, "Dora")
    for sample in (small, large):
        known = [
            name
            for name in ("ada", "BEN", "Cleo", "dora")
            if sittings.curated_by(fresh_store, sample, name)
        ]
        assert known == ["ada", "BEN", "dora"]  # who has had one written has not read it
    assert sittings.curations(fresh_store, [other]) == []
    assert sittings.curations(fresh_store, []) == []
