"""A sample and its records, read once by the server: each page draw reads only what has changed.

A sample of 10,000 instances takes half a second to read, and a decision changes one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from dcq.quiz import coverage
from dcq.quiz.coverage import Tally
from dcq.store import Store, samples, variants
from dcq.store.samples import StoredSample
from dcq.variants import curation, filters
from dcq.variants.curation import Record


@dataclass
class Shelf:
    """The records of ``sample`` by instance id, in the order drawn, as the store had them at
    ``state``; what was worked out for a record holds until it changes."""

    sample: StoredSample
    state: tuple[int, int]
    records: dict[str, Record]
    tallies: dict[str, Tally]
    lock: threading.Lock = field(default_factory=threading.Lock)
    similarities: dict[str, float] = field(default_factory=dict)

    def similarity(self, record: Record) -> float:
        """As ``dcq.variants.filters.least_similarity``."""
        key = record.instance.id
        if key not in self.similarities:
            self.similarities[key] = filters.least_similarity(record)
        return self.similarities[key]


def read(store: Store, sample_id: str) -> Shelf:
    """The shelf of a sample, with what has changed since the last time."""
    shelf = _open(str(store.path), sample_id)
    with shelf.lock:
        now, changed = variants.changed_since(store, sample_id, shelf.state)
        if now[0] < shelf.state[0] or now[1] < shelf.state[1]:  # an older store took its place
            _open.clear()
            return _open(str(store.path), sample_id)
        if changed:
            found = variants.current(store, sample_id, changed)
            for key in changed & shelf.records.keys():
                before = shelf.records[key]
                shelf.records[key] = curation.make_record(
                    before.number, before.instance, found.get(key, {})
                )
                shelf.tallies[key] = coverage.tally([shelf.records[key]])
                shelf.similarities.pop(key, None)
        shelf.state = now
    return shelf


def records(shelf: Shelf, leaky: frozenset[str]) -> list[Record]:
    """The records, each with whether it is among those that text alone gives away."""
    return [
        replace(record, leaky=True) if key in leaky else record
        for key, record in list(shelf.records.items())
    ]


def tally(shelf: Shelf) -> Tally:
    """The progress of the sample."""
    return coverage.add(list(shelf.tallies.values()))


@st.cache_resource(max_entries=4, show_spinner="Reading the sample…")
def _open(path: str, sample_id: str) -> Shelf:
    store = Store(Path(path))
    sample = samples.load(store, sample_id)
    state = variants.state(store)  # first: what is written while it is read is read again
    found: Mapping[str, Record] = {
        record.instance.id: record for record in curation.gather(store, sample)
    }
    return Shelf(
        sample,
        state,
        dict(found),
        {key: coverage.tally([record]) for key, record in found.items()},
    )
