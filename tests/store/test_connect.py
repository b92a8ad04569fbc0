import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from dcq.errors import (
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreTooNewError,
)
from dcq.records import PartitionRole
from dcq.settings import ROOT
from dcq.store import Store, connect, migrations, partitions, results, steps
from dcq.store.moment import until_written

HOLD = """
import duckdb, sys
db = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_first_read_makes_the_store_with_its_folder(fresh_store: Store) -> None:
    with fresh_store.read() as db:
        assert migrations.check(db, fresh_store.path)
    assert fresh_store.path.exists()


def test_a_failed_write_leaves_nothing(fresh_store: Store) -> None:
    def fail_halfway() -> None:
        with fresh_store.write() as db:
            db.execute(
                "INSERT INTO run_event (run_id, event, detail, made_at) "
                "VALUES ('r', 'e', '', now()::TIMESTAMP)"
            )
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM run_event").fetchone() == (0,)


def test_a_store_held_elsewhere_is_waited_for_then_named(store_path: Path) -> None:
    with Store(store_path).write():
        pass
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(StoreLockedError, match=f"PID {holder.pid}"),
            Store(store_path, timeout=0.2).read(),
        ):
            pass
        # Let go while somebody waits: the one who waits gets it.
        letting_go = threading.Timer(0.3, holder.communicate)
        letting_go.start()
        with Store(store_path, timeout=20).write() as db:
            assert db.execute("SELECT 1").fetchone() == (1,)
        letting_go.join()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 500])
def test_a_file_that_is_no_store_is_refused_and_kept(store_path: Path, content: bytes) -> None:
    store_path.parent.mkdir()
    store_path.write_bytes(content)
    for opened in (Store(store_path).read, Store(store_path).write):
        with pytest.raises(StoreCorruptError, match="not a readable store"), opened():
            pass
    assert store_path.read_bytes() == content


def test_a_truncated_store_is_refused(store_path: Path) -> None:
    with Store(store_path).write():
        pass
    os.truncate(store_path, 5000)
    with pytest.raises(StoreCorruptError), Store(store_path).read():
        pass


def test_somebody_elses_database_is_refused(store_path: Path) -> None:
    store_path.parent.mkdir()
    with duckdb.connect(str(store_path)) as db:
        db.execute("CREATE TABLE holiday_photos (i INTEGER)")
    with pytest.raises(StoreCorruptError, match="not one of dcq's"), Store(store_path).write():
        pass
    with duckdb.connect(str(store_path)) as db:
        assert db.execute("SHOW TABLES").fetchall() == [("holiday_photos",)]


def test_a_store_of_a_later_release_is_refused(store_path: Path) -> None:
    with Store(store_path).write() as db:
        db.execute("INSERT INTO migration VALUES ('m999_from_the_future', now()::TIMESTAMP)")
    with pytest.raises(StoreTooNewError, match="later release"), Store(store_path).read():
        pass


def test_a_store_of_an_older_release_is_migrated(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:2])
        with Store(store_path).write() as db:
            db.execute("INSERT INTO review VALUES (7, 1, 's', 'accepted', 'me', now()::TIMESTAMP)")
    with Store(store_path).read() as db:
        assert db.execute("SELECT seq FROM review").fetchall() == [(7,)]
        assert db.execute("SELECT count(*) FROM final_answer").fetchone() == (0,)


def test_answers_of_an_older_release_say_nothing_of_who_served_them(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:7])
        with Store(store_path).write() as db:
            db.execute(
                "INSERT INTO answer VALUES ('r', 0, 1, 'answered', 'A', '', 'A', '', 1, 1, 0.1, 1, "
                "'{}', NULL, now()::TIMESTAMP)"
            )
    with Store(store_path).read() as db:
        rows = db.execute("SELECT value, served_model, fingerprint FROM final_answer").fetchall()
    assert rows == [("A", None, None)]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(StoreReadOnlyError, match="cannot be written"),
        Store(tmp_path / "file" / "dcq.duckdb").write(),
    ):
        pass


def test_threads_share_a_store(fresh_store: Store) -> None:
    with fresh_store.write():
        pass
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(5):
                with fresh_store.write() as db:
                    db.execute(
                        "INSERT INTO run_event (run_id, event, detail, made_at) "
                        "VALUES (?, 'e', '', now()::TIMESTAMP)",
                        [str(number)],
                    )
                with fresh_store.read() as db:
                    db.execute("SELECT count(*) FROM run_event").fetchall()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[n]) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM run_event").fetchone() == (30,)


def test_nothing_holds_the_file_between_operations(store_path: Path) -> None:
    store = Store(store_path)
    for opened in (store.write, store.read, store.write):
        with opened() as db:
            db.execute("SELECT * FROM answer")  # not read to its end
        done = subprocess.run(
            [sys.executable, "-c", HOLD, str(store_path)], input=b"", capture_output=True
        )
        assert done.returncode == 0, done.stderr
        assert not store_path.with_suffix(".duckdb.wal").exists()


def test_a_broken_store_is_no_trouble_for_another(store_path: Path, fresh_store: Store) -> None:
    broken = Store(store_path.with_name("broken.duckdb"))
    with broken.write():
        pass
    with broken.path.open("r+b") as file:  # behind the headers, so that it can be opened
        file.seek(3 * 4096)
        file.write(os.urandom(broken.path.stat().st_size - 3 * 4096))
    with pytest.raises(StoreCorruptError), broken.read() as db:
        db.execute("SELECT * FROM run, item").fetchall()
    with fresh_store.write() as db:
        db.execute("INSERT INTO review VALUES (7, 1, 's', 'accepted', 'me', now()::TIMESTAMP, '')")
    with fresh_store.read() as db:
        assert db.execute("SELECT seq FROM review").fetchall() == [(7,)]


def test_a_path_may_hold_a_quote(tmp_path: Path) -> None:
    store = Store(tmp_path / "Ada's folder" / "it's.duckdb")
    with store.write():
        pass
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM run").fetchone() == (0,)
    assert store.path.exists()


def test_a_store_under_two_names_has_one_folder_of_locks(tmp_path: Path) -> None:
    there, here = tmp_path / "far" / "x.duckdb", tmp_path / "y.duckdb"
    here.symlink_to(there)  # which does not exist yet
    store = Store(here)
    assert store.runs_folder == Store(there).runs_folder == there.with_suffix(".runs")
    with store.write():
        assert there.exists()
    assert Store(here).runs_folder == store.runs_folder == there.with_suffix(".runs")
    assert not here.with_suffix(".runs").exists()


def test_what_a_dead_process_left_is_found_under_both_names(tmp_path: Path) -> None:
    there, here = tmp_path / "x.duckdb", tmp_path / "y.duckdb"
    here.symlink_to(there)
    code = """
import os, sys
from dcq.store import Store
with Store(sys.argv[1]).write() as db:
    db.execute("INSERT INTO review VALUES (7, 1, 's', 'accepted', 'me', now()::TIMESTAMP, '')")
    db.commit()
    os._exit(0)  # what was committed is in the log beside the file
"""
    subprocess.run([sys.executable, "-c", code, str(here)], cwd=ROOT, check=True)
    with Store(there).read() as db:
        assert db.execute("SELECT seq FROM review").fetchall() == [(7,)]


def test_a_link_to_itself_ends_in_a_sentence(tmp_path: Path) -> None:
    loop = tmp_path / "loop.duckdb"
    loop.symlink_to(loop)
    with pytest.raises(StoreError, match=re.escape(str(loop))), Store(loop).write():
        pass


def test_to_ask_whether_a_store_is_there_makes_none(store_path: Path) -> None:
    store = Store(store_path)
    with pytest.raises(StoreError, match=r"dcq\.duckdb is gone; put it back"):
        store.check_there()
    assert not store_path.parent.exists()
    with store.write():
        pass
    store.check_there()


def test_two_stores_may_be_open_at_once(fresh_store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other.duckdb")
    with fresh_store.read() as here, other.read() as there:
        assert here.execute("SELECT count(*) FROM run").fetchone() == (0,)
        assert there.execute("SELECT count(*) FROM run").fetchone() == (0,)


def test_a_full_disk_is_said_and_nothing_is_kept_by_half(store_path: Path) -> None:
    code = """
import resource, signal, sys
from dcq.errors import StoreError
from dcq.store import Store
store = Store(sys.argv[1])
with store.write():
    pass
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = store.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, resource.RLIM_INFINITY))
kept = 0
for _ in range(30):
    try:
        with store.write() as db:
            db.execute(
                "INSERT INTO review SELECT range, 1, sha256(range::VARCHAR), 'accepted', 'me', "
                "now()::TIMESTAMP, '' FROM range(2000)"
            )
        kept += 1
    except StoreError as error:
        assert "disk" in str(error), error
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
with store.read() as db:
    print(kept, db.execute("SELECT count(*) // 2000 FROM review").fetchone()[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(store_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    kept, found = map(int, done.stdout.split())
    assert kept == found < 30


def _age(store: Store) -> None:
    """As if nobody had written for a minute."""
    ago = time.time_ns() - 60_000_000_000 + 1
    os.utime(store.path, ns=(ago, ago))


def test_what_nobody_has_written_to_is_not_read_again(fresh_store: Store) -> None:
    read = []

    @until_written
    def steps(store: Store, least: int) -> int:
        read.append(least)
        with store.read() as db:
            (n,) = db.execute("SELECT count(*) FROM migration").fetchone() or (0,)
        return int(n) - least

    _age(fresh_store)
    first = steps(fresh_store, 0)
    assert [steps(fresh_store, 0), steps(fresh_store, 1), steps(fresh_store, 1)] == [
        first,
        first - 1,
        first - 1,
    ]
    assert read == [0, 1]
    Store(fresh_store.path).path.touch()
    assert steps(fresh_store, 0) == first
    assert read == [0, 1, 0]


_GIVE_A_ROLE = """
import sys
from dcq.records import PartitionRole as Role
from dcq.store import Store, partitions
for role in (Role.CONTROL, Role.POSITIVE):
    partitions.set_role(Store(sys.argv[1]), "rivers/test", role, "Ada")
"""


def test_what_another_process_writes_is_read_at_once(fresh_store: Store, sample_id: str) -> None:
    _age(fresh_store)
    before = results.state(fresh_store)
    assert results.state(fresh_store) == before
    subprocess.run([sys.executable, "-c", _GIVE_A_ROLE, str(fresh_store.path)], check=True)
    assert results.state(fresh_store) != before


def test_what_this_process_writes_is_read_at_once(fresh_store: Store, sample_id: str) -> None:
    seen = {results.state(fresh_store)}
    for n, role in enumerate(
        [PartitionRole.CONTROL, PartitionRole.POSITIVE, PartitionRole.TARGET] * 5
    ):
        partitions.set_role(fresh_store, "rivers/test", role, f"reviewer {n}")
        before = results.state(fresh_store)
        assert before == results.state(fresh_store)
        seen.add(before)
    assert len(seen) == 3  # one for each role; the last is the first


def test_a_file_that_was_just_written_has_no_version_yet(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh_store.write():
        pass
    written = fresh_store.path.stat().st_mtime_ns
    with monkeypatch.context() as patched:
        patched.setattr(time, "time_ns", lambda: written + connect._TICK - 1)
        assert fresh_store.version() is None
    _age(fresh_store)
    version = fresh_store.version()
    assert version is not None
    assert version == fresh_store.version()
    fresh_store.path.unlink()
    assert fresh_store.version() is None
