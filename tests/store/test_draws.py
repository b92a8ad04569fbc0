"""How often lots were drawn of a sample's wordings."""

from __future__ import annotations

from dcq.store import Store, draws, samples
from tests.conftest import small_sample


def test_draws_of_a_sample_are_counted(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(2))
    assert draws.count(fresh_store, sample_id) == 0
    for root in ("aa", "bb"):
        draws.add(fresh_store, sample_id, root)
    assert draws.count(fresh_store, sample_id) == 2
    assert draws.count(fresh_store, "another") == 0
