"""A target whose rewordings a machine wrote, as most people's are."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from dcq import settings
from dcq.models.endpoints import resolve
from dcq.partitions import draw_sample, open_partition
from dcq.records import PartitionRole
from dcq.store import Store, samples
from dcq.variants.reword import reword_sample

N = 12


def save_reworded_target(
    store: Store, writer: str | None, *, key: str = "control-news", n: int = N
) -> str:
    """Texts of a bundled control as a target, reworded by a model or, without one, by the offline
    generator; returns the id of the sample."""
    drawn = draw_sample(open_partition(key, "test"), n)
    partition = replace(
        drawn.partition,
        key="benchmark",
        title="Benchmark",
        role=PartitionRole.TARGET,
        published=None,
        source="",
    )
    sample_id = samples.save(store, replace(drawn, partition=partition, variants={}))
    endpoint = None if writer is None else resolve(writer, settings.load())
    asyncio.run(reword_sample(store, sample_id, endpoint))
    return sample_id
