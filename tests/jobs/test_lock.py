import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dcq.errors import InputError, StoreLockedError
from dcq.jobs import lock
from dcq.settings import ROOT
from dcq.store import Store

HOLD = """
import sys
from dcq.jobs import lock
from dcq.store import Store
with lock.hold(Store(sys.argv[1]), "run"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_dies_with_its_holder_and_names_it_until_then(fresh_store: Store) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(fresh_store.path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"held\n"
        assert lock.holder(fresh_store, "run") == worker.pid
        with (
            pytest.raises(InputError, match=f"PID {worker.pid}"),
            lock.hold(fresh_store, "run"),
        ):
            pass
        worker.send_signal(signal.SIGKILL)
    assert not lock.is_held(fresh_store, "run")
    assert lock.holder(fresh_store, "run") is None
    with lock.hold(fresh_store, "run"):
        assert lock.holder(fresh_store, "run") == os.getpid()


def test_looks_disturb_neither_each_other_nor_who_takes_the_lock(fresh_store: Store) -> None:
    with lock.hold(fresh_store, "run"):
        pass
    end = time.monotonic() + 0.5

    def look() -> bool:
        return any(
            lock.is_held(fresh_store, "run") for _ in iter(lambda: time.monotonic() < end, False)
        )

    with ThreadPoolExecutor(4) as people:
        assert not any(people.map(lambda _: look(), range(4)))
    done = threading.Event()

    def look_on() -> None:
        while not done.is_set():
            lock.is_held(fresh_store, "run")

    with ThreadPoolExecutor(3) as people:
        looking = [people.submit(look_on) for _ in range(3)]
        try:
            for _ in range(100):
                with lock.hold(fresh_store, "run"):
                    assert lock.is_held(fresh_store, "run")
        finally:
            done.set()
        for look_of_one in looking:
            look_of_one.result()


def test_to_look_makes_nothing(fresh_store: Store) -> None:
    assert not lock.is_held(fresh_store, "run")
    assert not fresh_store.runs_folder.exists()


def test_to_look_needs_nothing_written(fresh_store: Store) -> None:
    (fresh_store.runs_folder / "looks.door").mkdir(parents=True)  # cannot be opened
    with lock.hold(fresh_store, "run"):
        assert lock.is_held(fresh_store, "run")
    assert not lock.is_held(fresh_store, "run")


@pytest.mark.parametrize("text", ["", "7", " ", " 17", " x\n", "\n"])
def test_a_number_that_is_not_whole_names_nobody(fresh_store: Store, text: str) -> None:
    with lock.hold(fresh_store, "run"):
        (fresh_store.runs_folder / "run.lock").write_text(text)
        assert lock.holder(fresh_store, "run") is None


def test_who_waits_too_long_gets_a_sentence(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "TIMEOUT", 0.1)

    def start() -> None:
        with lock.wait_for(fresh_store, "starting"):
            pass

    with (
        ThreadPoolExecutor(1) as other,
        lock.wait_for(fresh_store, "starting"),
        pytest.raises(StoreLockedError, match="try again"),
    ):
        other.submit(start).result()
    start()


def test_who_comes_between_two_looks_is_seen(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody holds the lock when it is looked at, and whoever was announced takes it right then."""
    lock.announce(fresh_store, "x")
    look = lock.is_held
    with contextlib.ExitStack() as newcomer:

        def look_before_it_comes(store: Store, name: str) -> bool:
            monkeypatch.setattr(lock, "is_held", look)
            found = look(store, name)
            newcomer.enter_context(lock.hold(store, name))
            return found

        monkeypatch.setattr(lock, "is_held", look_before_it_comes)
        assert lock.expected(fresh_store, "x", 60)
        assert lock.expected(fresh_store, "x", 60)
    assert not lock.expected(fresh_store, "x", 60)
