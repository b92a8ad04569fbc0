"""Notes on cases: the newest counts, all are kept, and nobody's is replaced unseen."""

from __future__ import annotations

import pytest

from dcq.errors import ChangedError
from dcq.store import Store, notes

PAIR = ("gpt-4o", "rivers/test")


def test_the_newest_note_of_a_case_counts_and_the_others_are_its_history(
    fresh_store: Store,
) -> None:
    assert notes.history(fresh_store, PAIR) == []
    notes.write(fresh_store, PAIR, "Ask again in March. ", "Ana", None)
    [first] = notes.history(fresh_store, PAIR)
    assert (first.text, first.author) == ("Ask again in March.", "Ana")
    notes.write(fresh_store, PAIR, "", "Ben", first)
    assert [note.text for note in notes.history(fresh_store, PAIR)] == ["", "Ask again in March."]
    assert notes.history(fresh_store, ("gpt-4o", "lakes/test")) == []


def test_a_note_that_was_not_seen_is_not_replaced(fresh_store: Store) -> None:
    notes.write(fresh_store, PAIR, "one", "Ana", None)
    with pytest.raises(ChangedError, match="Ana changed the note"):
        notes.write(fresh_store, PAIR, "two", "Ben", None)
    assert [note.text for note in notes.history(fresh_store, PAIR)] == ["one"]
