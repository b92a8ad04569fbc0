"""People who take a quiz."""

from __future__ import annotations

from dcq.quiz import people
from dcq.records import LETTERS
from dcq.store import Store, sittings


def take(store: Store, sample: str, person: str, right: int, size: int = 20) -> str:
    """A finished sitting with so many originals found."""
    sitting_id = people.begin_sitting(store, sample, person, size)
    found = sittings.find(store, sitting_id)
    assert found is not None
    for at, item in enumerate(found.items):
        assert item.correct is not None
        slot = item.correct if at < right else (item.correct + 1) % 4
        sittings.answer(store, sitting_id, at, LETTERS[slot])
    return sitting_id
