from pathlib import Path

import pytest

from benchmarks.sharing import share
from dcq.store import Store

pytestmark = pytest.mark.slow

ON_A_BUSY_MACHINE = 5.0  # seconds; benchmarks/sharing.py holds the store to one second


def test_writers_and_readers_share_a_store_without_a_failure(store_path: Path) -> None:
    found = share(store_path, writers=2, readers=2, seconds=3.0)
    assert found.failures == ()
    assert found.lost == 0
    assert len(found.waits) >= 4
    assert found.p99 < ON_A_BUSY_MACHINE


def test_the_queue_is_no_hindrance_where_it_cannot_stand(store_path: Path) -> None:
    store = Store(store_path)
    store.runs_folder.parent.mkdir(parents=True)
    store.runs_folder.write_text("in the way")
    with store.write() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
