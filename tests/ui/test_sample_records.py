from __future__ import annotations

from dcq.quiz import coverage
from dcq.store import Store, reviews, samples, undo, variants
from dcq.store.variants import Decision, NewVariant
from dcq.ui.variants import sample_records
from dcq.variants import curation
from dcq.variants.curation import Queue


def test_a_kept_copy_follows_the_store(fresh_store: Store, sample_id: str) -> None:
    sample = samples.load(fresh_store, sample_id)

    def check() -> None:
        """The kept copy has what reading everything again gives."""
        held = sample_records.read_sample(fresh_store, sample_id)
        fresh = curation.gather(fresh_store, sample, leaky=frozenset({sample.instances[1].id}))
        assert sample_records.mark_given_away(held, frozenset({sample.instances[1].id})) == fresh
        assert held.tally == coverage.tally(fresh)
        for queue in Queue:
            assert held.among(fresh, queue) == curation.select(fresh, queue)
            assert queue is Queue.LEAKY or held.counts[queue] == len(curation.select(fresh, queue))

    check()
    first, second = (sample.instances[at].id for at in (0, 1))
    now = variants.current(fresh_store, sample_id)
    reviews.decide(fresh_store, sample_id, list(now[first].values()), Decision.REJECTED, "Ana")
    check()
    undo.undo(fresh_store, sample_id, "Ana", 20)
    variants.add(fresh_store, sample_id, [NewVariant(second, 2, "another", "person", "Ana")])
    check()


def test_an_older_store_in_its_place_is_read_anew(fresh_store: Store, sample_id: str) -> None:
    backup = fresh_store.path.read_bytes()
    instance = samples.load(fresh_store, sample_id).instances[0].id
    variants.add(fresh_store, sample_id, [NewVariant(instance, 0, "another", "person", "Ana")])
    held = sample_records.read_sample(fresh_store, sample_id)
    assert sample_records.mark_given_away(held, frozenset())[0].variants[0].text == "another"
    fresh_store.path.write_bytes(backup)
    held = sample_records.read_sample(fresh_store, sample_id)
    assert sample_records.mark_given_away(held, frozenset())[0].variants[0].text != "another"
