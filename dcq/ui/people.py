"""Who is deciding: the name kept with each decision and edit."""

from __future__ import annotations

import streamlit as st

from dcq import settings
from dcq.store import Store, variants
from dcq.ui import roles

_KEY = "people_author"


def ask_author(store: Store) -> str:
    """The name of who is signed in, else that of ``DCQ_AUTHOR``, else one that the person gives;
    empty while there is none.

    The names that the store knows are offered; if there is only one, it is taken, so that a person
    working alone gives it once.
    """
    signed_in = roles.author()
    if configured := signed_in or settings.load().author.strip():
        said = "You are signed in by this name." if signed_in else "Set by DCQ_AUTHOR."
        st.text_input("Your name", configured, disabled=True, help=said, key="people_set")
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
