"""Which instances text alone gives away, worked out when a person comes to a sample or its list.

It takes seconds for 10,000 instances, and each decision may change it a little: so it is not worked
out again after each.
"""

from __future__ import annotations

import streamlit as st

from dcq.store import Store
from dcq.ui import leakage, page
from dcq.variants.curation import Queue

_KNOWN = "variants_given_away"


def of(store: Store, sample_id: str) -> frozenset[str]:
    """The instances of a sample whose original text alone gives away, as of when the user came to
    the page, chose the sample, or chose their list."""
    asked = (sample_id, st.session_state.get("variants_show") == Queue.LEAKY)
    known = st.session_state.get(_KNOWN)
    if known is None or known[0] != asked or page.arrived():
        known = asked, leakage.given_away(store, sample_id)
        st.session_state[_KNOWN] = known
    return frozenset(known[1])
