"""What is made of an instance: the text without its last word, and that word."""

from __future__ import annotations

from dcq.errors import InputError
from dcq.store import Store, samples
from dcq.store.frozen import FrozenRequest

NAME = "next-word"


def cut(store: Store, sample_id: str) -> list[FrozenRequest]:
    """The instances of a sample that have two words. Raises InputError if none has."""
    made = []
    for one in samples.load(store, sample_id).instances:
        rest, _, word = one.text.rpartition(" ")
        if rest.strip() and word:
            made.append(FrozenRequest(one.id, rest, {"word": word}))
    if not made:
        raise InputError(f"No instance of sample {sample_id} has two words; draw other ones.")
    return made
