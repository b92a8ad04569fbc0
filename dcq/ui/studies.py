"""The study that pages with results show; the choice goes with the user from page to page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq import methods
from dcq.errors import DcqError
from dcq.judging import known
from dcq.models import embedded
from dcq.quiz.choice import fits_no_target
from dcq.records import PartitionRole
from dcq.store import Store, run_progress, runs, samples, studies
from dcq.store.studies import EVERYTHING, LONGEST_NAME, Study
from dcq.ui import links, method_results, notice, page, roles
from dcq.ui.result_names import listed_partitions

KEY, _PANEL = "study", "study_panel"


def choose(store: Store, where: DeltaGenerator | None = None) -> Study:
    """The study chosen in the sidebar, or at the place ``where`` of the page, if there is one to
    choose; everything in the store otherwise, and where the address names an unknown one."""
    studies_by_name = _found(store)
    if len(studies_by_name) == 1:
        return EVERYTHING
    with where or st.sidebar:
        name = st.selectbox(
            "Study",
            list(studies_by_name),
            key=KEY,
            format_func=lambda name: name or "All studies",
            label_visibility="visible" if where is None else "collapsed",
            width="stretch" if where is None else 340,
            help="Results are judged together with those of their study, and compared with its "
            "controls. All that is asked about one benchmark is its own study.",
        )
    links.remember(KEY)
    links.put(KEY, name)
    return studies_by_name[name]


def chosen(store: Store) -> Study:
    """The study that was chosen on another page or is named by the address, for a page that has no
    room to choose one."""
    studies_by_name = _found(store)
    return studies_by_name[st.session_state[KEY]] if len(studies_by_name) > 1 else EVERYTHING


def _found(store: Store) -> dict[str, Study]:
    """All studies by name, with the choice among them made ready."""
    studies_by_name = {study.name: study for study in [EVERYTHING, *studies.listing(store)]}
    if len(studies_by_name) > 1:
        links.recall(KEY)
        links.take(KEY, studies_by_name)
    return studies_by_name


def say_empty(store: Store, within: Study) -> None:
    """Say that the study has no quiz results yet, link to the Quiz page, and name the results of
    other methods that exist."""
    other_results = method_results.other_results(store, within)
    if other_results:
        of = "" if within is EVERYTHING else " of this study"
        sentence = f"No model has taken a quiz{of} yet. Other methods were used: {other_results}."
    elif runs.listing(store, limit=1):
        sentence = "No model has taken a quiz that has its original among the options yet."
    elif within is EVERYTHING:
        sentence = "No model has answered yet. Give a quiz to one"
        sentence += "." if embedded.missing() else "; the embedded model needs no key."
    else:
        sentence = "No model has answered a quiz of this study yet."
    notice.info(sentence, icon=":material/quiz:")
    method_results.offer(other_results)
    page.link("quiz", "Ask a model")


def offer_new(store: Store, within: Study) -> None:
    """A popover that saves a study, or changes or removes the study ``within``."""
    panel = st.popover(
        "Study", icon=":material/folder_special:", type="tertiary", key=_PANEL, on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        st.caption(
            "A study is a named choice of what is judged together. Name it before you look: a "
            "choice made for its results makes them look stronger than they are."
        )
        if within.made_at is not None:
            st.caption(
                f"“{within.name}” was fixed on {within.made_at:%d %b %Y} (revision "
                f"{within.revision}). What is asked later changes nothing in it; save it again to "
                "take that in."
            )
        _ask(store, within)
        reason = roles.why_not(roles.UserRole.ANNOTATOR)
        if within is not EVERYTHING and st.button(
            "Take it off the list",
            key="study_remove",
            icon=":material/delete:",
            disabled=bool(reason),
            help=reason or "Its history stays in the store.",
        ):
            _try(lambda: _remove(store, within))


def _ask(store: Store, within: Study) -> None:
    listed_samples = samples.listing(store)
    places = listed_partitions(listed_samples)
    unseen = [sample.partition for sample in listed_samples if sample.role is PartitionRole.CONTROL]
    tested = [
        listed_sample.partition
        for listed_sample in listed_samples
        if listed_sample.role is not PartitionRole.CONTROL
    ]
    if sentence := fits_no_target(store, within.controls or (), within.partitions):
        notice.warning(sentence, icon=":material/balance:")
    with st.form("study_new", border=False):
        name = st.text_input("Name", within.name, max_chars=LONGEST_NAME)
        partitions = _choose("Partitions", tested, within.partitions, places)
        models = _choose("Models", run_progress.models(store, imported=True), within.models)
        used = _choose("Methods", methods.names(), within.methods)
        controls = _choose("Controls", unseen, within.controls, places)
        reason = roles.why_not(roles.UserRole.ANNOTATOR)
        submitted = st.form_submit_button(
            "Save study", type="primary", icon=":material/save:", disabled=bool(reason), help=reason
        )
    if submitted:
        new_study = Study(name, partitions, models, used, controls, roles.known_author())
        _try(lambda: _save(store, new_study))


def _choose(
    label: str,
    options: Iterable[str],
    before: Sequence[str] | None,
    names: Mapping[str, str] | None = None,
) -> tuple[str, ...] | None:
    """What is chosen of ``options`` and of what was chosen ``before``. Nothing chosen means all
    that there is now, so None, unless ``before`` was none of them."""
    titles = names or {}
    none = before is not None and not before
    chosen = st.multiselect(
        label,
        list(dict.fromkeys([*options, *(before or ())])),
        default=list(before or ()),
        format_func=lambda option: titles.get(option, option),
        placeholder="None" if none else "All",
    )
    return tuple(chosen) or (() if none else None)


def _try(change: Callable[[], str]) -> None:
    """Make a change and show the study that it returns, or say why not."""
    try:
        roles.require(roles.UserRole.ANNOTATOR)
        name = change()
    except DcqError as error:
        notice.error(error)
        return
    # The widget takes its value from the address on the next run.
    st.session_state.pop(KEY, None)
    st.query_params[KEY] = name
    st.rerun()


def _save(store: Store, study: Study) -> str:
    return studies.save(store, known.named_study(store, study)).name


def _remove(store: Store, study: Study) -> str:
    studies.remove(store, study.name, author=roles.known_author())
    return EVERYTHING.name
