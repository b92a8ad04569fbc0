"""The instances of a sample with their variants, read again only after something was written or
decided on."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dcq.quiz import coverage
from dcq.quiz.coverage import Tally
from dcq.store import Store, variants
from dcq.store.samples import StoredSample
from dcq.ui import leakage
from dcq.variants import curation
from dcq.variants.curation import Record


@dataclass(frozen=True)
class Records:
    """All instances, in the order drawn, and how far they are."""

    every: tuple[Record, ...]
    tally: Tally


def of(store: Store, sample: StoredSample) -> Records:
    """The records of a sample as they are now."""
    return _gather(str(store.path), sample.id, variants.state(store, sample.id), sample)


# Not copied for each session, as nothing in it is changed.
@st.cache_resource(max_entries=4, show_spinner=False)
def _gather(path: str, sample_id: str, state: tuple[int, int], _sample: StoredSample) -> Records:
    """``state`` is only part of the cache key, and the sample, which never changes, is none."""
    store = Store(path)
    leaky = leakage.given_away(store, sample_id)
    every = tuple(curation.gather(store, _sample, leaky=leaky))
    return Records(every, coverage.tally(every))
