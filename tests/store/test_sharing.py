import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import sharing
from dcq.errors import StoreLockedError
from dcq.settings import ROOT
from dcq.store import Store
from dcq.store.connect import wait_for_turn

pytestmark = pytest.mark.slow


def test_writers_and_readers_share_a_store_without_a_failure(store_path: Path) -> None:
    """How long they wait for each other is measured by benchmarks/sharing.py."""
    found = sharing.share(store_path, writers=2, readers=2, seconds=3.0)
    assert found.failures == ()
    assert found.lost == 0
    assert len(found.waits) >= 4


def test_the_queue_is_no_hindrance_where_it_cannot_stand(store_path: Path) -> None:
    store = Store(store_path)
    store.runs_folder.parent.mkdir(parents=True)
    store.runs_folder.write_text("in the way")
    with store.write() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)


def test_past_the_deadline_the_turn_is_taken_all_the_same(tmp_path: Path) -> None:
    with wait_for_turn(tmp_path, deadline=time.monotonic() + 60) as first:
        began = time.monotonic()
        with wait_for_turn(tmp_path, deadline=began + 0.2):
            assert time.monotonic() - began >= 0.2
        first.close()
        with wait_for_turn(tmp_path, deadline=time.monotonic() + 3600):
            pass  # at once: a test may not take that long


def test_readers_read_at_the_same_time(store_path: Path) -> None:
    with Store(store_path).write():
        pass
    code = """
import sys
from dcq.store import Store
with Store(sys.argv[1], timeout=0.1).read() as db:
    print(db.execute("SELECT 1").fetchone()[0])
"""
    with Store(store_path).read():
        done = subprocess.run(
            [sys.executable, "-c", code, str(store_path)], cwd=ROOT, capture_output=True, text=True
        )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_waiting_for_another_program_says_nothing(
    store_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Store(store_path).write():
        pass
    hold = "import duckdb, sys; db = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(store_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        began = time.monotonic()
        with pytest.raises(StoreLockedError), Store(store_path, timeout=0.3).read():
            pass
        assert time.monotonic() - began >= 0.3
        holder.communicate(b"\n")
    assert capfd.readouterr() == ("", "")
