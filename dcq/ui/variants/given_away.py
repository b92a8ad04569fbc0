"""Which instances text alone gives away, worked out when a person comes to a sample or its list.

It takes seconds for 10,000 instances, and each decision may change it a little: so it is not worked
out again after each, and for a large sample not before it is asked for.
"""

from __future__ import annotations

import streamlit as st

from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import leakage
from dcq.variants.curation import Queue
from dcq.variants.filters import Order

AT_ONCE = 1_000  # instances, up to which it takes no time that a person notices
_KNOWN = "variants_given_away"


def forget() -> None:
    """Work it out anew the next time that it is asked for."""
    st.session_state.pop(_KNOWN, None)


def of(store: Store, sample: StoredSample) -> frozenset[str] | None:
    """The instances of a sample whose original text alone gives away, as of when the user came to
    the page, chose the sample, their list, or the worst first; None while it is not worked out."""
    asked = (
        sample.id,
        st.session_state.get("variants_show", st.query_params.get("variants_show")) == Queue.LEAKY,
        st.session_state.get("variants_order", st.query_params.get("variants_order"))
        == Order.WORST,
    )
    known = st.session_state.get(_KNOWN)
    if known is not None and known[0] == asked:
        return frozenset(known[1]) if known[1] is not None else None
    found = None
    if any(asked[1:]) or len(sample.instances) <= AT_ONCE:
        found = leakage.given_away(store, sample.id)
    st.session_state[_KNOWN] = asked, found
    return found
