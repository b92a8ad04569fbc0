"""The sample that is curated: its progress in a few words, and what is done to all of it."""

from __future__ import annotations

import streamlit as st

from dcq.quiz.coverage import Tally
from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import page
from dcq.ui.variants import ahead, assigning, balancing, control, writing
from dcq.ui.variants.desk import Desk
from dcq.variants import rewording

PANEL = "variants_panel"


def show(desk: Desk, tally: Tally) -> None:
    """A button that says how much is ready; it opens the counts, the writer and the placebo."""
    store, sample = desk.store, desk.sample
    ready = f"{tally.ready:,} of {tally.instances:,} ready"
    panel = st.popover(ready, icon=":material/fact_check:", key=PANEL, on_change="rerun")
    if not panel.open:
        return
    with panel:
        st.markdown(
            f"**{tally.ready:,} of {tally.instances:,} instances are ready for a quiz.** An "
            "instance is ready when three of its variants may be used, and all four for the "
            f"modified quiz ({tally.full:,} instances). A variant may be used when it is accepted, "
            "or still open and no check found an error in it."
        )
        st.caption(
            f"Variants: {tally.accepted:,} accepted · {tally.open:,} open · "
            f"{tally.rejected:,} rejected · {tally.missing:,} missing"
        )
        if tally.ready:
            ahead.go_on(sample)
            page.go("quiz", "Freeze a quiz", icon=":material/quiz:", quiz_sample=sample.id)
        if not _is_begun(tally):
            st.caption("Have the variants written first, below.")
        elif not writing.is_live(store, sample.id):
            writing.show(store, sample, tally)
        if _is_begun(tally):
            assigning.offer(desk)
        balancing.show(store, sample)
        control.offer_placebo(store, sample)


def show_writing(store: Store, sample: StoredSample, tally: Tally) -> bool:
    """The writer in the page itself: where there is nothing to curate yet, and while it writes.
    Returns whether a run has written variants and has ended."""
    newest = rewording.state(store, sample.id)
    live = newest is not None and newest.state.live
    if live or not _is_begun(tally):
        writing.show(store, sample, tally)
    return newest is not None and not live


def _is_begun(tally: Tally) -> bool:
    return bool(tally.accepted + tally.open + tally.rejected)
