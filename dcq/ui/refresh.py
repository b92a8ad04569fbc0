"""Drawing parts of a page again each second while something is in progress."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dcq.errors import DcqError
from dcq.store import Store
from dcq.ui import notice, roles

TIMEOUT = 2.0  # seconds; what is drawn each second cannot wait for the store as a page does


def show(store: Store, draw: Callable[[Store], bool], *, live: bool = True) -> None:
    """Call ``draw`` now and, if ``live``, each second for as long as it returns True; then draw the
    whole page again. While the store is busy it says so and tries again."""

    def panel(store: Store) -> None:
        roles.leave_if_gone()
        try:
            goes_on = draw(store)
        except DcqError as error:
            words = f"{error} This page retries by itself."
            notice.warning(words, icon=":material/hourglass_empty:")
            return
        if live and not goes_on:
            st.rerun()

    st.fragment(panel, run_every="1s" if live else None)(Store(store.path, timeout=TIMEOUT))


def promise() -> None:
    """A sentence that nobody has to wait on this page."""
    st.caption("It continues if you leave or close this page.")
