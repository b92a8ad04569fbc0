"""What lets tests share an open store takes it away from no other thread."""

from __future__ import annotations

import threading
import time

from dcq.store import Store
from tests.support import kept_open


def test_a_store_is_closed_before_another_thread_opens_it_anew(fresh_store: Store) -> None:
    with fresh_store.write():
        pass
    kept = kept_open._kept
    states = [kept.on]
    with fresh_store.read():  # no other thread may come in between
        ending = threading.Thread(target=kept.stop)
        ending.start()
        time.sleep(0.1)
        states.append(kept.on)  # off, a thread that reads next would attach what is attached
    ending.join()
    states.append(kept.on)
    assert states == [True, True, False]
    with fresh_store.read() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
