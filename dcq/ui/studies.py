"""Which study the pages that read results show; the choice goes with the user from page to page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dcq.errors import DcqError
from dcq.quiz.results import Result
from dcq.records import Role
from dcq.report.study import Finding
from dcq.store import Store, studies
from dcq.store.studies import EVERYTHING, LONGEST_NAME, METHODS, Study
from dcq.ui import links, notice, people, roles

KEY = "study"


def choose(store: Store) -> Study:
    """The study that is shown, chosen in the sidebar where there is one to choose; everything in
    the store otherwise, and where the address names one that is not there."""
    found = {one.name: one for one in [EVERYTHING, *studies.listing(store)]}
    if len(found) == 1:
        return EVERYTHING
    links.recall(KEY)
    links.take(KEY, found)
    with st.sidebar:
        name = st.selectbox(
            "Study",
            list(found),
            key=KEY,
            format_func=lambda name: name or "Everything in this store",
            help="Results are judged together with those of their study, and compared with its "
            "controls.",
        )
    links.remember(KEY)
    links.put(KEY, name)
    return found[name]


def offer_new(store: Store, within: Study, found: Sequence[Finding]) -> None:
    """A popover that saves a study of what the store has results of, or takes ``within`` off the
    list."""
    panel = st.popover("Study", icon=":material/folder_special:", type="tertiary")
    with panel:
        st.caption(
            "A study is a named choice of what is judged together. Name it before you look: a "
            "choice made for its results makes them look stronger than they are."
        )
        targets = {r.partition: r.place for r in _results(found) if r.role != Role.CONTROL}
        controls = {r.partition: r.place for r in _results(found) if r.role == Role.CONTROL}
        models = list(dict.fromkeys(r.model for r in _results(found)))
        with st.form("study_new", border=False):
            name = st.text_input("Name", within.name, max_chars=LONGEST_NAME)
            partitions = st.multiselect(
                "Partitions", list(targets), format_func=targets.__getitem__, placeholder="All"
            )
            chosen = st.multiselect("Models", models, placeholder="All")
            methods = st.multiselect("Methods", list(METHODS), placeholder="All")
            unseen = st.multiselect(
                "Controls", list(controls), format_func=controls.__getitem__, placeholder="All"
            )
            lack = roles.lacks(roles.Role.ANNOTATOR)
            if st.form_submit_button(
                "Save study", type="primary", icon=":material/save:", disabled=bool(lack), help=lack
            ):
                made = Study(
                    name,
                    tuple(partitions) or None,
                    tuple(chosen) or None,
                    tuple(methods) or METHODS,
                    tuple(unseen) or None,
                    people.known_author(),
                )
                _try(lambda: studies.save(store, made).name)
        if within is not EVERYTHING and st.button(
            "Take it off the list",
            key="study_remove",
            icon=":material/delete:",
            disabled=bool(lack),
            help=lack or "Its history stays in the store.",
        ):
            _try(lambda: _remove(store, within))


def _try(change: Callable[[], str]) -> None:
    """Make a change and show the study that it returns, or say why not."""
    try:
        roles.require(roles.Role.ANNOTATOR)
        name = change()
    except DcqError as error:
        notice.error(error)
        return
    # The widget takes its value from the address on the next run.
    st.session_state.pop(KEY, None)
    st.query_params[KEY] = name
    st.rerun()


def _remove(store: Store, study: Study) -> str:
    studies.remove(store, study.name, author=people.known_author())
    return EVERYTHING.name


def _results(found: Sequence[Finding]) -> list[Result]:
    return [one.result for one in found]
