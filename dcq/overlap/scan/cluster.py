"""Scans shards on a Ray cluster, for a corpus that takes one machine too long.

The same functions as on one machine run under ``ray.data``: each node's processes read the files
themselves, so all nodes must see the corpus under the same path. Ray comes with the extra
``ray``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from dcq.errors import InputError
from dcq.overlap.meteor import MeteorSettings
from dcq.overlap.scan.index import Index
from dcq.overlap.scan.shards import Shard, ShardResult, scan_shard

_CONNECT = (
    "Start one with `ray start --head`, or name the address of one that runs; where it asks for a "
    "token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN."
)


class _Scanner:
    """One process of the cluster: it fetches what is scanned for once and takes shards."""

    def __init__(self, job: list[Any]) -> None:
        import ray

        self._index, self._settings = ray.get(job[0])

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "found": scan_shard(row["shard"], self._index, self._settings, _never)}


def _never() -> bool:
    return False


def scan_on(
    address: str,
    shards: Sequence[Shard],
    open_: Sequence[int],
    index: Index,
    settings: MeteorSettings,
    count: int | None,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[int, ShardResult]]:
    """Scan the shards numbered ``open_`` on the cluster at ``address`` ("auto": the one of this
    machine), and yield each result when it is done. ``count`` is the most processes, None for as
    many as the cluster has cores. ``cancelled`` is called after each shard. Raises ``InputError``
    where Ray is not installed or there is no such cluster."""
    if find_spec("ray") is None:
        raise InputError("Ray is not installed; run: pip install 'ray[data]'")
    import ray
    import ray.data

    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError):
        raise InputError(f"No Ray cluster answers at {address!r}. {_CONNECT}") from None
    try:
        cores = int(ray.cluster_resources().get("CPU", 1))
        size = max(1, min(count or cores, cores, len(open_)))
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        job = ray.put((index, settings))
        # The largest first, so that no process waits long for another at the end; a block each, so
        # that each shard is handed back when it is done.
        order = sorted(open_, key=lambda number: -shards[number].bytes)
        rows = [{"number": number, "shard": shards[number]} for number in order]
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
            _Scanner,
            fn_constructor_args=[[job]],  # in a list, as Ray would fetch it for each process
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=size),
        )
        for row in dataset.iter_rows():
            yield row["number"], row["found"]
            if cancelled():
                return
    finally:
        ray.shutdown()
