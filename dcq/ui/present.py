"""Going through slides: which one is shown, and the buttons, which the arrow keys press."""

from __future__ import annotations

import streamlit as st

from dcq.documents import deck
from dcq.documents.deck import slides
from dcq.documents.deck.slides import Slide
from dcq.models import cutoffs
from dcq.store import Store, match_labels, overlaps, results
from dcq.store.studies import Study
from dcq.ui import links, page


def slides_of(store: Store, within: Study) -> list[Slide]:
    """The slides of a study, made again only after something was written that they rest on."""
    state = (*results.state(store), *match_labels.state(store), len(overlaps.runs_of(store)))
    return _slides(str(store.path), (*state, *cutoffs.state()), within)


def place(key: str, count: int) -> int:
    """Which of ``count`` slides is shown, from 1: as chosen, as the address says, or the first."""
    at = min(max(links.number(key) or 1, 1), count)
    st.session_state[key] = at
    links.put(key, str(at))
    return at


def controls(key: str, at: int, count: int) -> None:
    """Buttons for the slides before and after, which stay unseen until they are looked for."""
    with st.container(
        horizontal=True,
        horizontal_alignment="center",
        vertical_alignment="center",
        key="present_controls",
    ):
        for label, shortcut, to in (("Back", "Left", at - 1), ("Forward", "Right", at + 1)):
            st.button(
                label,
                key=f"{key}_{label}",
                shortcut=shortcut,
                disabled=not 1 <= to <= count,
                on_click=st.session_state.__setitem__,
                args=(key, to),
            )
        st.caption(f"{at} of {count}", width="content")
        page.go("results", "Leave", icon=":material/close:")


@st.cache_resource(max_entries=4, show_spinner="Making the slides…")
def _slides(path: str, state: tuple[int, ...], within: Study) -> list[Slide]:
    """``state`` is only part of the cache key."""
    return slides.slides(deck.build(Store(path), within))
