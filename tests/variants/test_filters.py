from __future__ import annotations

import pytest

from dcq.records import Severity, VariantFinding
from dcq.store import Store, reviews, samples, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, NewVariant
from dcq.variants import curation, filters
from dcq.variants.curation import Queue
from dcq.variants.filters import Filters, Order

ERROR = VariantFinding("number-changed", Severity.ERROR, "A number was changed.")
NOTE = VariantFinding("length", Severity.WARNING, "It is longer.")


@pytest.fixture
def sample(fresh_store: Store, sample_id: str) -> StoredSample:
    """Instance 2 has an error, 3 a note, 4 a variant with other words, 5 an accepted error."""
    found = samples.load(fresh_store, sample_id)

    def put(number: int, text: str, *findings: VariantFinding, author: str = "Ana") -> None:
        instance = found.instances[number - 1].id
        new = NewVariant(instance, 0, text, "person", author, findings)
        variants.add(fresh_store, sample_id, [new])

    put(2, "Text: the beck number 1 of rivers is long\nLabel: 0 (Wet)", ERROR)
    put(3, "Text: the beck number 2 of rivers is long\nLabel: 0 (Wet)", NOTE, author="Ben")
    put(4, "Nothing is left")
    put(5, "Text: the beck number 4 of rivers is long\nLabel: 0 (Wet)", ERROR)
    fifth = variants.current(fresh_store, sample_id)[found.instances[4].id][0]
    reviews.decide(fresh_store, sample_id, [fifth], Decision.ACCEPTED, "Zoë")
    return found


def _narrow(store: Store, sample: StoredSample, asked: Filters) -> list[int]:
    records = curation.gather(store, sample)
    return [r.number for r in filters.narrow(records, asked, filters.least_similarity)]


def test_each_filter_lets_its_own_through(fresh_store: Store, sample: StoredSample) -> None:
    def numbers(asked: Filters) -> list[int]:
        return _narrow(fresh_store, sample, asked)

    assert numbers(Filters()) == [1, 2, 3, 4, 5, 6]
    assert numbers(Filters(checks=frozenset({"number-changed"}))) == [2, 5]
    assert numbers(Filters(people=frozenset({"Ben", "Zoë"}))) == [3, 5]
    assert numbers(Filters(labels=frozenset({filters.NO_LABEL}))) == []
    assert numbers(Filters(labels=frozenset({"Wet"}))) == [1, 2, 3, 4, 5, 6]
    assert numbers(Filters(similarity=(0.0, 0.5))) == [4]
    assert numbers(Filters(length=(0, 10))) == []
    both = Filters(checks=frozenset({"number-changed"}), people=frozenset({"Zoë"}))
    assert numbers(both) == [5]
    assert both.count == 2


def test_the_worst_come_first(fresh_store: Store, sample: StoredSample) -> None:
    leaky = frozenset({sample.instances[5].id})
    records = curation.gather(fresh_store, sample, leaky=leaky)

    def numbers(by: Order) -> list[int]:
        return [r.number for r in filters.order(records, by, filters.least_similarity)]

    assert numbers(Order.DRAWN) == [1, 2, 3, 4, 5, 6]
    # An error, a note, one given away, one that is another text; what is accepted is no trouble.
    assert numbers(Order.WORST) == [2, 3, 6, 4, 1, 5]


def test_what_people_wrote_is_a_queue(fresh_store: Store, sample: StoredSample) -> None:
    records = curation.gather(fresh_store, sample)
    assert [r.number for r in curation.select(records, Queue.EDITED)] == [2, 3, 4, 5]


def test_candidates_beside_the_four_variants_are_left_out(
    fresh_store: Store, sample: StoredSample
) -> None:
    first = sample.instances[0].id
    variants.add(fresh_store, sample.id, [NewVariant(first, 4, "a spare one", "offline")])
    record = curation.gather(fresh_store, sample)[0]
    assert set(record.variants) == {0, 1, 2, 3}
