"""Choices in the address by their value, such as ``?dataset=ag_news&split=train``.

``bind="query-params"`` writes the words that a widget shows, which are long and change with the
counts in them. Where words and value differ, a page calls ``take`` before the widget and ``put``
after it instead.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st


def take(key: str, options: Iterable[str]) -> None:
    """Let the address choose for the widget ``key``, unless the person has chosen already; the
    first option where neither names one."""
    known = {str(option): option for option in options}
    chosen = st.session_state.get(key, st.query_params.get(key))
    st.session_state[key] = known.get(chosen or "", next(iter(known.values())))


def put(key: str, value: str) -> None:
    """Write what was chosen into the address."""
    if st.query_params.get(key) != value:
        st.query_params[key] = value


def switched(key: str) -> bool:
    """Whether the toggle ``key``, bound to the address and made further down the page, is on."""
    return bool(st.session_state.get(key, st.query_params.get(key) == "true"))
