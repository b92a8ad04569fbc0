"""No row of a copy gets into a store that no store has: as with a bundle's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from dcq.errors import InputError
from dcq.jobs.restore import restore
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, batches, copies, investigations, reviews, runs, samples
from dcq.store.bundle_check import UnsoundError, check
from dcq.store.bundle_tables import COPY_ONLY, TABLES, BundleTable
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.runs import NOBODY, answer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy of a store with a run, its batch, and an investigation that it is part of."""
    store = Store(tmp_path_factory.mktemp("filled") / "dcq.duckdb")
    sample = samples.save(store, small_sample(6))
    run = answer(store, freeze.freeze(store, sample, QuizKind.STANDARD, slot="D").quiz, {"D": 6})
    runs.note(store, run, Event.FINISHED)
    batches.set_aside(store, run, "file-1", requests=6, reply_tokens=10, usd=0.1)
    made = investigations.create(store, sample, NOBODY, QuizKind.STANDARD, [], budget_usd=1.0)
    investigations.add_run(store, made.id, (QuizKind.STANDARD, sample), run, 0.1)
    reviews.keep(store, sample, samples.load(store, sample).instances[0].id, 0, "Ada", "a draft")
    copies.take(store, store.path.with_name("copy.duckdb"))
    return store.path.with_name("copy.duckdb")


@pytest.fixture
def copy(taken: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(taken, tmp_path / "copy.duckdb"))


NO_STORE = "that no store has"
CHANGES = [
    ("UPDATE run SET price_in = -1e-300", f"has a price_in in run {NO_STORE}"),
    ("UPDATE run SET price_out = 'nan'", f"has a price_out in run {NO_STORE}"),
    ("UPDATE run SET budget_usd = 'inf'", f"has a budget_usd in run {NO_STORE}"),
    ("UPDATE run SET lost_usd = -1", f"has a lost_usd in run {NO_STORE}"),
    ("UPDATE run SET method = 'data mining'", f"has a method in run {NO_STORE}"),
    ("UPDATE answer SET tokens_in = -1000000", f"has a tokens_in in answer {NO_STORE}"),
    ("UPDATE batch SET usd = -1", f"has a usd in batch {NO_STORE}"),
    ("UPDATE investigation_run SET usd_before = 'nan'", f"has a usd_before in .* {NO_STORE}"),
    ("UPDATE sample SET n = 0", f"has a n in sample {NO_STORE}"),
    ("UPDATE quiz SET slot = 9", f"has a slot in quiz {NO_STORE}"),
    ("UPDATE run_event SET event = 'bankrupt'", f"has a event in run_event {NO_STORE}"),
    ("UPDATE instance SET text = 'other'", "another text in the instance"),
    ("UPDATE quiz SET sample_id = 'x'", "names the sample x and does not have it"),
]


@pytest.mark.parametrize(("change", "says"), CHANGES)
def test_a_row_that_no_store_has_is_found(copy: Path, change: str, says: str) -> None:
    """As the process finds it that reads a copy."""
    tables = (*TABLES, *COPY_ONLY)
    with duckdb.connect(str(copy)) as db:
        for table in tables:
            db.execute(f'CREATE TEMP VIEW "staged_{table.name}" AS FROM "{table.name}"')
        db.execute(change)
        with pytest.raises(UnsoundError, match=says) as caught:
            check(db, tables, with_text=True)
    assert str(caught.value).startswith(("has ", "names "))
    assert "bundle" not in str(caught.value)


@pytest.mark.parametrize(("change", "says"), [CHANGES[0], CHANGES[-1]])
def test_a_copy_with_a_row_that_no_store_has_is_refused(
    fresh_store: Store, copy: Path, change: str, says: str
) -> None:
    with duckdb.connect(str(copy)) as db:
        db.execute(change)
    before = fresh_store.path.read_bytes()
    with pytest.raises(InputError, match=f"^copy.duckdb {says}; use a copy that dcq made.$"):
        restore(fresh_store, copy)
    assert fresh_store.path.read_bytes() == before


def test_a_run_whose_id_is_a_path_is_refused(fresh_store: Store, copy: Path) -> None:
    """It would name files beside the store."""
    with duckdb.connect(str(copy)) as db:
        [(old,)] = db.execute("SELECT id FROM run").fetchall()
        tables = [
            name
            for (name,) in db.execute(
                "SELECT table_name FROM duckdb_columns() WHERE column_name = 'run_id' "
                "AND table_name IN (SELECT table_name FROM duckdb_tables())"
            ).fetchall()
        ]
        for table in tables:
            db.execute(f'UPDATE "{table}" SET run_id = ? WHERE run_id = ?', ["../../evil", old])  # noqa: S608
        db.execute("UPDATE run SET id = '../../evil'")
    with pytest.raises(InputError, match=f"has a id in run {NO_STORE}; use a copy that dcq made."):
        restore(fresh_store, copy)


def _numbers(db: duckdb.DuckDBPyConnection) -> Iterator[tuple[BundleTable, str, bool]]:
    """Each column with numbers of the tables that no bundle has, and whether they are floats."""
    for table in COPY_ONLY:
        for name, kind in db.execute(
            "SELECT name, type FROM pragma_table_info(?)", [table.name]
        ).fetchall():
            if kind in {"TINYINT", "INTEGER", "BIGINT", "DOUBLE"} and name != "seed":
                yield table, name, kind == "DOUBLE"


def test_a_number_is_refused_in_the_tables_that_no_bundle_has_too(fresh_store: Store) -> None:
    tables = (*TABLES, *COPY_ONLY)
    whole = [table for table in TABLES if table.name in {"partition", "sample", "instance"}]
    tried = 0
    with fresh_store.write() as db:
        for table in tables:
            db.execute(f'CREATE TEMP TABLE "staged_{table.name}" AS FROM "{table.name}"')
        check(db, tables, with_text=True)
        for table, column, floating in list(_numbers(db)):
            for value in ("-1", "'nan'", "'inf'") if floating else ("-1",):
                staged = f'"staged_{table.name}"'
                db.execute(f'INSERT INTO {staged} ("{column}") VALUES ({value})')  # noqa: S608
                with pytest.raises(UnsoundError):
                    check(db, (*whole, table), with_text=True)
                db.execute(f"DELETE FROM {staged}")  # noqa: S608
                tried += 1
    assert tried > 20
