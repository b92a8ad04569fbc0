"""Look for a sample's instances on the web or in a corpus, and read what was found."""

import streamlit as st

from dcq.store import samples
from dcq.ui import links, page, pick
from dcq.ui.overlap import asking, runs

SAMPLE, VIEW, RUN = "overlap_sample", "overlap_view", "overlap_run"
SEARCH, READ = "Search", "Result"
STARTED = "overlap_started"  # ids of the runs started on this visit, while they are shown

store = page.start(
    "Overlap",
    "Whether a benchmark is on the web or in a corpus, and what that does to scores.",
)
links.recall(SAMPLE, RUN)
if page.arrived():
    st.session_state[STARTED] = []


def read(run: str) -> None:
    """Open the result of a run."""
    st.session_state.update({RUN: run, VIEW: READ})


def search_again() -> None:
    """Go back to the form."""
    st.session_state.update({STARTED: [], VIEW: SEARCH})


listed = samples.listing(store)
if not listed:
    st.info("There is no sample to look for yet.", icon=":material/dataset:")
    page.go("dataset", "Choose a dataset and draw a sample")
    st.stop()

(searching,) = st.tabs([SEARCH], key=VIEW, bind="query-params", on_change="rerun")

if searching.open:
    with searching:
        if started := st.session_state[STARTED]:
            # Nothing else is here, so that they are visible whatever the scroll position.
            runs.watch(store, read, started)
            st.button(
                "Search again", icon=":material/add:", key="overlap_again", on_click=search_again
            )
            st.stop()
        live, body, past = st.container(), st.container(), st.container()
        with live if runs.any_live(store) else past:
            runs.watch(store, read)
        with body:
            chosen = pick.sample(listed, key=SAMPLE)
            links.remember(SAMPLE)
            if begun := asking.show(store, samples.load(store, chosen)):
                st.session_state[STARTED] = begun
                st.rerun()
