from dataclasses import replace

import pytest

from dcq.errors import InputError
from dcq.store import Store, samples, variants
from tests.conftest import small_sample


def test_a_sample_comes_back_as_it_was(fresh_store: Store) -> None:
    sample = small_sample(5)
    sample_id = samples.save(fresh_store, sample)
    back = samples.load(fresh_store, sample_id)
    assert back.partition == sample.partition
    assert back.instances == sample.instances


def test_the_same_draw_is_one_sample(fresh_store: Store) -> None:
    first = samples.save(fresh_store, small_sample())
    assert samples.save(fresh_store, small_sample()) == first
    assert len(samples.listing(fresh_store)) == 1
    assert len(variants.current(fresh_store, first)) == 6


def test_an_id_may_be_shortened_but_not_guessed(fresh_store: Store, sample_id: str) -> None:
    assert samples.load(fresh_store, sample_id[:5]).id == sample_id
    for wrong in ("", "nosuch"):
        with pytest.raises(InputError, match="status"):
            samples.load(fresh_store, wrong)


def test_texts_pass_through_untouched(fresh_store: Store) -> None:
    nasty = "A) {x} <b>'; DROP TABLE sample; --\n\tünïcødé \u202e \U0001f600 $$ `" + "y" * 20_000
    sample = small_sample(1)
    instance = replace(sample.instances[0], text=nasty, fields={"text": nasty})
    sample_id = samples.save(fresh_store, replace(sample, instances=(instance,), variants={}))
    assert samples.load(fresh_store, sample_id).instances == (instance,)
