"""A store that another program has changed is told in one sentence, whatever is asked of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from dcq.errors import StoreCorruptError
from dcq.store import Store, connect, migrations, new_file, runs, samples, steps, structure, studies
from tests.conftest import small_sample

DAMAGES = {
    "a row of the migrations": "DELETE FROM migration WHERE name = 'm020_rewordings'",
    "the last row of the migrations": "DELETE FROM migration WHERE name LIKE 'm039%' "
    "OR name > 'm039'",
    "all rows of the migrations": "DELETE FROM migration",
    "the table of migrations": "DROP TABLE migration",
    "a table": "DROP TABLE run",
    "a table that few ask for": "DROP TABLE flag",
    "a view": "DROP VIEW partition_now",
    "the type of a column": "ALTER TABLE run ALTER made_at TYPE VARCHAR",
    "the type of a number": "ALTER TABLE sample ALTER seed TYPE VARCHAR",
    "a column": "ALTER TABLE answer DROP COLUMN reply",
    "a name of a column": "ALTER TABLE run RENAME model TO modell",
    "a table of another": "DROP TABLE run; CREATE TABLE run (id INTEGER)",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_what_another_program_changed_is_told_with_backup_and_restore(
    fresh_store: Store, damage: str
) -> None:
    samples.save(fresh_store, small_sample())
    assert runs.listing(fresh_store) == []
    with duckdb.connect(str(fresh_store.path)) as db:
        db.execute(damage)
    before = fresh_store.path.read_bytes()
    for ask in (runs.listing, samples.listing, studies.listing):
        with pytest.raises(StoreCorruptError) as told:
            ask(fresh_store)
        assert "`dcq backup`" in str(told.value)
        assert "python -m dcq restore FILE" in str(told.value)
    with pytest.raises(StoreCorruptError):
        samples.save(fresh_store, small_sample(key="other"))
    assert fresh_store.path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("command", ["status", "results", "study", "answer", "backup copy.duckdb"])
def test_no_command_ends_in_a_traceback(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    samples.save(fresh_store, small_sample())
    with duckdb.connect(str(fresh_store.path)) as db:
        db.execute(DAMAGES["the type of a column"])
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    done = subprocess.run(
        [sys.executable, "-m", "dcq", *command.split()],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "python -m dcq restore FILE" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_changed_store_can_be_put_back(fresh_store: Store, tmp_path: Path) -> None:
    from dcq.jobs import restore
    from dcq.store import copies

    samples.save(fresh_store, small_sample())
    copies.take(fresh_store, tmp_path / "copy.duckdb")
    with duckdb.connect(str(fresh_store.path)) as db:
        db.execute(DAMAGES["a table"])
    restore.restore(fresh_store, tmp_path / "copy.duckdb")
    assert len(samples.listing(fresh_store)) == 1


def test_the_digest_is_that_of_all_steps() -> None:
    """After a new step, write the digest that this test names into ``structure.DIGEST``: without
    it stores open a tenth of a second later."""
    assert structure.expected() == structure.DIGEST


def test_a_digest_that_nobody_wrote_down_refuses_nothing(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure, "DIGEST", "older")
    samples.save(fresh_store, small_sample())
    assert len(samples.listing(fresh_store)) == 1


def test_a_store_is_looked_at_once_until_another_program_writes(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh_store.read():
        pass
    looked: list[object] = []
    monkeypatch.setattr(structure, "check", lambda *words: looked.append(words))
    for _ in range(3):
        with fresh_store.read():
            pass
        with fresh_store.write() as db:
            db.execute("INSERT INTO balancing VALUES ('b', 's', 'me', now()::TIMESTAMP)")
            db.execute("DELETE FROM balancing")
    assert not looked
    monkeypatch.setattr(connect, "_sound", {})
    with fresh_store.read():
        pass
    assert len(looked) == 1


_MAKE = """
import os, signal, sys
from pathlib import Path
from dcq.store import Store, migrations, steps

at = int(sys.argv[2])
named = list(steps.STEPS)
def dies(db):
    os.kill(os.getpid(), signal.SIGKILL)
named.insert(at, dies)
migrations.STEPS = tuple(named)
Store(Path(sys.argv[1])).write().__enter__()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("step", [0, 1, 20, len(steps.STEPS)])
def test_a_process_killed_while_it_makes_a_store_leaves_none_or_a_whole_one(
    tmp_path: Path, step: int
) -> None:
    path = tmp_path / "dcq.duckdb"
    done = subprocess.run(
        [sys.executable, "-c", _MAKE, str(path), str(step)], check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    with Store(path).read() as db:
        assert migrations.check(db, path)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_a_kill_at_any_moment_leaves_none_or_a_whole_one(tmp_path: Path) -> None:
    for place in range(8):
        path = tmp_path / f"{place}" / "dcq.duckdb"
        words = "from dcq.store import Store; print(flush=True); Store(PATH).write().__enter__()"
        code = words.replace("PATH", repr(str(path)))
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as maker:
            assert maker.stdout is not None
            maker.stdout.readline()
            time.sleep(place * 0.02)
            maker.kill()
        with Store(path).read() as db:
            assert migrations.check(db, path)


def test_who_is_faster_makes_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the queue cannot be kept, two processes may make one store at the same moment."""
    path = tmp_path / "dcq.duckdb"
    given = new_file._name

    def late(new: Path, file: Path) -> None:
        file.write_bytes(b"theirs")
        given(new, file)

    monkeypatch.setattr(new_file, "_name", late)
    with duckdb.connect(":memory:") as instance:
        new_file.make(instance, path, path)
    assert path.read_bytes() == b"theirs"


def test_a_disk_without_hard_links_gets_a_store_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", none)
    path = tmp_path / "dcq.duckdb"
    with Store(path).read() as db:
        assert migrations.check(db, path)
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == [path.name]
