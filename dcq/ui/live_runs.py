"""One line on all that is being asked."""

from __future__ import annotations

import streamlit as st

from dcq.errors import DcqError
from dcq.jobs.state import state_of
from dcq.store import Store, run_progress
from dcq.ui import notice, page
from dcq.ui.result_names import listed_partitions
from dcq.ui.text import plain


def draw(store: Store, last_line: str = "") -> None:
    """How many calls the runs under way have made; ``last_line`` is what the command that started
    them printed last. Nothing while another process holds the store: the next look is a second
    away."""
    try:
        begun = [
            one.run
            for one in run_progress.begun(store)
            if state_of(store, one.run, one.event, one.at).live
        ]
        asked = run_progress.progress(store, begun)
    except DcqError:
        return
    done, items = sum(run.done for run in asked), sum(run.items for run in asked)
    names = ", ".join(listed_partitions(asked).values())
    text = f"Asking: {done:,} of {items:,} calls · {plain(names)}" if asked else "Working…"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, done / max(items, 1)), text)
        page.link("quiz", "Watch the run", icon=":material/play_arrow:", quiz_all_runs="true")
    if last_line:
        notice.caption(last_line)
