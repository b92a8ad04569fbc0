"""What people read when their store cannot be opened: the cause, and advice that loses nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from dcq.errors import StoreCorruptError, StoreError, StoreLockedError, StoreReadOnlyError
from dcq.store import Store
from dcq.store.open_errors import translate

HOLD = """
import duckdb, sys
db = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""
# Stands before the C library: files called nolocks.duckdb have no locks, as on a mounted share.
WITHOUT_LOCKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int fails(int file, int command) {
    char link[40], path[4096];
    if (command != F_SETLK && command != F_SETLKW) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    if (!strstr(path, "nolocks.duckdb")) return 0;
    errno = EOPNOTSUPP;
    return 1;
}
#define REPLACE(name) int name(int file, int command, ...) { \
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \
    if (fails(file, command)) return -1; \
    return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, #name))(file, command, argument); }
REPLACE(fcntl)
REPLACE(fcntl64)
"""
KILLED_WITH_A_LOG = """
import duckdb, os, sys
db = duckdb.connect(sys.argv[1])
for place in range(20):
    db.execute(f"INSERT INTO run_event (run_id, event, detail, made_at) "
        f"VALUES ('r', 'e{place}', '{'x' * 500}', now()::TIMESTAMP)")
os._exit(9)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs LD_PRELOAD"
)
def test_a_disk_without_locks_is_named_at_once(tmp_path: Path) -> None:
    """github.com/duckdb/duckdb/issues/13017: it was "held by another process", after 20 s."""
    (tmp_path / "nolocks.c").write_text(WITHOUT_LOCKS)
    library = tmp_path / "nolocks.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", library, tmp_path / "nolocks.c", "-ldl"], check=True
    )
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "dcq", "status"],
        env=os.environ
        | {"LD_PRELOAD": str(library), "DCQ_STORE": str(tmp_path / "nolocks.duckdb")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "lies on a disk without file locks" in done.stderr
    assert "DCQ_STORE" in done.stderr
    assert "held by" not in done.stderr
    assert time.monotonic() - began < 10  # it tried for 15 s and more


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("File locks are not supported for this file system, cannot open", "without file locks"),
        ("No locks available", "without file locks"),
        ("Function not implemented", "without file locks"),
        (
            "Conflicting lock is held in /usr/bin/python3 (PID 21440)",
            r"another process \(PID 21440",
        ),
        ("Conflicting lock is held in another machine", "another process;"),
        ("Resource temporarily unavailable", "another process;"),
        ("Stale file handle", r"could not be locked \(Stale file handle\)"),
        ("Input/output error", "could not be locked"),
    ],
)
def test_every_cause_behind_a_lock_that_could_not_be_set(cause: str, words: str) -> None:
    error = duckdb.IOException(f'IO Error: Could not set lock on file "a.duckdb": {cause}')
    assert re.search(words, str(translate(error, Path("a.duckdb"))))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("No space left on device", "disk of the store a.duckdb is full"),
        ("Disk quota exceeded", "Your quota"),
        ("File too large", "largest size"),
    ],
)
def test_what_ran_out_is_named(said: str, words: str) -> None:
    error = duckdb.IOException(f'IO Error: Could not write file "a.duckdb": {said}')
    assert words in str(translate(error, Path("a.duckdb")))


@pytest.mark.slow
def test_a_damaged_log_is_named_and_its_sound_part_kept(store_path: Path) -> None:
    """github.com/duckdb/duckdb/issues/8592: the advice was to move the sound store away."""
    with Store(store_path).write():
        pass
    subprocess.run([sys.executable, "-c", KILLED_WITH_A_LOG, store_path], check=False)
    log = store_path.with_name(f"{store_path.name}.wal")
    content = bytearray(log.read_bytes())
    # In the text of a change: a length that is damaged would look like the end of the log.
    content[content.index(b"x" * 100, len(content) // 2) + 50] ^= 255
    log.write_bytes(content)
    sound = store_path.read_bytes()
    for opened in (Store(store_path).read, Store(store_path).write):
        with pytest.raises(StoreCorruptError) as caught, opened():
            pass
    assert str(log) in str(caught.value)
    assert "away" not in str(caught.value)
    assert log.read_bytes() == content
    assert store_path.read_bytes() == sound
    command = re.search(r"truncate -s (\d+) (\S+)", str(caught.value))
    assert command is not None
    subprocess.run(command[0].split(), check=True)
    with Store(store_path).read() as db:
        kept = db.execute("SELECT count(*) FROM run_event").fetchone()
    assert kept is not None
    assert 5 <= kept[0] < 20


def test_all_who_wait_for_a_held_store_hear_of_it_at_the_same_time(store_path: Path) -> None:
    """They heard one after another, each after a wait of its own."""
    with Store(store_path).write():
        pass
    waits: list[float] = []

    def wait() -> None:
        began = time.monotonic()
        with pytest.raises(StoreLockedError), Store(store_path, timeout=2.0).read():
            pass
        waits.append(time.monotonic() - began)

    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        threads = [threading.Thread(target=wait) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        holder.communicate()
    assert len(waits) == 6
    assert max(waits) - min(waits) < 5.0  # one after another, it is ten seconds


def test_who_waits_for_a_thread_gets_the_store_after_it(store_path: Path) -> None:
    """However long a thread of this process has the store: it is not held by anybody else."""
    store = Store(store_path, timeout=0.2)
    with store.write():
        pass
    found: list[object] = []

    def read() -> None:
        with store.read() as db:
            found.append(db.execute("SELECT count(*) FROM run_event").fetchone())

    reading = threading.Thread(target=read)
    with store.hold():
        reading.start()
        time.sleep(0.5)
    reading.join()
    assert found == [(0,)]


def test_other_errors_are_not_about_the_file() -> None:
    assert translate(duckdb.BinderException("no column x"), Path("a")) is None
    refused = duckdb.IOException("IO Error: Permission denied")
    assert isinstance(translate(refused, Path("a")), StoreReadOnlyError)
    assert isinstance(translate(duckdb.IOException("IO Error: what"), Path("a")), StoreError)


@pytest.mark.slow
@pytest.mark.parametrize("byte", [1, 3, 7])
def test_a_damaged_length_in_the_log_is_not_taken_for_its_end(store_path: Path, byte: int) -> None:
    """DuckDB 2.0 kept what stands before it, said nothing, and removed the log."""
    with Store(store_path).write():
        pass
    subprocess.run([sys.executable, "-c", KILLED_WITH_A_LOG, store_path], check=False)
    log = store_path.with_name(f"{store_path.name}.wal")
    content = bytearray(log.read_bytes())
    commit = bytes.fromhex("0500000000000000")  # the length of the entry that ends a transaction
    content[content.index(commit, len(content) // 2) + byte] ^= 0x40
    log.write_bytes(content)
    with pytest.raises(StoreCorruptError) as caught, Store(store_path).read():
        pass
    assert log.read_bytes() == content
    command = re.search(r"truncate -s (\d+) (\S+)", str(caught.value))
    assert command is not None
    subprocess.run(command[0].split(), check=True)
    with Store(store_path).read() as db:
        kept = db.execute("SELECT count(*) FROM run_event").fetchone()
    assert kept is not None
    assert 5 <= kept[0] < 20


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1, 30, 700])
def test_a_log_whose_end_a_crash_cut_off_is_opened(store_path: Path, cut: int) -> None:
    with Store(store_path).write():
        pass
    subprocess.run([sys.executable, "-c", KILLED_WITH_A_LOG, store_path], check=False)
    log = store_path.with_name(f"{store_path.name}.wal")
    log.write_bytes(log.read_bytes()[:-cut])
    with Store(store_path).read() as db:
        kept = db.execute("SELECT count(*) FROM run_event").fetchone()
    assert kept is not None
    assert 18 <= kept[0] < 20


def test_the_disk_for_temporary_files_is_told_from_the_stores() -> None:
    error = duckdb.IOException(
        'IO Error: Could not write file "/tmp/dcq-7/duckdb_temp_storage_S32K-0.tmp": '
        "No space left on device"
    )
    assert "/tmp/dcq-7 is full" in str(translate(error, Path("/home/a/a.duckdb")))  # noqa: S108
    error = duckdb.IOException(
        'IO Error: Could not write file "/home/a/.dcq-new-4f/dcq.duckdb": No space left on device'
    )
    assert "disk of the store /home/a/a.duckdb" in str(translate(error, Path("/home/a/a.duckdb")))


@pytest.mark.skipif(os.name != "posix", reason="needs the rights of POSIX")
def test_a_store_that_may_not_be_read_is_not_called_unwritable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.duckdb"
    file.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may read everything
    error = duckdb.IOException(f'IO Error: Cannot open file "{file}": Permission denied')
    assert "cannot be read; ask its owner" in str(translate(error, file))


def test_a_path_with_a_space_can_be_pasted() -> None:
    error = duckdb.IOException("Failure while replaying WAL file: entry at byte position 7")
    assert "truncate -s 7 'a b.duckdb.wal'" in str(translate(error, Path("a b.duckdb")))


@pytest.mark.parametrize(
    ("version", "words"), [(33, "earlier DuckDB"), (900, "later release of dcq")]
)
def test_a_store_of_another_duckdb_is_earlier_or_later(version: int, words: str) -> None:
    error = duckdb.IOException(
        f"Trying to read a database file with storage version number {version}, but we can only "
        "read storage versions between 64 and 68."
    )
    assert words in str(translate(error, Path("a.duckdb")))


def test_a_fault_of_duckdb_is_not_called_damage_at_once() -> None:
    said = str(translate(duckdb.InternalException("INTERNAL Error: index 3"), Path("a.duckdb")))
    assert "Try again with a copy" in said
    assert "INTERNAL Error: index 3" in said
