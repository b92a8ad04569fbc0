from dcq.store import Store, drafts


def test_a_draft_is_its_writers_alone_and_goes_when_dropped(fresh_store: Store) -> None:
    drafts.keep(fresh_store, "s", "i", 0, "Ada", "one")
    drafts.keep(fresh_store, "s", "i", 0, "Ada", "two")
    drafts.keep(fresh_store, "s", "i", 3, "Ben", "three")
    assert drafts.of(fresh_store, "s", "i", "Ada") == {0: "two"}
    assert drafts.of(fresh_store, "s", "i", "Ben") == {3: "three"}
    assert drafts.of(fresh_store, "s", "other", "Ada") == {}
    drafts.drop(fresh_store, "s", "i", 0, "Ada")
    assert drafts.of(fresh_store, "s", "i", "Ada") == {}
    assert drafts.of(fresh_store, "s", "i", "Ben") == {3: "three"}
