"""Who is deciding: the name kept with each decision and edit."""

from __future__ import annotations

import streamlit as st

from dcq import settings
from dcq.store import Store, variants

_KEY = "people_author"


def ask_author(store: Store) -> str:
    """The name from ``DCQ_AUTHOR``, or one that the person gives; empty while there is none.

    The names that the store knows are offered; if there is only one, it is taken, so that a person
    working alone gives it once.
    """
    if configured := settings.load().author.strip():
        st.text_input(
            "Your name", configured, disabled=True, help="Set by DCQ_AUTHOR.", key="people_set"
        )
        return configured
    known = variants.people(store)
    chosen = st.selectbox(
        "Your name",
        known,
        index=0 if len(known) == 1 else None,
        accept_new_options=True,
        placeholder="type it here",
        key=_KEY,
        persist_state="session",
        help="Kept with each decision and edit. Set DCQ_AUTHOR to give it once and for all.",
    )
    return (chosen or "").strip()
