"""Who is deciding: the name saved with each decision and edit."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dcq import settings
from dcq.ui import browser, roles

LabelVisibility = Literal["visible", "collapsed"]

_KEY, _KNOWN, _TYPED = "people_author", "people_known", "people_typed"
NEEDED = "Enter your name first, at the top right: it is saved with each decision and edit."


def lack(author: str) -> str | None:
    """Why this person cannot say anything here, None if they can."""
    return roles.lacks(roles.Role.ANNOTATOR) or (None if author else NEEDED)


def ask_author(*, in_row: bool = False) -> str:
    """The name of the signed-in user, else ``DCQ_AUTHOR``, else the name that the user enters;
    empty while there is none. ``in_row``: without a line for the label of the field.

    So that no one works under another's name, none is suggested, and only the tab in which a name
    was entered remembers it over a refresh.
    """
    label: LabelVisibility = "collapsed" if in_row else "visible"
    signed_in = roles.author()
    if configured := signed_in or settings.load().author.strip():
        source = "You are signed in under this name." if signed_in else "Set by DCQ_AUTHOR."
        st.text_input(
            "Your name",
            configured,
            disabled=True,
            help=source,
            key="people_set",
            label_visibility=label,
        )
        return configured
    if known := st.session_state.pop(_KNOWN, None):
        st.session_state[_KEY] = known
    with st.container(gap=None):
        given = st.text_input(
            "Your name",
            key=_KEY,
            max_chars=browser.NAME_LIMIT,
            placeholder="Your name" if in_row else "needed to decide",
            label_visibility=label,
            persist_state="session",
            on_change=_note_typed,
            help="Saved with each decision and edit, and remembered in this tab until you close "
            "it. Set DCQ_AUTHOR to set it permanently.",
        )
        name = (given or "").strip()
        fresh = _TYPED not in st.session_state
        known = browser.remember_name(name, fresh=fresh, key="people_tab")
    if known and not name and fresh:
        st.session_state[_KNOWN] = known
        st.rerun()
    return name


def known_author() -> str:
    """The name that ``ask_author`` would return, without asking; empty while there is none."""
    typed = st.session_state.get(_KEY) or ""
    return roles.author() or settings.load().author.strip() or str(typed).strip()


def _note_typed() -> None:
    st.session_state[_TYPED] = True
