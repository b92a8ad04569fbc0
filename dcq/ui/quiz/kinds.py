"""Choosing a kind of quiz: the one that comes next is preselected until another is chosen."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.records import Kind
from dcq.ui.names import kind_name

_KEY, _FOLLOWED = "quiz_kind", "quiz_kind_followed"


def choose(kinds: Sequence[Kind], proposed: Kind) -> Kind:
    """A picker. It follows ``proposed`` until the user chooses another kind; the address keeps
    that choice."""
    named = {str(kind): kind for kind in kinds}
    asked = st.session_state.get(_KEY)
    if asked is None:
        asked = st.query_params.get(_KEY, "").lower()
    elif asked == st.session_state.get(_FOLLOWED):
        asked = str(proposed)
    if asked not in named:
        asked = str(proposed)
    st.session_state[_KEY], st.session_state[_FOLLOWED] = asked, str(proposed)
    chosen = st.segmented_control(
        "Kind",
        list(named),
        required=True,
        format_func=lambda kind: kind_name(named[kind]),
        key=_KEY,
    )
    if chosen == str(proposed):
        st.query_params.pop(_KEY, None)
    elif st.query_params.get(_KEY) != chosen:
        st.query_params[_KEY] = str(chosen)
    return named[str(chosen)]
