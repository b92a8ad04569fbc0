"""A list in pages, which starts on the page of what is open."""

from __future__ import annotations

import streamlit as st

PAGE = 15
LINE = 35  # pixels of a row and of the head


def choose_page(count: int, place: int | None, *, key: str) -> slice:
    """Draw the pages of a list of ``count`` lines and return the lines of the one chosen: at first
    that of the open line at ``place``."""
    pages = -(-count // PAGE)
    # A new key makes the widget use its default again.
    page = home = 1 if place is None else place // PAGE + 1
    if pages > 1:
        page = st.pagination(pages, default=home, key=f"{key}_{home}")
    return slice((page - 1) * PAGE, page * PAGE)
