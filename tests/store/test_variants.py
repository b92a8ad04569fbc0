from dcq.records import Finding, Severity
from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, NewVariant


def _first(store: Store, sample_id: str) -> str:
    return samples.load(store, sample_id).instances[0].id


def test_the_newest_of_a_slot_counts_and_the_older_stay(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    variants.add(fresh_store, sample_id, [NewVariant(instance, 1, "edited", "person", "Ada")])
    now = variants.current(fresh_store, sample_id)[instance][1]
    assert (now.text, now.origin, now.author) == ("edited", "person", "Ada")
    told = variants.history(fresh_store, sample_id, instance)
    assert list(told[told["slot"] == 1]["origin"]) == ["person", "bundled"]


def test_decisions_can_be_taken_back(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seq = variants.current(fresh_store, sample_id)[instance][0].seq
    for decision, usable in (
        (Decision.REJECTED, False),
        (Decision.OPEN, True),
        (Decision.ACCEPTED, True),
    ):
        variants.decide(fresh_store, sample_id, [seq], decision, "Ada")
        found = variants.current(fresh_store, sample_id)[instance][0]
        assert (found.decision, found.usable, found.reviewer) == (decision, usable, "Ada")


def test_an_error_keeps_a_variant_out_until_somebody_accepts_it(
    fresh_store: Store, sample_id: str
) -> None:
    instance = _first(fresh_store, sample_id)
    error = Finding("number", Severity.ERROR, "A number changed.")
    warning = Finding("length", Severity.WARNING, "It is long.")
    variants.add(
        fresh_store,
        sample_id,
        [
            NewVariant(instance, 0, "one", "offline", findings=(error,)),
            NewVariant(instance, 1, "two", "offline", findings=(warning,)),
        ],
    )
    assert set(variants.usable_texts(fresh_store, sample_id)[instance]) == {1, 2, 3}
    seq = variants.current(fresh_store, sample_id)[instance][0].seq
    variants.decide(fresh_store, sample_id, [seq], Decision.ACCEPTED, "Ada")
    assert set(variants.usable_texts(fresh_store, sample_id)[instance]) == {0, 1, 2, 3}
    assert variants.current(fresh_store, sample_id)[instance][1].findings == (warning,)


def test_an_edit_is_open_again_after_a_decision(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seq = variants.current(fresh_store, sample_id)[instance][0].seq
    variants.decide(fresh_store, sample_id, [seq], Decision.REJECTED, "Ada")
    variants.add(fresh_store, sample_id, [NewVariant(instance, 0, "better", "person", "Ada")])
    assert variants.current(fresh_store, sample_id)[instance][0].decision is Decision.OPEN
