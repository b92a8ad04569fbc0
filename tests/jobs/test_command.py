from __future__ import annotations

import time

import pytest

from dcq.errors import AskedAlreadyError
from dcq.jobs import command, process
from dcq.jobs.command import CommandState
from dcq.store import Store

pytestmark = pytest.mark.slow

STATUS = ("status", "--json")


@pytest.fixture(autouse=True)
def _forked(forked: None) -> None:
    """What is started is at work at once."""


def ended(store: Store, words: tuple[str, ...]) -> CommandState:
    for _ in range(240):
        state = command.state(store, words)
        assert state is not None
        if not state.live:
            return state
        time.sleep(0.25)
    raise AssertionError("It did not end.")


def test_a_command_is_known_until_it_ends_and_by_its_code_after_that(fresh_store: Store) -> None:
    assert command.state(fresh_store, STATUS) is None
    command.start(fresh_store, STATUS)
    state = ended(fresh_store, STATUS)
    assert state.code == 0
    assert command.state(fresh_store, ("status",)) is None


def test_the_last_line_says_why_one_failed(fresh_store: Store) -> None:
    words = ("investigate", "none-such", "--model", "guess", "--yes")
    command.start(fresh_store, words)
    state = ended(fresh_store, words)
    assert state.code == 2
    assert "none-such" in state.last_line


def test_the_same_command_is_not_started_twice(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "spawn", lambda *_: lambda: None)  # goes on for ever
    command.start(fresh_store, STATUS)
    with pytest.raises(AskedAlreadyError, match="status --json"):
        command.start(fresh_store, STATUS)
    command.start(fresh_store, ("status",))
