from __future__ import annotations

import pytest

from dcq.errors import ChangedError, InputError
from dcq.store import Store, reviews
from dcq.variants.guidelines import DEFAULT, MOST, read_guidelines


def test_the_newest_of_a_sample_count(fresh_store: Store) -> None:
    assert reviews.newest(fresh_store, "s") is None
    reviews.write(fresh_store, "s", "first", "Ana", None)
    first = reviews.newest(fresh_store, "s")
    reviews.write(fresh_store, "s", "second", "Ben", first)
    now = reviews.newest(fresh_store, "s")
    assert now is not None
    assert (now.text, now.author) == ("second", "Ben")
    assert reviews.newest(fresh_store, "other") is None


def test_what_another_wrote_in_the_meantime_is_not_replaced(fresh_store: Store) -> None:
    reviews.write(fresh_store, "s", "theirs", "Ben", None)
    with pytest.raises(ChangedError, match="Ben changed the guidelines in the meantime"):
        reviews.write(fresh_store, "s", "mine", "Ana", None)
    now = reviews.newest(fresh_store, "s")
    assert now is not None
    assert now.text == "theirs"


def test_guidelines_are_neither_empty_nor_endless() -> None:
    assert read_guidelines(f" {DEFAULT}\n") == DEFAULT
    for typed in (" \n", "x" * (MOST + 1)):
        with pytest.raises(InputError):
            read_guidelines(typed)
