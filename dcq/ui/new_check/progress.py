"""A check under way, for everyone who opens the page; and what it has found."""

from __future__ import annotations

import streamlit as st

from dcq.errors import DcqError
from dcq.judging.answer_words import below_its_word
from dcq.store import Store, investigations, samples
from dcq.study import running
from dcq.study.file import read_source
from dcq.study.state import StudyState, pair_key, pairs_of, read_state
from dcq.ui import action, answer_view, checklist, live_runs, notice, page, refresh, studies
from dcq.ui.new_check import checks
from dcq.ui.new_check.checks import SavedCheck
from dcq.ui.text import plain
from dcq.words import counted, model_titles

_TROUBLE = "check_trouble"


def show(store: Store, check: SavedCheck) -> None:
    """Its progress while it is run; its conclusions, and what is left, once it is not."""
    st.subheader(plain(check.spec.name), anchor=False)
    titles = model_titles(model.name for model in check.spec.models)
    benchmarks = [check.benchmarks] if check.benchmarks != check.spec.name else []
    notice.caption(" · ".join([*benchmarks, ", ".join(titles.values())]))
    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.error(sentence)
    if checks.is_live(store, check):
        refresh.show(store, lambda store: _draw(store, check))
        refresh.promise()
        return
    _show_ended(store, check)


def _draw(store: Store, check: SavedCheck) -> bool:
    _draw_steps(store, check)
    live_runs.draw(store, checks.last_words(store, check)[1])
    _offer_stop(store, check)
    return checks.is_live(store, check)


def _draw_steps(store: Store, check: SavedCheck) -> None:
    """How far each model is with each benchmark: the quizzes and other methods, of the target and
    of its controls."""
    pairs = {pair_key(pair) for pair in pairs_of(check.spec)}
    titles = model_titles(model.name for model in check.spec.models)
    for record in reversed(investigations.listing(store)):
        partition = samples.partition_of(store, record.sample)
        if pair_key((record.model, partition.id)) not in pairs:
            continue
        done, steps = len(record.runs), max(1, len(record.places))
        name = titles.get(record.model, record.model)
        where = "" if len(check.spec.targets) == 1 else f" × {partition.shown_title}"
        st.progress(min(1.0, done / steps), plain(f"{name}{where}: step {done:,} of {steps:,}"))


def _offer_stop(store: Store, check: SavedCheck) -> None:
    if action.pressed(
        "Stop, keep what is there",
        icon=":material/stop:",
        key="check_stop",
        why_not=""
        if running.is_running(store, check.spec.name)
        else "It is being planned, and nothing is asked yet.",
    ):
        st.session_state[_TROUBLE] = action.trouble(lambda: running.stop(store, check.spec.name))
        st.rerun()


def _show_ended(store: Store, check: SavedCheck) -> None:
    code, last_line = checks.last_words(store, check)
    if code and last_line:
        notice.error(last_line)
    try:
        state = read_state(store, check.spec)
    except DcqError as error:
        notice.error(error)
        return
    _show_conclusions(check, state)
    if state.missing:
        st.markdown(
            f"{counted(len(state.missing), 'conclusion')} of "
            f"{len(state.missing) + len(state.answers)} still missing."
            if state.answers
            else "Nothing was concluded yet."
        )
        action.button(
            "Go on",
            lambda: checks.start(store, check),
            key="check_go_on",
            icon=":material/play_arrow:",
            kind="primary",
            tip="It asks only what is missing.",
        )
    with st.expander("The study's file", icon=":material/description:"):
        st.caption("The same check by command, in your own pipeline:")
        st.code(f"python -m dcq study run {check.path.name} --yes", language=None)
        st.code(read_source(check.path), language="toml")


def _show_conclusions(check: SavedCheck, state: StudyState) -> None:
    within = {studies.KEY: state.name} if state.answers else {}
    for answer in state.answers:
        checklist.show_ruling(answer.ruling, below_its_word(answer), part_of_answer=True)
        page.link("case", "Open the case", **{answer_view.CASE: answer.id} | within)
    if len(state.answers) > 1:
        page.link_button("overview", "Open the matrix", key="check_matrix", **within)


def list_checks(store: Store) -> None:
    """Links to the checks that were started here, by anybody: those under way, and earlier ones."""
    found = checks.listing(store)
    live = [check for check in found if checks.is_live(store, check)]
    for check in live:
        page.link(
            "new_check",
            plain(f"Under way: {check.spec.name}"),
            icon=":material/play_arrow:",
            **{checks.KEY: check.key},
        )
    if earlier := [check for check in found if check not in live]:
        with st.expander(f"Earlier checks ({len(earlier)})", icon=":material/history:"):
            for check in earlier:
                models = counted(len(check.spec.models), "model")
                page.link(
                    "new_check",
                    plain(f"{check.spec.name} · {models}"),
                    icon=":material/arrow_forward:",
                    **{checks.KEY: check.key},
                )
