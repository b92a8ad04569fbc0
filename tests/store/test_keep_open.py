"""Whoever writes often leaves the store open, and nobody else notices."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from dcq.settings import ROOT
from dcq.store import Store, connect, samples
from dcq.store.attach import attach
from tests.conftest import small_sample
from tests.store.test_hold import WRITE, WRITER, count, write

KILLED = f"""
import sys
from dcq.store import Store
store = Store(sys.argv[1])
with store.keep_open():
    for _ in range(3):
        with store.write() as db:
            db.execute({WRITE!r})
    print("written", flush=True)
    input()
"""


OTHER_PROGRAM = """
import duckdb, sys
while True:
    try:
        duckdb.connect(sys.argv[1]).close()
        break
    except duckdb.IOException:
        pass
"""


@pytest.fixture
def in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow a machine is, it counts as used."""
    monkeypatch.setattr(connect, "_IDLE", 60.0)


def run_writer(store: Store) -> None:
    """Another process writes once."""
    words = [sys.executable, "-c", WRITER, str(store.path)]
    subprocess.run(words, cwd=ROOT, check=True, timeout=60, capture_output=True)


@pytest.fixture
def attached(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each opening of a file was for reading only."""
    seen: list[bool] = []

    def watched(
        instance: duckdb.DuckDBPyConnection, file: Path, name: str, *, read_only: bool = False
    ) -> None:
        seen.append(read_only)
        attach(instance, file, name, read_only=read_only)

    monkeypatch.setattr(connect, "attach", watched)
    return seen


@pytest.mark.usefixtures("in_use")
def test_the_file_is_opened_once_for_all_that_is_written_and_read(
    fresh_store: Store, attached: list[bool]
) -> None:
    with fresh_store.keep_open(), fresh_store.keep_open():
        for _ in range(3):
            write(fresh_store)
        assert count(fresh_store) == 3
        with fresh_store.hold():
            assert count(fresh_store) == 3
    assert attached == [False]
    assert not connect._kept
    assert count(fresh_store) == 3
    assert attached == [False, True]


def test_a_store_that_is_only_read_is_not_left_open(
    fresh_store: Store, attached: list[bool]
) -> None:
    with fresh_store.keep_open():
        count(fresh_store)
        count(fresh_store)
    assert attached[-2:] == [True, True]


@pytest.mark.slow
@pytest.mark.usefixtures("in_use")
def test_another_process_is_let_in_and_what_it_wrote_is_seen(fresh_store: Store) -> None:
    with fresh_store.keep_open():
        write(fresh_store)
        run_writer(fresh_store)
        assert count(fresh_store) == 2
        write(fresh_store)
        run_writer(fresh_store)
    assert count(fresh_store) == 4


@pytest.mark.slow
def test_another_program_gets_it_while_nobody_uses_it(fresh_store: Store) -> None:
    with fresh_store.keep_open():
        write(fresh_store)
        words = [sys.executable, "-c", OTHER_PROGRAM, str(fresh_store.path)]
        subprocess.run(words, check=True, timeout=60)
        write(fresh_store)
    assert count(fresh_store) == 2


@pytest.mark.slow
def test_what_was_written_is_there_after_a_kill(fresh_store: Store) -> None:
    write(fresh_store)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(fresh_store.path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        os.kill(process.pid, signal.SIGKILL)
    assert count(fresh_store) == 4


@pytest.mark.usefixtures("in_use")
def test_a_file_in_the_place_of_the_first_is_the_one_that_is_written(
    fresh_store: Store, tmp_path: Path
) -> None:
    write(fresh_store)
    other = Store(tmp_path / "other.duckdb")
    shutil.copyfile(fresh_store.path, other.path)
    with fresh_store.keep_open():
        write(fresh_store)
        fresh_store.path.rename(tmp_path / "away.duckdb")
        shutil.copyfile(other.path, fresh_store.path)
        log = fresh_store.path.with_name(f"{fresh_store.path.name}.wal")
        log.unlink(missing_ok=True)
        write(fresh_store)
        assert count(fresh_store) == 2
    assert count(other) == 1


def test_a_copy_has_what_was_written_last(fresh_store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    with fresh_store.keep_open():
        write(fresh_store)
        copy = fresh_store.copy_file(folder)
        write(fresh_store)
    assert (count(Store(copy)), count(fresh_store)) == (1, 2)


@pytest.mark.usefixtures("in_use")
def test_what_is_read_is_read_again_once_somebody_writes(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    with fresh_store.keep_open():
        write(fresh_store)
        before = samples.state(fresh_store)
        assert samples.state(fresh_store) is before
        samples.save(fresh_store, small_sample(key="lakes"))
        assert samples.state(fresh_store) != before
        assert samples.load(fresh_store, sample_id) is samples.load(fresh_store, sample_id)


def test_nobody_watches_when_nothing_is_left_open(fresh_store: Store) -> None:
    with fresh_store.keep_open():
        write(fresh_store)
    until = time.monotonic() + 5
    while connect._watching.is_set() and time.monotonic() < until:
        time.sleep(0.01)
    assert not connect._watching.is_set()
