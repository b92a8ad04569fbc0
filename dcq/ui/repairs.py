"""Repairs of failed checks on the screen: a button with its price, the command that does the same,
and how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from dcq.errors import DcqError
from dcq.evidence.check import Topic
from dcq.jobs import command
from dcq.judging.answer import Answer
from dcq.judging.judged import JudgedResult
from dcq.judging.wording import TOPICS
from dcq.store import Store, results, samples
from dcq.study.repair import Repair, RepairPrice
from dcq.study.repairs import repair_of, repairs
from dcq.ui import live_runs, notice, page, roles
from dcq.ui.action import Kind
from dcq.ui.text import plain

_STARTED = "repairs_started"  # the words of the command that was started here and may still go on
_TROUBLE = "repairs_trouble"  # why it could not be started, or how it ended


def buttons(
    store: Store, finding: JudgedResult, above: Answer | None = None
) -> Mapping[Topic, Callable[[], None]]:
    """For the ``checklist``: functions that draw the repair of each check that is not passed. What
    repairs several checks has its button at the first of them, or with the answer ``above``."""
    shown = None if above is None else repair_of(store, above)
    first = {shown[1].words: "the conclusion"} if shown is not None and shown[1].words else {}
    drawn: dict[Topic, Callable[[], None]] = {}
    for topic, repair in repairs(store, finding).items():
        if repair.words in first:
            drawn[topic] = partial(_refer, first[repair.words])
            continue
        drawn[topic] = partial(_draw, store, repair, f"{finding.evidence.run}_{topic}")
        if repair.words:
            first[repair.words] = f"“{TOPICS[topic]}”"
    return drawn


def show_for(store: Store, answer: Answer, *, key: str) -> None:
    """The repair of an undecided answer, or why there is none."""
    found = repair_of(store, answer)
    if found is not None:
        _draw(store, found[1], f"{key}_repair", kind="primary")


def watch(store: Store) -> None:
    """Show how a repair that was started here goes on; draw the page again when it ends."""
    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.error(sentence)
    if st.session_state.get(_STARTED):
        st.fragment(_progress, run_every="1s")(Store(store.path, timeout=2.0))


def _refer(where: str) -> None:
    notice.caption(f"The step under {where} repairs this too.")


def _draw(store: Store, repair: Repair, key: str, *, kind: Kind = "secondary") -> None:
    if not repair.label:
        notice.caption(repair.why_not)
        return
    # While something is asked its price would change with each reply.
    is_live = bool(st.session_state.get(_STARTED)) or _is_live(store, repair)
    price = None if is_live else _priced(store, repair)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if repair.page:
            page.link(repair.page, plain(repair.label), **repair.choices)
        else:
            _draw_button(store, repair, price, key, kind)
        if repair.command:
            with st.popover("Command", icon=":material/terminal:"):
                st.caption("It does the same in a terminal.")
                st.code(repair.command, language=None, wrap_lines=True)
    if price is not None and price.why_not:
        notice.caption(price.why_not)


def _draw_button(
    store: Store, repair: Repair, price: RepairPrice | None, key: str, kind: Kind
) -> None:
    """``price`` is None while something is asked."""
    why_not = "Something is being asked now." if price is None else price.why_not
    missing = roles.why_not(roles.UserRole.RUNNER) or why_not
    st.button(
        plain(repair.label if price is None or why_not else f"{repair.label}: {price.words}"),
        type=kind,
        icon=":material/build:",
        key=key,
        disabled=bool(missing),
        help=plain(missing) or None,
        on_click=notice.told(_start),
        args=(store, repair),
    )


def _is_live(store: Store, repair: Repair) -> bool:
    state = command.state(store, repair.words)
    return state is not None and state.live


def _start(store: Store, repair: Repair) -> None:
    if roles.refuses(roles.UserRole.RUNNER):
        return
    try:
        command.start(store, repair.words)
    except DcqError as error:
        st.session_state[_TROUBLE] = str(error)
    else:
        st.session_state[_STARTED] = repair.words


def _priced(store: Store, repair: Repair) -> RepairPrice:
    if not repair.can_start:
        return RepairPrice(why_not=repair.why_not)
    state = (*results.state(store), *samples.state(store))
    return _price(str(store.path), state, repair.words, repair)


@st.cache_data(max_entries=64, ttl=600, show_spinner="Working out what it takes…")
def _price(
    path: str, state: tuple[int, ...], words: tuple[str, ...], _repair: Repair
) -> RepairPrice:
    """``state`` and ``words`` are only the cache key: the words say all that a repair asks."""
    return _repair.price(Store(Path(path)))


def _progress(store: Store) -> None:
    roles.leave_if_gone()
    words = st.session_state.get(_STARTED, ())
    state = command.state(store, words)
    if state is None or not state.live:
        st.session_state[_STARTED] = ()
        if state is not None and state.code:
            st.session_state[_TROUBLE] = f"The repair ended early. {state.last_line}"
        st.rerun()
    live_runs.draw(store, "" if state is None else state.last_line)
