"""Which study the pages that read results show; the choice goes with the user from page to page."""

from __future__ import annotations

import streamlit as st

from dcq.store import Store, studies
from dcq.store.studies import EVERYTHING, Study
from dcq.ui import links

KEY = "study"


def choose(store: Store) -> Study:
    """The study that is shown, chosen in the sidebar where there is one to choose; everything in
    the store otherwise, and where the address names one that is not there."""
    found = {one.name: one for one in [EVERYTHING, *studies.listing(store)]}
    if len(found) == 1:
        return EVERYTHING
    links.recall(KEY)
    links.take(KEY, found)
    with st.sidebar:
        name = st.selectbox(
            "Study",
            list(found),
            key=KEY,
            format_func=lambda name: name or "Everything in this store",
            help="Results are judged together with those of their study, and compared with its "
            "controls.",
        )
    links.remember(KEY)
    links.put(KEY, name)
    return found[name]
