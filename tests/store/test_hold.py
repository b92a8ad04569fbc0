"""What is read while a store is held is of one moment, and writers wait for its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dcq.settings import ROOT
from dcq.store import Store

COUNT = "SELECT count(*) FROM partition_role"
WRITE = (
    "INSERT INTO partition_role (partition_id, role, author, made_at) "
    "VALUES ('a/b', 'target', '', now())"
)
WRITER = f"""
import sys
from dcq.store import Store
print("begins", flush=True)
with Store(sys.argv[1]).write() as db:
    db.execute({WRITE!r})
"""


def count(store: Store) -> int:
    with store.read() as db:
        [(found,)] = db.execute(COUNT).fetchall()
    return int(found)


def write(store: Store) -> None:
    with store.write() as db:
        db.execute(WRITE)


def test_all_readings_inside_share_one_connection(fresh_store: Store) -> None:
    with fresh_store.hold():
        with fresh_store.read() as first, fresh_store.read() as second:
            assert first is second
        with fresh_store.hold(), fresh_store.read() as deeper:
            assert deeper is first
        with fresh_store.read() as after:  # the inner hold's end is not the end
            assert after is first
    with fresh_store.read() as later:
        assert later is not first


def test_a_store_under_another_name_is_the_same(fresh_store: Store, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(fresh_store.path)
    with fresh_store.hold(), fresh_store.read() as held:
        for other in (Store(fresh_store.path), Store(link)):
            with other.read() as connection:
                assert connection is held


def test_another_store_can_be_written_meanwhile(fresh_store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other.duckdb")
    with fresh_store.hold():
        write(other)
        assert (count(other), count(fresh_store)) == (1, 0)


def test_a_store_is_made_before_it_is_held(store_path: Path) -> None:
    with Store(store_path).hold():
        assert count(Store(store_path)) == 0


def test_an_error_ends_it(fresh_store: Store) -> None:
    with pytest.raises(ZeroDivisionError), fresh_store.hold(), fresh_store.hold():
        raise ZeroDivisionError
    write(fresh_store)
    assert count(fresh_store) == 1


def test_who_holds_a_store_cannot_write_it(fresh_store: Store, tmp_path: Path) -> None:
    new = Store(tmp_path / "new.duckdb")
    write(new)
    with fresh_store.hold():
        with pytest.raises(RuntimeError, match="written while it is held"):
            write(Store(fresh_store.path))
        with pytest.raises(RuntimeError, match="written while it is held"):
            fresh_store.replace_file(new.path, tmp_path / "kept.duckdb", lambda: None)
        assert count(fresh_store) == 0  # it is still held, and as it was
    write(fresh_store)
    assert (count(fresh_store), count(new)) == (1, 1)


@pytest.mark.slow
def test_a_writer_of_another_process_waits_and_then_writes(fresh_store: Store) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(fresh_store.path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as writer:
        with fresh_store.hold():
            assert writer.stdout is not None
            assert writer.stdout.readline() == "begins\n"
            assert count(fresh_store) == 0
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(0.5)
            assert count(fresh_store) == 0
        said = writer.communicate(timeout=60)
    assert (writer.returncode, said) == (0, ("", ""))
    assert count(fresh_store) == 1


@pytest.mark.slow
def test_a_reader_of_another_process_does_not_wait(fresh_store: Store) -> None:
    code = (
        "import sys; from dcq.store import Store\nwith Store(sys.argv[1], timeout=1).read(): pass"
    )
    with fresh_store.hold():
        done = subprocess.run(
            [sys.executable, "-c", code, str(fresh_store.path)], cwd=ROOT, capture_output=True
        )
    assert (done.returncode, done.stderr) == (0, b"")
