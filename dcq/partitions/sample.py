"""A seeded sample of unique instances, the same on every machine.

Each instance has a key, the hash of the seed and its text; the smallest keys are the sample. So the
order of rows, the platform and the version of a random generator do not matter, and a larger sample
of the same seed contains the smaller one (unless stratified).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

from dcq.errors import PartitionError
from dcq.records import Instance, Partition, Sample, fingerprint


def draw(
    partition: Partition,
    instances: Iterable[Instance],
    n: int,
    *,
    seed: int = 0,
    stratified: bool = False,
    notes: Iterable[str] = (),
) -> Sample:
    """At most ``n`` unique instances, in the order of their keys.

    ``stratified`` keeps the shares of the labels, by largest remainder. Instances are read once and
    only those that may still be drawn are kept in memory. ``variants`` of the sample stay empty.

    Raises:
        PartitionError: n below 1, no instance at all, or labels wanted and missing.

    """
    if n < 1:
        raise PartitionError(f"A sample needs at least 1 instance, not {n}; ask for more.")
    name = f"{partition.title} {partition.split_title}"
    seen: set[str] = set()
    duplicates = 0
    counts: Counter[str] = Counter()
    smallest: dict[str, list[tuple[int, Instance]]] = {}
    for instance in instances:
        identity = instance.id
        if identity in seen:
            duplicates += 1
            continue
        seen.add(identity)
        if stratified and instance.label is None:
            raise PartitionError(
                f"{name} has instances without a class label; sample it without stratifying."
            )
        group = (instance.label or "") if stratified else ""
        counts[group] += 1
        _keep_smallest(smallest.setdefault(group, []), n, seed, identity, instance)
    if not seen:
        raise PartitionError(f"{name} has no instance to sample; choose other columns.")
    drawn = [
        pair
        for group, quota in allocate(counts, min(n, len(seen))).items()
        for pair in sorted(smallest[group], key=lambda pair: -pair[0])[:quota]
    ]
    drawn.sort(key=lambda pair: -pair[0])
    return Sample(
        partition=partition,
        instances=tuple(instance for _, instance in drawn),
        requested=n,
        available=len(seen),
        seed=seed,
        stratified=stratified,
        notes=(*notes, *_sampling_notes(name, n, len(seen), duplicates)),
    )


def allocate(counts: Mapping[str, int], n: int) -> dict[str, int]:
    """Share ``n`` (at most the total) over groups in proportion to their counts.

    Largest remainder: each group gets the whole part of its share; the rest goes to the largest
    fractions, then to the group that comes first by name.
    """
    total = sum(counts.values())
    shares = {group: divmod(n * count, total) for group, count in counts.items()}
    left = n - sum(quotient for quotient, _ in shares.values())
    favoured = sorted(shares, key=lambda group: (-shares[group][1], group))[:left]
    return {group: quotient + (group in favoured) for group, (quotient, _) in shares.items()}


def _keep_smallest(
    heap: list[tuple[int, Instance]], n: int, seed: int, identity: str, instance: Instance
) -> None:
    """Push, and drop the largest key above ``n``; keys are negated for the library's min-heap."""
    key = -int(fingerprint(str(seed), identity), 16)
    if len(heap) < n:
        heapq.heappush(heap, (key, instance))
    elif key > heap[0][0]:
        heapq.heapreplace(heap, (key, instance))


def _sampling_notes(name: str, n: int, available: int, duplicates: int) -> list[str]:
    notes = []
    if duplicates:
        notes.append(f"{_count(duplicates, 'duplicate')} of {name} {_were(duplicates)} left out.")
    if available < n:
        used = "it is used" if available == 1 else "all are used"
        notes.append(f"{name} has {_count(available, 'instance')}; {used}.")
    return notes


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
