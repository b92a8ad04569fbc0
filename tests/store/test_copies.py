"""Copies of the store: taken while runs write, read back, and files that are no such copy."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from dcq.errors import DcqError, InputError
from dcq.jobs import lock
from dcq.jobs.restore import restore
from dcq.judging import every_method, study
from dcq.quiz import freeze, protocol2
from dcq.records import QuizKind
from dcq.settings import ROOT
from dcq.store import (
    Store,
    copies,
    draws,
    migrations,
    private_wordings,
    results,
    runs,
    samples,
    sources,
    studies,
)
from dcq.store.bundle_tables import REBUILT
from dcq.store.connect import utc_now
from dcq.store.runs import Event
from dcq.store.sources import Source, SourceKind
from dcq.store.studies import Study
from tests.conftest import small_sample
from tests.support import commands
from tests.support.older_store import FOLDER as OLDER
from tests.support.provider import FakeProvider
from tests.support.runs import answer, take

Change = Callable[[duckdb.DuckDBPyConnection], object]


@pytest.fixture
def filled(fresh_store: Store, quiz_id: str) -> Store:
    run = answer(fresh_store, quiz_id, {"D": 4, "refused": 1, "error": 1})
    runs.note(fresh_store, run, Event.FINISHED)
    studies.save(fresh_store, Study("Rivers", partitions=("rivers/test",), author="Ada"))
    return fresh_store


@pytest.fixture
def copy(filled: Store, tmp_path: Path) -> Path:
    file = tmp_path / "copy.duckdb"
    copies.take(filled, file)
    return file


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, without when this store took its steps and what it derives anew."""
    with duckdb.connect(str(path), read_only=True) as db:
        names = [
            name for (name,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        return {
            name: sorted(db.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)  # noqa: S608  (the names of the store's tables)
            for name in names
            if name not in REBUILT
        }


def from_elsewhere(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of a copy in a store that has never seen its runs: these are marked, and no more."""
    found = rows(path)
    return found | {
        "imported_run": [(run_id,) for (run_id, *_) in found["run"]],
        "source": [("one",)],
    }


def known(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows, of the marks only which runs have them, and of where they came from that it is
    one."""
    found = rows(path)
    marked: list[tuple[object, ...]] = [(run_id,) for (run_id, *_) in found["imported_run"]]
    came: list[tuple[object, ...]] = [("one",)] * len(found["source"])
    return found | {"imported_run": marked, "source": came}


def test_a_restored_copy_has_every_row_and_goes_on_counting(
    filled: Store, copy: Path, tmp_path: Path
) -> None:
    there = Store(tmp_path / "new" / "dcq.duckdb")
    assert restore(there, copy) is None
    assert known(there.path) == from_elsewhere(filled.path)
    assert sum(map(len, rows(there.path).values())) > 40
    [run] = runs.listing(there)
    runs.note(there, run, Event.STARTED)  # its number is a new one, or this fails
    assert len(rows(there.path)["run_event"]) == len(rows(filled.path)["run_event"]) + 1
    assert [path.name for path in copy.parent.iterdir() if path.name.startswith(".")] == []


async def test_a_copy_taken_while_a_run_writes_is_whole(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    provider.slow = 2.0
    sample = samples.save(fresh_store, small_sample(60))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
    here = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    commands.run("backup", "--help", environment=here)  # the next one need not start so much
    run = asyncio.create_task(take(fresh_store, quiz, "slow"))
    taken: list[Path] = []
    while not run.done() and not (taken and rows(taken[-1])["answer"]):
        file = tmp_path / f"{len(taken)}.duckdb"
        done = await asyncio.to_thread(
            commands.run, "backup", str(file), "--json", environment=here
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"file": str(file), "bytes": file.stat().st_size}
        taken.append(file)
    provider.slow = 0.01
    run_id, ended = await run
    assert ended.event is Event.FINISHED
    assert len(results.answers(fresh_store, run_id)) == 60
    assert 0 < len(rows(taken[-1])["answer"]) < 60
    there = Store(tmp_path / "there.duckdb")
    restore(there, taken[-1])
    assert known(there.path) == from_elsewhere(taken[-1])


def test_what_is_still_in_the_log_is_in_the_copy(filled: Store, tmp_path: Path) -> None:
    """As a process leaves it that was killed before DuckDB moved its rows into the file."""
    code = """
import duckdb, os, sys
db = duckdb.connect(sys.argv[1])
db.execute("PRAGMA disable_checkpoint_on_shutdown; SET checkpoint_threshold = '1GB'")
db.execute("INSERT INTO study (name, author, made_at) VALUES ('Late', '', now()::TIMESTAMP)")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code, str(filled.path)], check=True)
    log = filled.path.with_name("dcq.duckdb.wal")
    assert log.exists()
    file = tmp_path / "copy.duckdb"
    copies.take(filled, file)
    assert "Late" in str(rows(file)["study"])
    assert not file.with_name("copy.duckdb.wal").exists()
    # The store that a restore replaces keeps its log, and the new one does not get it.
    there = Store(tmp_path / "empty.duckdb")
    with there.write():
        pass
    copies.take(there, tmp_path / "empty-copy.duckdb")
    subprocess.run([sys.executable, "-c", code, str(filled.path)], check=True)
    kept = restore(filled, tmp_path / "empty-copy.duckdb")
    assert kept is not None
    assert rows(filled.path)["study"] == []
    assert str(rows(kept)["study"]).count("Late") == 2


def test_an_existing_file_and_the_store_itself_are_not_overwritten(
    filled: Store, copy: Path
) -> None:
    second_name = copy.parent / "second.duckdb"
    second_name.hardlink_to(filled.path)
    other = Store(copy.parent / "other.duckdb")
    with other.write():
        pass
    loop = copy.parent / "loop"
    loop.symlink_to(loop)
    for file, replace, why in (
        (copy, False, "is there already"),
        (filled.path, True, "is the store itself"),
        (second_name, True, "is the store itself"),
        (copy.parent, True, "is a folder"),
        (other.path, True, "is another store, and it would be lost"),
        (loop, True, "loop"),
    ):
        with pytest.raises(InputError, match=why):
            copies.take(filled, file, replace=replace)
    second_name.unlink()
    assert copies.take(filled, copy, replace=True) == copy.stat().st_size
    with pytest.raises(InputError, match="cannot be written"):
        copies.take(filled, copy.parent / "nowhere" / "x.duckdb")
    with pytest.raises(DcqError, match="is gone"):
        copies.take(Store(copy.parent / "no-store.duckdb"), copy.parent / "y.duckdb")
    assert not (copy.parent / "no-store.duckdb").exists()


def test_a_copy_can_be_read_by_those_who_can_read_the_store(filled: Store, tmp_path: Path) -> None:
    filled.path.chmod(0o600)
    copies.take(filled, tmp_path / "copy.duckdb")
    assert (tmp_path / "copy.duckdb").stat().st_mode & 0o777 == 0o600
    restore(filled, tmp_path / "copy.duckdb")
    assert filled.path.stat().st_mode & 0o777 == 0o600


def test_the_store_that_was_there_is_kept(filled: Store, copy: Path) -> None:
    samples.save(filled, small_sample(3, key="lakes"))
    before = rows(filled.path)
    kept = restore(filled, copy)
    assert kept is not None
    assert kept.parent == filled.path.parent
    assert rows(kept) == before
    assert rows(filled.path) == rows(copy) != before
    again = restore(filled, kept)
    assert again not in {None, kept}
    assert rows(filled.path) == before


def test_a_store_that_cannot_be_read_is_replaced_too(filled: Store, copy: Path) -> None:
    filled.path.write_bytes(b"broken" * 1000)
    kept = restore(filled, copy)
    assert rows(filled.path) == rows(copy)  # one's own: the identity lies beside the store
    assert kept is not None
    assert kept.read_bytes() == b"broken" * 1000


def test_nothing_is_restored_while_a_process_is_at_work(filled: Store, copy: Path) -> None:
    [run] = runs.listing(filled)
    before = filled.path.read_bytes()
    with lock.hold(filled, run), pytest.raises(InputError, match=f"at work on this store .{run}"):
        restore(filled, copy)
    assert filled.path.read_bytes() == before
    restore(filled, copy)


def test_a_copy_of_an_older_release_is_brought_up_to_date(tmp_path: Path) -> None:
    file = tmp_path / "older.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute((OLDER / "schema.sql").read_text())
        for line in (OLDER / "load.sql").read_text().splitlines():
            db.execute(line.replace("FROM '", f"FROM '{OLDER}/"))
    there = Store(tmp_path / "new.duckdb")
    restore(there, file, mine=True)
    with there.read() as db:
        assert migrations.applied(db) == set(migrations.names())
    ranges = protocol2.by_run(protocol2.estimates(there))
    found = [
        every_method.document(one, ranges.get(one.evidence.run)) for one in study.findings(there)
    ]
    assert json.loads(json.dumps(found)) == json.loads((OLDER / "results.json").read_text())


def _sql(*statements: str) -> Change:
    def change(db: duckdb.DuckDBPyConnection) -> None:
        for statement in statements:
            db.execute(statement)

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_sql("INSERT INTO migration VALUES ('m999_later', now()::TIMESTAMP)"), "later release"),
        (_sql("DELETE FROM migration WHERE name LIKE 'm003%'"), "lacks a step"),
        (_sql("DELETE FROM migration"), "lacks a step"),
        (_sql("DROP TABLE migration"), "not a store of dcq's"),
        (
            _sql("DROP TABLE migration", "CREATE VIEW migration AS SELECT 'm001' AS name"),
            "not a store of dcq's",
        ),
        (
            _sql(
                "ALTER TABLE draft RENAME TO away",
                "CREATE VIEW draft AS SELECT * FROM away",
            ),
            "no table draft",
        ),
        (_sql("ALTER TABLE study ADD COLUMN more INTEGER"), "no table study"),
        (
            _sql(
                "DROP TABLE draft",
                "CREATE TABLE draft AS SELECT * FROM read_text('/etc/hostname')",
            ),
            "no table draft",
        ),
        (
            _sql("UPDATE study SET seq = 9_000_000_000_000_000_000"),
            "a number in study that no store has",
        ),
    ],
)
def test_a_database_that_is_no_such_store_is_refused(
    filled: Store, copy: Path, change: Change, says: str
) -> None:
    with duckdb.connect(str(copy)) as db:
        change(db)
    before = filled.path.read_bytes()
    with pytest.raises(InputError, match=says):
        restore(filled, copy)
    assert filled.path.read_bytes() == before
    assert not list(filled.path.parent.glob("*before*"))
    assert not list(filled.path.parent.glob(".dcq*"))


@pytest.mark.parametrize(
    "content", [b"", b"text", b"\0" * 5_000_000, b"PK\x03\x04" * 1000, None, "half"]
)
def test_a_file_that_is_no_database_is_refused(
    filled: Store, copy: Path, content: bytes | str | None
) -> None:
    if content is None:
        copy.unlink()
    elif isinstance(content, str):
        copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    else:
        copy.write_bytes(content)
    before = filled.path.read_bytes()
    with pytest.raises(InputError) as caught:
        restore(filled, copy)
    assert str(caught.value).count("\n") == 0
    assert filled.path.read_bytes() == before


def test_only_rows_of_our_tables_come_along(filled: Store, copy: Path) -> None:
    """A stranger's view in the place of ours, a macro, a table and a computed column."""
    with duckdb.connect(str(copy)) as db:
        db.execute("CREATE OR REPLACE VIEW final_answer AS SELECT * FROM read_csv('/etc/passwd')")
        db.execute("CREATE MACRO lower(x) AS 'owned'")
        db.execute("CREATE SCHEMA other")
        db.execute("CREATE TABLE other.draft AS SELECT 1 AS one")
        db.execute("CREATE TABLE mine AS SELECT 1 AS one")
    restore(filled, copy)
    with filled.read() as db:
        assert db.execute("SELECT count(*) FROM final_answer").fetchone() == (6,)
        assert db.execute("SELECT lower('A')").fetchone() == ("a",)
        names = db.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
    assert ("mine",) not in names
    assert names.count(("draft",)) == 1


def test_no_file_beside_a_copy_can_be_read_by_it(filled: Store, copy: Path) -> None:
    """A column that is computed when it is read."""
    secret = copy.with_name("secret.txt")
    secret.write_text("sesame")
    with duckdb.connect(str(copy)) as db:
        db.execute("DROP TABLE draft")
        kinds = dict(_columns(filled, "draft"))
        last = list(kinds)[-1]
        plain = ", ".join(f'"{name}" {kind}' for name, kind in kinds.items() if name != last)
        db.execute(
            f'CREATE TABLE draft ({plain}, "{last}" {kinds[last]} GENERATED ALWAYS AS '
            f"(CAST(error('read ' || getvariable('x')) AS {kinds[last]})) VIRTUAL)"
        )
        names = ", ".join(f'"{name}"' for name in kinds if name != last)
        values = ", ".join(f"CAST('1' AS {k})" for n, k in kinds.items() if n != last)
        db.execute(f"INSERT INTO draft ({names}) VALUES ({values})")  # noqa: S608  (its own columns)
    before = filled.path.read_bytes()
    with pytest.raises(InputError):
        restore(filled, copy)
    assert filled.path.read_bytes() == before


def _columns(store: Store, table: str) -> list[tuple[str, str]]:
    with store.read() as db:
        return db.execute(
            "SELECT column_name, data_type FROM duckdb_columns() "
            "WHERE database_name = current_database() AND table_name = ? ORDER BY column_index",
            [table],
        ).fetchall()


def test_the_commands_say_what_they_did(filled: Store, tmp_path: Path) -> None:
    here = {"DCQ_STORE": str(filled.path)}
    file = tmp_path / "copy.duckdb"
    assert commands.run("backup", str(file), environment=here).returncode == 0
    again = commands.run("backup", str(file), environment=here)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "--force" in again.stderr
    assert commands.run("backup", str(file), "--force", environment=here).returncode == 0
    refused = commands.run("restore", str(file), environment=here)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--force" in refused.stderr
    done = commands.run("restore", str(file), "--force", "--json", environment=here)
    found = json.loads(done.stdout)
    assert (found["file"], found["store"]) == (str(file), str(filled.path))
    assert Path(found["kept"]).is_file()
    there = {"DCQ_STORE": str(tmp_path / "other" / "new.duckdb")}
    done = commands.run("restore", str(file), environment=there)
    assert done.returncode == 0
    assert "were not asked from this store" in done.stderr
    assert "--mine" in done.stderr
    assert known(Path(there["DCQ_STORE"])) == from_elsewhere(filled.path)


def test_an_absolute_path_with_a_quote_is_a_path(filled: Store, tmp_path: Path) -> None:
    folder = tmp_path / "o'clock"
    folder.mkdir()
    copies.take(filled, folder / "it's.duckdb")
    there = Store(folder / "new.duckdb")
    restore(there, folder / "it's.duckdb")
    assert known(there.path) == from_elsewhere(filled.path)
    assert ROOT not in there.path.parents


def test_what_is_secret_stays_so_when_an_older_copy_takes_the_place(
    filled: Store, copy: Path
) -> None:
    [sample] = samples.listing(filled)
    with filled.read() as db:
        texts = db.execute("SELECT text FROM variant ORDER BY seq LIMIT 2").fetchall()
    [(secret,), (published,)] = texts
    private_wordings.record(filled, "f" * 64, {"0001": [secret, published]})
    private_wordings.publish(filled, "f" * 64, {"0001": [published]})
    draws.add(filled, sample.id, "f" * 64)
    for _ in range(2):
        restore(filled, copy)
        after = {wording.text: wording.burnt for wording in private_wordings.listing(filled)}
        assert after == {secret: "", published: private_wordings.PUBLISHED}
        assert draws.count(filled, sample.id) == 1


def test_backups_of_one_day_are_told_apart_by_their_ids(fresh_store: Store) -> None:
    for name in ("backup-261127-101112", "backup-261127-235959"):
        source = Source(name, SourceKind.BACKUP, "", "a.duckdb", None, "", utc_now())
        sources.mark_sent(fresh_store, source)
    shown = commands.run("imported", "list", environment={"DCQ_STORE": str(fresh_store.path)})
    assert "backup-261127-1  from" in shown.stdout
    assert "backup-261127-2  from" in shown.stdout
