from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants import curation
from dcq.variants.curation import Record
from dcq.variants.duplicates import SameAs, find_duplicates
from tests.conftest import small_sample

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_STORED = StoredVariant(1, "i", 0, "", "person", "", (), _MOMENT, Decision.OPEN, "")


def _found(store: Store, sample_id: str, texts: dict[tuple[int, int], str]) -> list[object]:
    sample = samples.load(store, sample_id)
    new = [
        NewVariant(sample.instances[number - 1].id, slot, text, "person")
        for (number, slot), text in texts.items()
    ]
    variants.add(store, sample_id, new)
    found = find_duplicates(curation.gather(store, sample))
    return [
        (one.record.number, one.variant.slot, one.same_as, one.number, one.slot) for one in found
    ]


def test_each_kind_is_found_and_the_first_is_kept(fresh_store: Store, sample_id: str) -> None:
    sample = samples.load(fresh_store, sample_id)
    first, second = sample.instances[0].text, sample.instances[1].text
    texts = {
        (1, 0): first.upper(),
        (2, 1): "The same.",
        (2, 3): " the  same. ",
        (3, 0): "The same.",
        (4, 2): second,
    }
    assert _found(fresh_store, sample_id, texts) == [
        (1, 0, SameAs.ORIGINAL, 1, None),
        (2, 3, SameAs.SIBLING, 2, 1),
        (3, 0, SameAs.ACROSS, 2, 1),
        (4, 2, SameAs.ACROSS, 2, None),
    ]


def test_there_are_none_where_all_texts_differ(fresh_store: Store, sample_id: str) -> None:
    assert _found(fresh_store, sample_id, {}) == []


@given(st.lists(st.lists(st.sampled_from(["a", "A", "b", " b", ""]), max_size=4), max_size=4))
def test_without_those_found_no_text_is_there_twice(texts: Sequence[Sequence[str]]) -> None:
    sample = small_sample(4)
    records = [
        Record(
            number,
            instance,
            {slot: replace(_STORED, slot=slot, text=text) for slot, text in enumerate(given)},
        )
        for number, (instance, given) in enumerate(zip(sample.instances, texts, strict=False), 1)
    ]
    found = {(one.record.number, one.variant.slot) for one in find_duplicates(records)}
    kept = [
        variant.text.strip().casefold()
        for record in records
        for slot, variant in record.variants.items()
        if (record.number, slot) not in found
    ]
    assert len(kept) == len(set(kept))
