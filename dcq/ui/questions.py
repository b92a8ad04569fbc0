"""The questions that a quiz would have, built once and not at every click."""

from __future__ import annotations

import streamlit as st

from dcq.records import Kind
from dcq.runs.preview import Preview, preview
from dcq.store import Store, variants


def preview_of(store: Store, sample_id: str, kind: Kind, slot: str | None) -> Preview:
    """As ``dcq.runs.preview.preview``; built anew when a variant was written or decided about."""
    return _build(str(store.path), sample_id, kind, slot, variants.state(store))


@st.cache_data(max_entries=8, show_spinner="Building the questions…")
def _build(
    path: str, sample_id: str, kind: Kind, slot: str | None, state: tuple[int, int]
) -> Preview:
    """``state`` takes part in the key alone."""
    return preview(Store(path), sample_id, kind, slot=slot)
