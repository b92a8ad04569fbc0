"""Making the placebo of a sample, for when there is no control text."""

from __future__ import annotations

import streamlit as st

from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import action
from dcq.ui.roles import Role
from dcq.variants import placebo


def offer_placebo(store: Store, sample: StoredSample) -> None:
    """An expander that makes the placebo of a sample and opens it; nothing for a placebo."""
    if sample.partition.placebo_of:
        return
    with st.expander("Make a placebo of this sample", icon=":material/balance:"):
        st.markdown(
            "If you have no text that the model cannot have seen, use a placebo: one variant of "
            "each instance takes the role of the original, and its own rewordings are the "
            "variants. No model has seen either, so its score there is a preference for wording, "
            "not memory."
        )
        action.button(
            "Make the placebo",
            lambda: _make(store, sample),
            icon=":material/balance:",
            key="variants_placebo",
            role=Role.ANNOTATOR,
        )


def _make(store: Store, sample: StoredSample) -> None:
    made = placebo.make(store, sample.id)
    # The picker takes its sample from the address on the next run.
    del st.session_state["variants_sample"]
    st.query_params["variants_sample"] = made.sample
