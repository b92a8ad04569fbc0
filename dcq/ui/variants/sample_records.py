"""The records of a sample, kept by the server: each page draw reads only what has changed.

A sample of 10,000 instances takes half a second to read, and a decision changes one of them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from dcq.quiz import coverage
from dcq.quiz.coverage import Tally
from dcq.store import Store, samples, variants
from dcq.store.samples import StoredSample
from dcq.variants import curation, filters
from dcq.variants.curation import Queue, Record


@dataclass
class SampleRecords:
    """The records of ``sample`` in the order drawn, as of the store's ``state``. Computed values
    are valid until a record changes: its ``queues`` and ``tallies`` by instance id, whose totals
    are ``counts`` and ``tally``. ``lengths``: the least and most characters of an original."""

    sample: StoredSample
    state: tuple[int, int]
    records: list[Record]
    queues: dict[str, frozenset[Queue]]
    tallies: dict[str, Tally]
    counts: Counter[Queue]
    tally: Tally
    lengths: tuple[int, int]
    lock: threading.Lock = field(default_factory=threading.Lock)
    similarities: dict[str, float] = field(default_factory=dict)

    def similarity(self, record: Record) -> float:
        """As ``dcq.variants.filters.least_similarity``."""
        key = record.instance.id
        if key not in self.similarities:
            self.similarities[key] = filters.least_similarity(record)
        return self.similarities[key]

    def among(self, records: Sequence[Record], queue: Queue) -> Sequence[Record]:
        """The records, out of these, that are in a queue."""
        if queue is Queue.ALL:
            return records
        if queue is Queue.LEAKY:
            return [record for record in records if record.leaky]
        queues = self.queues
        return [record for record in records if queue in queues[record.instance.id]]

    def put(self, record: Record) -> None:
        """Replace a record by its newer version."""
        key = record.instance.id
        self.counts.subtract(self.queues[key])
        self.tally = coverage.add([self.tally, coverage.negative(self.tallies[key])])
        self.records[record.number - 1] = record
        self.queues[key] = curation.queues_of(record)
        self.tallies[key] = coverage.tally([record])
        self.similarities.pop(key, None)
        self.counts.update(self.queues[key])
        self.tally = coverage.add([self.tally, self.tallies[key]])


def read_sample(store: Store, sample_id: str) -> SampleRecords:
    """The records of a sample, with what has changed since the last time."""
    loaded = _open(str(store.path), sample_id)
    with loaded.lock:
        now, changed = variants.changed_since(store, sample_id, loaded.state)
        if now[0] < loaded.state[0] or now[1] < loaded.state[1]:  # an older store took its place
            _open.clear()
            return _open(str(store.path), sample_id)
        if changed:
            current_variants = variants.current(store, sample_id, changed)
            loaded.records = loaded.records.copy()  # a page that is being drawn keeps its own
            for before in [record for record in loaded.records if record.instance.id in changed]:
                slots = current_variants.get(before.instance.id, {})
                loaded.put(curation.make_record(before.number, before.instance, slots))
        loaded.state = now
    return loaded


def mark_given_away(loaded: SampleRecords, leaky: frozenset[str]) -> list[Record]:
    """The records, each marked if text alone gives its original away."""
    if not leaky:
        return loaded.records
    return [
        replace(record, leaky=True) if record.instance.id in leaky else record
        for record in loaded.records
    ]


def records_at(
    loaded: SampleRecords, numbers: Sequence[int], leaky: frozenset[str]
) -> list[Record]:
    """The records at these places in the sample (from 1), as ``mark_given_away`` gives them."""
    records = [loaded.records[number - 1] for number in numbers]
    return [replace(record, leaky=record.instance.id in leaky) for record in records]


@st.cache_resource(max_entries=4, show_spinner="Reading the sample…")
def _open(path: str, sample_id: str) -> SampleRecords:
    store = Store(Path(path))
    sample = samples.load(store, sample_id)
    # First: what is written while it is read is read again.
    state = variants.state(store, sample_id)
    records = curation.gather(store, sample)
    queues = {record.instance.id: curation.queues_of(record) for record in records}
    tallies = {record.instance.id: coverage.tally([record]) for record in records}
    lengths = [len(instance.text) for instance in sample.instances]
    return SampleRecords(
        sample,
        state,
        records,
        queues,
        tallies,
        Counter(queue for of_one in queues.values() for queue in of_one),
        coverage.add(list(tallies.values())),
        (min(lengths, default=0), max(lengths, default=0)),
    )
