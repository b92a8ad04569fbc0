from dcq.store import Store, reviews


def test_a_draft_is_its_writers_alone_and_goes_when_dropped(fresh_store: Store) -> None:
    assert reviews.keep(fresh_store, "s", "i", 0, "Ada", "one") is None
    assert reviews.keep(fresh_store, "s", "i", 0, "Ada", "two") == "one"
    reviews.keep(fresh_store, "s", "i", 3, "Ben", "three")
    assert reviews.of(fresh_store, "s", "i", "Ada") == {0: "two"}
    assert reviews.of(fresh_store, "s", "i", "Ben") == {3: "three"}
    assert reviews.of(fresh_store, "s", "other", "Ada") == {}
    reviews.drop(fresh_store, "s", "i", 0, "Ada")
    assert reviews.of(fresh_store, "s", "i", "Ada") == {}
    assert reviews.of(fresh_store, "s", "i", "Ben") == {3: "three"}
