"""The buttons and links that fix what a verdict lacks, and the runs that they start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from dcq.errors import DcqError
from dcq.evidence.check import Topic
from dcq.investigation.fixes import Fix, Spend, fixes
from dcq.jobs.state import State, state_of
from dcq.judging.study import Finding
from dcq.quiz.results import Result
from dcq.store import Store, run_progress
from dcq.ui import notice, page, roles
from dcq.ui.names import listed_partitions
from dcq.ui.text import plain

_STARTED = "fixes_started"  # ids of the runs that were started here and may still be live
_TROUBLE = "fixes_trouble"  # the error message to show


def buttons(
    store: Store, finding: Finding, every: Sequence[Result]
) -> Mapping[Topic, Callable[[], None]]:
    """For the ``checklist``: functions that draw the fixes of each check that has any."""
    return {
        topic: partial(_draw, store, topic, found)
        for topic, found in fixes(store, finding, every).items()
    }


def watch(store: Store) -> None:
    """The progress of the runs that were started from a checklist; the page is drawn again when
    they end, since the verdict may have changed."""
    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.error(sentence, icon=":material/error:")
    if st.session_state.get(_STARTED):
        st.fragment(_progress, run_every="1s")(Store(store.path, timeout=2.0))


def _draw(store: Store, topic: Topic, found: Sequence[Fix]) -> None:
    with st.container(horizontal=True, gap="small"):
        for number, fix in enumerate(found):
            if isinstance(fix, Spend):
                lack = roles.lacks(roles.Role.RUNNER) or fix.lack
                st.button(
                    plain(fix.label),
                    icon=":material/play_arrow:",
                    key=f"fixes_{topic}_{number}",
                    disabled=bool(lack) or bool(st.session_state.get(_STARTED)),
                    help=plain(lack or fix.names) or None,
                    on_click=_start,
                    args=(store, fix),
                )
            else:
                page.go(fix.page, plain(fix.label), **fix.choices)


def _start(store: Store, fix: Spend) -> None:
    if roles.refuses(roles.Role.RUNNER):
        return
    try:
        st.session_state[_STARTED] = fix.start(store)
    except DcqError as error:
        st.session_state[_TROUBLE] = str(error)


def _progress(store: Store) -> None:
    try:
        runs = run_progress.progress(store, st.session_state.get(_STARTED, []))
    except DcqError:  # held by another process; the next look is a second away
        return
    states = [state_of(store, run.run, run.event, run.event_at) for run in runs]
    if not any(state.live for state in states):
        st.session_state[_STARTED] = []
        ended = [str(state) for state in states if state is not State.FINISHED]
        if ended:
            st.session_state[_TROUBLE] = f"The run is {ended[0]}; its card on Quiz says why."
        st.rerun()
    done, items = sum(run.done for run in runs), sum(run.items for run in runs)
    names = ", ".join(listed_partitions(runs).values())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / max(items, 1), f"Asking: {done:,} of {items:,} calls · {plain(names)}")
        page.go("quiz", "Watch the run", icon=":material/play_arrow:")
