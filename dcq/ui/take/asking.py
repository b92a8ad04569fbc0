"""One question at a time, by mouse or by keyboard; each answer is saved as it is given."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.errors import DcqError
from dcq.records import LETTERS
from dcq.store import Store, partitions, sittings
from dcq.store.samples import StoredSample
from dcq.store.sittings import Sitting
from dcq.ui import notice, roles
from dcq.ui.take import opening
from dcq.ui.text import alignment, plain

# Of texts longer than this, two stand side by side and scroll by themselves.
LONG, HEIGHT = 700, 260  # characters, pixels
_AT = "take_at"  # the question gone back to
_OPEN = "take_open"  # the question that was drawn last


def show(store: Store, sample: StoredSample, sitting: Sitting, *, head: DeltaGenerator) -> None:
    """The open question: the first without an answer, or an earlier one to which the person has
    gone back. The progress and the instruction go into ``head``."""
    at = _place(sitting)
    st.session_state[_OPEN] = (sitting.id, at)
    item, total = sitting.items[at], len(sitting.items)
    where = partitions.place(store, sample.partition)
    with head:
        st.progress(
            sum(letter is not None for letter in sitting.letters) / total,
            f"Question {at + 1} of {total}",
        )
        st.markdown(f"#### Which one is word for word in {plain(where)}?")
    with st.container(gap="small"):
        texts = list(zip(LETTERS, item.options, strict=False))
        if max(map(len, item.options)) > LONG:
            for pair in (texts[:2], texts[2:]):
                for column, (letter, text) in zip(st.columns(2), pair, strict=False):
                    with column:
                        _option(store, sitting, at, letter, text, height=HEIGHT)
        else:
            for letter, text in texts:
                _option(store, sitting, at, letter, text)
        with st.container(horizontal=True):
            st.button(
                "Back",
                icon=":material/arrow_back:",
                key=f"take_back_{at}",
                shortcut="K",
                disabled=at == 0,
                on_click=notice.told(_go_to),
                args=(sitting.id, at - 1),
            )
            st.button(
                "Leave and go on later",
                icon=":material/pause:",
                type="tertiary",
                key="take_leave",
                on_click=notice.told(opening.close_sitting),
            )
            st.caption(f"{_keys(len(item.options))} on the keyboard chooses; the end shows all.")


def _keys(options: int) -> str:
    *head, last = (str(number) for number in range(1, options + 1))
    return f"{', '.join(head)} or {last}"


def _option(
    store: Store,
    sitting: Sitting,
    at: int,
    letter: str,
    text: str,
    *,
    height: int | None = None,
) -> None:
    with (
        st.container(border=True, height=height or "content"),
        st.container(horizontal=True, wrap=False, gap="medium", vertical_alignment="top"),
    ):
        st.button(
            letter,
            key=f"take_{sitting.id}_{at}_{letter}",
            shortcut=str(LETTERS.index(letter) + 1),
            type="primary" if sitting.letters[at] == letter else "secondary",
            on_click=notice.told(_choose),
            args=(store, sitting.id, at, letter),
        )
        st.markdown(plain(text), text_alignment=alignment(text), width="stretch")


def _choose(store: Store, sitting_id: str, at: int, letter: str) -> None:
    """In a callback. While a page is drawn slowly, the buttons of the question before are still
    there and hear the same key: only the question that is open takes an answer."""
    if st.session_state.get(_OPEN) != (sitting_id, at) or roles.refuses(roles.UserRole.ANNOTATOR):
        return
    try:
        sittings.answer(store, sitting_id, at, letter)
    except DcqError as error:
        notice.toast(str(error), icon=":material/error:", duration="long")
    else:
        st.session_state.pop(_AT, None)


def _go_to(sitting_id: str, at: int) -> None:
    st.session_state[_AT] = (sitting_id, at)


def _place(sitting: Sitting) -> int:
    back, at = st.session_state.get(_AT, ("", 0))
    return at if back == sitting.id else sitting.letters.index(None)
