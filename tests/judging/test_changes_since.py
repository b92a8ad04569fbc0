"""What is new since a moment."""

from __future__ import annotations

from datetime import datetime, timedelta

from dcq.judging import changes
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.store import Store
from dcq.store.connect import utc_now
from dcq.store.studies import EVERYTHING
from tests.support.judged import SEEN, put, put_controls


def _new(store: Store, moment: datetime) -> list[tuple[str, Ruling | None, Ruling]]:
    found = answers(store)
    changes.keep(store, EVERYTHING, found)
    new = changes.since(store, found, moment)
    return [(answer.partition, was, answer.ruling) for answer, was in new]


def test_new_and_changed_conclusions_are_new_once(fresh_store: Store) -> None:
    start = utc_now() - timedelta(days=1)
    put(fresh_store, "rivers", SEEN)
    assert _new(fresh_store, start) == [("rivers/test", None, Ruling.INCONCLUSIVE)]
    between = utc_now()
    assert _new(fresh_store, between) == []
    put_controls(fresh_store)
    assert _new(fresh_store, between) == [("rivers/test", Ruling.INCONCLUSIVE, Ruling.CONTAMINATED)]
    assert _new(fresh_store, start) == [("rivers/test", None, Ruling.CONTAMINATED)]
    assert _new(fresh_store, utc_now()) == []
