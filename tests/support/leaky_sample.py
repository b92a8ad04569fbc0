"""A sample whose variants give the original away."""

from __future__ import annotations

import pytest

from dcq.records import (
    DatasetTask,
    Instance,
    Partition,
    PartitionRole,
    Sample,
)
from dcq.store import Store, samples, variants
from dcq.store.variants import NewVariant
from tests.support.star_options import star

N = 12


@pytest.fixture
def leaky(fresh_store: Store) -> str:
    """A sample whose originals are the shortest and most central of their options, with eight texts
    of each instance."""
    pools = [star(number) for number in range(N)]
    instances = tuple(Instance(pool.original) for pool in pools)
    partition = Partition(
        "star", "test", "Star", "test", PartitionRole.TARGET, DatasetTask.CLASSIFICATION, "xx"
    )
    sample_id = samples.save(fresh_store, Sample(partition, instances, N, N, 0, stratified=False))
    variants.add(
        fresh_store,
        sample_id,
        [
            NewVariant(instance.id, slot, text, "model:m", "Ada", prompt=f"p{slot}")
            for instance, pool in zip(instances, pools, strict=True)
            for slot, text in enumerate(pool.candidates)
        ],
    )
    return sample_id
