from __future__ import annotations

import math

import pytest

from dcq.errors import InputError
from dcq.store import Store, frozen
from dcq.store.frozen import FrozenRequest


def test_what_is_frozen_is_read_as_it_was(fresh_store: Store, sample_id: str) -> None:
    requests = [FrozenRequest("a", "One.", {"word": "Ünø"}), FrozenRequest("b", "Two\u2028.")]
    made = frozen.freeze(fresh_store, "toy", sample_id, requests, design={"seed": 3}, author="Ada")
    found = frozen.load(fresh_store, made)
    assert found.requests == tuple(requests)
    assert (found.method, found.sample_id, found.design, found.author) == (
        "toy",
        sample_id,
        {"seed": 3},
        "Ada",
    )
    assert frozen.freeze(fresh_store, "toy", sample_id, requests) != made


def test_nothing_is_found_under_an_unknown_id(fresh_store: Store) -> None:
    with pytest.raises(InputError, match="f1"):
        frozen.load(fresh_store, "f1")


def test_facts_that_json_cannot_say_are_refused(fresh_store: Store, sample_id: str) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        frozen.freeze(fresh_store, "toy", sample_id, [FrozenRequest("a", "", {"p": math.nan})])


def test_a_value_is_kept_once(fresh_store: Store) -> None:
    frozen.keep_values(fresh_store, "r", {0: {"nll": 1.5, "rank": 2.0}, 2: {"nll": -3.0}})
    frozen.keep_values(fresh_store, "r", {0: {"nll": 9.0}, 1: {"nll": 0.25}})
    assert frozen.values_of(fresh_store, "r") == {
        "nll": {0: 1.5, 1: 0.25, 2: -3.0},
        "rank": {0: 2.0},
    }
    assert frozen.values_of(fresh_store, "other") == {}
