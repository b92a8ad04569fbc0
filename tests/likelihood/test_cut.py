from __future__ import annotations

from dataclasses import replace

import pytest

from dcq.errors import InputError
from dcq.likelihood.cut import MOST_VARIANTS, SHOTS, cut
from dcq.likelihood.measures import choose
from dcq.records import PartitionRole
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.likelihoods import EVERY, long_sample

PLAIN, ALL = choose(None), choose(EVERY)


def test_as_many_variants_as_a_quiz_shows_are_taken_in_the_order_of_their_slots(
    fresh_store: Store,
) -> None:
    sample = long_sample(5)
    made = cut(fresh_store, samples.save(fresh_store, sample), PLAIN)
    assert made.variants == MOST_VARIANTS == 3
    for instance, request in zip(sample.instances, made.requests, strict=True):
        assert (request.instance_id, request.text) == (instance.id, instance.text)
        assert request.facts == {
            "variants": list(sample.variants[instance.id][:3]),
            "prefix": "",
            "neighbour": "",
        }


def test_instances_with_fewer_than_most_are_left_out(fresh_store: Store) -> None:
    """A variant that is there twice, or is the original, is none."""
    sample = long_sample(5)
    ids = [one.id for one in sample.instances]
    variants = dict(sample.variants)
    first, second, *_ = variants[ids[0]]
    variants[ids[0]] = (first, second, first, sample.instances[0].text)
    variants[ids[1]] = (variants[ids[1]][0],)
    variants[ids[2]] = ()
    made = cut(fresh_store, samples.save(fresh_store, replace(sample, variants=variants)), PLAIN)
    assert (made.variants, [one.instance_id for one in made.requests]) == (3, ids[3:])


def test_a_sample_with_two_variants_each_is_compared_with_two(fresh_store: Store) -> None:
    sample = long_sample(3)
    two = replace(sample, variants={one: texts[:2] for one, texts in sample.variants.items()})
    assert cut(fresh_store, samples.save(fresh_store, two), PLAIN).variants == 2


def test_a_sample_without_variants_says_how_to_write_some(fresh_store: Store) -> None:
    bare = samples.save(fresh_store, replace(long_sample(3), variants={}))
    with pytest.raises(InputError, match="dcq perturb"):
        cut(fresh_store, bare, PLAIN)


def test_contexts_are_other_texts_than_the_instance(fresh_store: Store) -> None:
    lakes = long_sample(9, key="lakes", role=PartitionRole.CONTROL)
    samples.save(fresh_store, lakes)
    samples.save(
        fresh_store, long_sample(9, key="seas", role=PartitionRole.TARGET)
    )  # may have been seen
    sample = long_sample(4)
    made = cut(fresh_store, samples.save(fresh_store, sample), ALL)
    texts = [one.text for one in sample.instances]
    for request in made.requests:
        assert request.facts["prefix"] == "".join(
            f"{one.text}\n\n" for one in lakes.instances[:SHOTS]
        )
        assert request.facts["neighbour"].removesuffix("\n\n") in {*texts} - {request.text}
    again = cut(fresh_store, samples.save(fresh_store, sample), ALL)
    assert again == made  # drawn by the sample's seed


def test_a_control_has_the_texts_of_another_control_before_it(fresh_store: Store) -> None:
    lakes = samples.save(fresh_store, long_sample(3, key="lakes", role=PartitionRole.CONTROL))
    with pytest.raises(InputError, match="leave recall out"):
        cut(fresh_store, lakes, ALL)
    samples.save(fresh_store, long_sample(3, key="seas", role=PartitionRole.CONTROL))
    assert all("of seas" in one.facts["prefix"] for one in cut(fresh_store, lakes, ALL).requests)


def test_a_single_instance_has_no_neighbour(fresh_store: Store) -> None:
    samples.save(fresh_store, long_sample(3, key="seas", role=PartitionRole.CONTROL))
    alone = samples.save(fresh_store, small_sample(1))
    with pytest.raises(InputError, match="leave codec out"):
        cut(fresh_store, alone, ALL)
