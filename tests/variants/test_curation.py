from __future__ import annotations

import pytest

from dcq.errors import ChangedError, InputError
from dcq.quiz import coverage
from dcq.store import Store, reviews, samples, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision
from dcq.variants import curation
from dcq.variants.curation import Queue, Record


@pytest.fixture
def sample(fresh_store: Store, sample_id: str) -> StoredSample:
    return samples.load(fresh_store, sample_id)


def _numbers(store: Store, sample: StoredSample, queue: Queue, search: str = "") -> list[int]:
    return [r.number for r in curation.select(curation.gather(store, sample), queue, search)]


def _decide(store: Store, sample: StoredSample, record: Record, slots: str, word: Decision) -> None:
    now = variants.current(store, sample.id)[record.instance.id]
    reviews.decide(store, sample.id, [now[int(slot)] for slot in slots], word, "Ana")


def test_a_tally_counts_variants_and_questions(fresh_store: Store, sample: StoredSample) -> None:
    first, second, *_ = curation.gather(fresh_store, sample)
    _decide(fresh_store, sample, first, "0", Decision.REJECTED)
    _decide(fresh_store, sample, second, "01", Decision.REJECTED)
    _decide(fresh_store, sample, second, "23", Decision.ACCEPTED)
    now = coverage.tally(curation.gather(fresh_store, sample))
    assert (now.instances, now.ready, now.full) == (6, 5, 4)
    assert (now.accepted, now.open, now.rejected, now.missing) == (2, 19, 3, 0)


def test_nothing_written_is_all_missing() -> None:
    assert coverage.tally([]) == coverage.Tally(0, 0, 0, 0, 0, 0, 0)


def test_queues_hold_what_their_names_say(fresh_store: Store, sample: StoredSample) -> None:
    first, second, third, *_ = curation.gather(fresh_store, sample)
    _decide(fresh_store, sample, first, "0123", Decision.ACCEPTED)
    _decide(fresh_store, sample, second, "0", Decision.REJECTED)
    curation.edit(fresh_store, sample, third, 1, third.instance.text, "Ana")
    assert _numbers(fresh_store, sample, Queue.ALL) == [1, 2, 3, 4, 5, 6]
    assert _numbers(fresh_store, sample, Queue.OPEN) == [2, 3, 4, 5, 6]
    assert _numbers(fresh_store, sample, Queue.ACCEPTED) == [1]
    assert _numbers(fresh_store, sample, Queue.REJECTED) == [2]
    assert _numbers(fresh_store, sample, Queue.FAILED) == [3]
    assert _numbers(fresh_store, sample, Queue.MISSING) == []
    assert _numbers(fresh_store, sample, Queue.ALL, " NUMBER 4 ") == [5]
    assert _numbers(fresh_store, sample, Queue.OPEN, "creek") == [2, 3, 4, 5, 6]


def test_an_error_keeps_a_variant_from_being_accepted_in_bulk(
    fresh_store: Store, sample: StoredSample
) -> None:
    first = curation.gather(fresh_store, sample)[0]
    assert len(first.acceptable) == 4
    curation.edit(fresh_store, sample, first, 1, first.instance.text, "Ana")
    assert len(curation.gather(fresh_store, sample)[0].acceptable) == 3


def test_an_edit_that_changes_nothing_is_no_edit(fresh_store: Store, sample: StoredSample) -> None:
    first = curation.gather(fresh_store, sample)[0]
    assert not curation.edit(fresh_store, sample, first, 0, first.variants[0].text, "Ana")
    with pytest.raises(InputError, match="cannot be empty"):
        curation.edit(fresh_store, sample, first, 0, " \n", "Ana")
    assert len(variants.history(fresh_store, sample.id, first.instance.id)) == 4


def test_an_edit_of_what_somebody_else_changed_is_refused(
    fresh_store: Store, sample: StoredSample
) -> None:
    first = curation.gather(fresh_store, sample)[0]
    curation.edit(fresh_store, sample, first, 0, "Text: the rill\nLabel: 0 (Wet)", "Zoë")
    _decide(fresh_store, sample, first, "1", Decision.ACCEPTED)
    with pytest.raises(ChangedError, match="Zoë rewrote variant A in the meantime"):
        curation.edit(fresh_store, sample, first, 0, "Text: the ditch\nLabel: 0 (Wet)", "Ben")
    with pytest.raises(ChangedError, match="Ana accepted variant B in the meantime"):
        curation.edit(fresh_store, sample, first, 1, "Text: the ditch\nLabel: 0 (Wet)", "Ben")
    now = curation.gather(fresh_store, sample)[0].variants
    assert (now[0].author, now[1].reviewer) == ("Zoë", "Ana")
    assert curation.edit(
        fresh_store,
        sample,
        curation.gather(fresh_store, sample)[0],
        0,
        "Text: the ditch\nLabel: 0 (Wet)",
        "Ben",
    )


def test_a_sample_is_reviewed_when_nothing_is_open(
    fresh_store: Store, sample: StoredSample
) -> None:
    first = curation.gather(fresh_store, sample)[0]
    _decide(fresh_store, sample, first, "012", Decision.ACCEPTED)
    assert [s.reviewed for s in samples.listing(fresh_store)] == [0]
    _decide(fresh_store, sample, first, "3", Decision.REJECTED)
    assert [s.reviewed for s in samples.listing(fresh_store)] == [1]
    _decide(fresh_store, sample, first, "3", Decision.OPEN)
    assert [s.reviewed for s in samples.listing(fresh_store)] == [0]
