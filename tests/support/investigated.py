"""A target that a model has seen, and controls that it has not."""

from __future__ import annotations

from collections.abc import Iterable

from dcq.records import PartitionRole
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.provider import FakeProvider

CONTROLS = ("lakes", "ponds")


def save_target(store: Store, provider: FakeProvider, n: int, controls: Iterable[str] = ()) -> str:
    """Keep them, of ``n`` instances each; returns the id of the target's sample."""
    for key in controls:
        samples.save(store, small_sample(n, key=key, role=PartitionRole.CONTROL))
    sample_id = samples.save(store, small_sample(n))
    provider.seen = tuple(one.text for one in samples.load(store, sample_id).instances)
    return sample_id
