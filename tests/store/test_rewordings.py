"""What is counted of a rewording in the store is what its slots and variants say one by one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from dcq.store import Store, reviews, rewordings, samples, variants
from dcq.store.rewordings import SlotCounts
from dcq.store.variants import Decision, NewVariant
from dcq.variants.freeze import SLOTS, freeze, open_slots
from dcq.variants.prompts import Protocol
from tests.conftest import small_sample


def _bare(store: Store, n: int = 3) -> str:
    return samples.save(store, replace(small_sample(n), variants={}))


def _happens(store: Store, sample_id: str, rewording_id: str | None, draw: random.Random) -> None:
    """A slot is written by the rewording, if one is named, or by a person, or decided about."""
    instance = draw.choice(samples.load(store, sample_id).instances).id
    slot, text = draw.randrange(SLOTS), f"text {draw.random()}"
    there = variants.current(store, sample_id).get(instance, {}).get(slot)
    what = draw.choice(["written", "edited", "decided"])
    if what == "decided" and there is not None:
        reviews.decide(store, sample_id, [there], draw.choice(list(Decision)), "Ada")
    elif what == "written" and rewording_id:
        new = NewVariant(instance, slot, text, "model:m", rewording_id=rewording_id)
        variants.add(store, sample_id, [new])
    else:
        variants.add(store, sample_id, [NewVariant(instance, slot, text, "person", "Ada")])


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_what_the_slots_say_one_by_one(fresh_store: Store, seed: int) -> None:
    draw = random.Random(seed)
    sample_id, other_id = _bare(fresh_store, 3), _bare(fresh_store, 4)  # with the same instances
    for _ in range(draw.randrange(8)):
        _happens(fresh_store, sample_id, None, draw)
    frozen = freeze(fresh_store, sample_id, Protocol.V1, again=draw.random() < 0.5)
    assert frozen is not None
    for _ in range(draw.randrange(15)):
        _happens(fresh_store, sample_id, frozen, draw)
        _happens(fresh_store, other_id, None, draw)
    loaded = rewordings.load(fresh_store, frozen)
    lacking = open_slots(loaded, variants.current(fresh_store, sample_id))
    with fresh_store.read() as db:
        rows = db.execute(
            "SELECT instance_id, slot, text FROM variant WHERE rewording_id = ?", [frozen]
        ).fetchall()
    assert rewordings.slot_counts(fresh_store, frozen) == SlotCounts(
        len(loaded.slots),
        sum(map(len, lacking.values())),
        len({(instance, slot) for instance, slot, _ in rows}),
        len({slot.instance_id for slot in loaded.slots}),
        len(lacking),
    )
    assert sorted(rewordings.open_instances(fresh_store, frozen)) == sorted(lacking)
    one = loaded.sample.instances[0].id
    texts = {text for instance, _, text in rows if instance == one}
    assert rewordings.written_texts(fresh_store, frozen, [one]).get(one, set()) == texts


def test_what_the_store_does_not_have_counts_nothing(fresh_store: Store) -> None:
    assert rewordings.slot_counts(fresh_store, "no such rewording") == SlotCounts(0, 0, 0, 0, 0)
    assert rewordings.open_instances(fresh_store, "no such rewording") == []
