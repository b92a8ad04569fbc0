"""The questions that a quiz would have, cached."""

from __future__ import annotations

import streamlit as st

from dcq.quiz.preview import Preview, preview
from dcq.records import Kind
from dcq.store import Store, variants
from dcq.ui import page
from dcq.ui.text import plain


def preview_of(
    store: Store, sample_id: str, kind: Kind, slot: str | None, bdq: str | None = None
) -> Preview:
    """As ``dcq.quiz.preview.preview``; rebuilt after a variant was written or decided on."""
    return _build(str(store.path), sample_id, kind, slot, bdq, variants.state(store, sample_id))


@st.cache_data(max_entries=8, show_spinner="Building the questions…")
def _build(
    path: str,
    sample_id: str,
    kind: Kind,
    slot: str | None,
    bdq: str | None,
    state: tuple[int, int],
) -> Preview:
    """``state`` is only part of the cache key."""
    return preview(Store(path), sample_id, kind, slot=slot, bdq=bdq)


def explain(sample_id: str, shown: Preview) -> None:
    """The notes on the questions; how many instances are left out, why the first of them is, and a
    link to it."""
    for sentence in shown.notes:
        st.caption(plain(sentence))
    if not shown.left_out:
        return
    number, reason = next(iter(shown.left_out.items()))
    count = len(shown.left_out)
    words = "1 instance is" if count == 1 else f"{count:,} instances are"
    first = f"instance {number}" if count == 1 else f"the first, instance {number}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{words} left out ({plain(first)}: {plain(reason)}).", width="content")
        page.go(
            "variants",
            f"Open instance {number}",
            icon=":material/edit_note:",
            variants_sample=sample_id,
            variants_show="all",
            variants_at=str(number),
        )
