"""A purse that several runs share, in an order."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dcq.asking.purse import Purse, read_record


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that goes on whenever it is looked at, so that nothing is out of date."""
    now = SimpleNamespace(at=100.0)

    def look() -> float:
        now.at += 1.0
        return float(now.at)

    monkeypatch.setattr("dcq.asking.purse.time.monotonic", look)
    return now


def ledger(reserved: int = 0) -> Any:
    return SimpleNamespace(reserved=reserved)


def test_a_later_share_has_what_earlier_ones_do_not_need() -> None:
    whole = Purse(10.0)
    first, second, third = whole.in_order([4.0, 3.0, 9.0])
    assert (first.left_usd, second.left_usd, third.left_usd) == (10.0, 6.0, 3.0)
    with second:
        second.take(1, 2.0)
        assert (first.left_usd, second.left_usd, third.left_usd) == (8.0, 4.0, 3.0)
        first.take(1, 5.0)  # more than was expected
        assert (second.left_usd, third.left_usd) == (3.0, 2.0)
    assert third.left_usd == 3.0  # the second has ended for less
    assert (whole.calls, whole.usd, whole.left_usd) == (2, 7.0, 3.0)


def test_a_share_waits_for_an_earlier_one_that_may_end_for_less(clock: SimpleNamespace) -> None:
    first, second = Purse(10.0).in_order([9.0, 9.0])
    own = ledger()
    second.join(own)
    assert not second.may_free(but=own)  # nobody asks the first
    with first:
        assert second.may_free(but=own)
        assert not first.may_free(but=ledger())  # and never the other way round
        clock.at += 100  # it waits for something that the second has
        assert not second.may_free(but=own)
        flying = ledger(reserved=1)
        first.join(flying)
        assert second.may_free(but=own)
        first.leave(flying)
        first.take(0, -1.0)
        assert second.may_free(but=own)
    assert not second.may_free(but=own)
    assert second.left_usd == 11.0


def test_a_share_that_runs_out_tells_its_purse() -> None:
    whole = Purse(1.0)
    first, second = whole.in_order([1.0, 1.0])
    second.ran_out = True
    first.end()
    assert not whole.ran_out
    second.end()
    assert whole.ran_out


def test_what_it_paid_for_is_written_down_until_it_is_closed(tmp_path: Path) -> None:
    record = tmp_path / "runs" / "a.purse"
    purse = Purse(5.0, record=record)
    [share] = purse.in_order([1.0])
    share.note("one", 0.5)
    share.note("one", 0.75)  # picked up again
    purse.note("two", 0.0)
    assert read_record(record) == {"one": 0.5, "two": 0.0}
    Purse(5.0, record=record).note("one", 2.0)  # by a process that goes on
    assert read_record(record)["one"] == 0.5
    purse.close()
    assert read_record(record) == {}
    record.write_bytes(b"\xff no record\n")
    assert read_record(record) == {}
