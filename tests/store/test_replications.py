"""Tables of replications: an older store gets them, moved cuts and labels are only added."""

from pathlib import Path

import pytest

from dcq.replication import RUNS
from dcq.store import Store, method_runs, migrations, replications, steps, variants
from dcq.store.replications import MovedCut, Outline, Replication, StoredPiece
from dcq.store.variants import NewVariant

PIECE = StoredPiece(
    "i", "classification", "a\x00 first", "'; DROP TABLE piece; --", None, " ", True
)


def keep(store: Store) -> str:
    return replications.save(
        store,
        Replication(
            id="",
            sample_id="s",
            version="paper",
            instructions=("guided", "general"),
            judge="",
            seed=2**40,
            earliest=0.2,
            latest=0.9,
            author="Ada",
            left_out={"x": "no text"},
            pieces=(PIECE, PIECE),
        ),
    )


def test_a_store_of_an_older_release_gets_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    at = [step.__name__ for step in steps.STEPS].index("m021_replications")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        variants.add(Store(path), "s", [NewVariant("i", 0, "a text", "offline")])
    store = Store(path)
    assert method_runs.runs_of(store, RUNS) == []
    kept = replications.load(store, keep(store))
    assert kept.pieces == (PIECE, PIECE)
    assert (kept.seed, kept.left_out, kept.instructions) == (
        2**40,
        {"x": "no text"},
        ("guided", "general"),
    )
    assert variants.current(store, "s")["i"][0].text == "a text"


def test_an_older_store_drew_its_cuts_as_the_release_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    at = [step.__name__ for step in steps.STEPS].index("m031_places_of_cuts")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        with Store(path).write() as db:
            db.execute(
                "INSERT INTO replication VALUES "
                "('t', 's', 'paper', ['guided', 'general'], '', 0, '', '{}', now()::TIMESTAMP)"
            )
            db.execute(
                "INSERT INTO piece VALUES ('t', 0, 'i', 'text', 'a', 'b', NULL, ' ', true, NULL)"
            )
    kept = replications.load(Store(path), "t")
    assert (kept.earliest, kept.latest, kept.pieces[0].cut_by) == (0.4, 0.7, None)
    new = replications.load(Store(path), keep(Store(path)))
    assert (new.earliest, new.latest) == (0.2, 0.9)


def test_the_newest_cut_counts_and_can_be_taken_back(fresh_store: Store) -> None:
    for offset in (3, 8):
        replications.move(fresh_store, "s", "i", 0, offset, "Ada")
    replications.move(fresh_store, "s", "j", 0, 5, "Bob")
    replications.move(fresh_store, "s", "i", 1, 9, "Bob")
    assert replications.current(fresh_store, "s", 0) == {
        "i": MovedCut(8, "Ada"),
        "j": MovedCut(5, "Bob"),
    }
    replications.move(fresh_store, "s", "i", 0, None, "Bob")
    assert replications.current(fresh_store, "s", 0) == {"j": MovedCut(5, "Bob")}
    assert replications.current(fresh_store, "other", 0) == {}
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM cut").fetchone() == (5,)


def test_the_newest_label_of_each_counts_and_changes_the_state(fresh_store: Store) -> None:
    before = replications.state(fresh_store)
    replications.add(fresh_store, "r", 0, "Ada", "exact")
    replications.add(fresh_store, "r", 0, "Ada", "inexact")
    replications.add(fresh_store, "r", 1, "Ada", "exact")
    replications.add(fresh_store, "r", 0, "Bob", "near-exact")
    assert replications.of(fresh_store, "r") == {
        "Ada": {0: "inexact", 1: "exact"},
        "Bob": {0: "near-exact"},
    }
    replications.add(fresh_store, "r", 0, "Bob", "")
    assert replications.of(fresh_store, "r") == {"Ada": {0: "inexact", 1: "exact"}}
    assert replications.state(fresh_store) != before
    assert replications.of(fresh_store, "other") == {}


def test_an_outline_says_what_a_replication_asks_for(fresh_store: Store) -> None:
    kept = keep(fresh_store)
    loaded = replications.load(fresh_store, kept)
    requests = len(loaded.pieces) * len(loaded.instructions)
    assert replications.outlines(fresh_store, [kept, "none"]) == {kept: Outline(requests, "")}
    assert replications.outlines(fresh_store, []) == {}
