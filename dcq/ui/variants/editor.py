"""Editing a variant: what is typed is saved as the user's own draft until they save it for good."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dcq.errors import ChangedError, DcqError
from dcq.records import slot_letter
from dcq.store import drafts
from dcq.ui import browser, notice
from dcq.ui.text import alignment
from dcq.ui.variants import synonyms
from dcq.ui.variants.desk import Desk
from dcq.variants import curation
from dcq.variants.curation import Record


@st.fragment
def show(desk: Desk, record: Record, slot: int, typed: str | None) -> None:
    """A box to edit the text of a slot; it shows ``typed`` instead if there is a draft."""
    present = record.variants.get(slot)
    text = present.text if present else record.instance.text
    key = box(record, slot)
    if st.session_state.setdefault(f"{key}_by", desk.drafter) != desk.drafter:
        st.session_state.pop(key, None)  # what another user typed in this tab is theirs
        st.session_state[f"{key}_by"] = desk.drafter
    with st.container(gap=None):
        st.text_area(
            f"Text of variant {slot_letter(slot)}",
            text if typed is None else typed,
            key=key,
            height="content",
            on_change=_keep_typed,
            args=(desk, record, slot),
        )
        right = alignment(st.session_state[key]) == "right"
        heard = browser.hear_typing(key, commit="s", direction="rtl" if right else "ltr")
        browser.take_focus(key)
    if heard is not None:
        _keep(desk, record, slot, heard)
    waiting = slot in drafts.of(desk.store, desk.sample.id, record.instance.id, desk.drafter)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Save and check",
            type="primary" if waiting else "secondary",
            icon=":material/save:",
            key=f"{key}_save",
            shortcut="Ctrl+S",
            on_click=_save_typed,
            args=(desk, record, slot),
        ):
            st.rerun()  # the whole page: its counts may have changed
        synonyms.show(
            st.session_state[key],
            protected=record.instance.protected,
            language=desk.sample.partition.language,
            key=key,
            on_choice=lambda chosen: _put(desk, record, slot, chosen),
        )
        if waiting:
            if typed is None:  # else the button is beside the mark of the draft
                discard_button(desk, record, slot)
            st.caption(
                ":material/cloud_done: Draft saved. It becomes the variant when you save it."
            )
        else:
            st.caption("Esc leaves the box.")


def save(desk: Desk, record: Record, slot: int, text: str) -> None:
    """Make ``text`` the variant of a slot and drop the draft, unless another user changed it."""
    if desk.refuses():
        return
    if lack := desk.pairing.lack(record.variants.get(slot)):
        notice.toast(lack, icon=":material/lock:", duration="long")
        return
    try:
        changed = curation.edit(desk.store, desk.sample, record, slot, text, desk.author)
    except ChangedError as error:
        _keep(desk, record, slot, text)
        desk.tell(f"Instance {record.number}: {error} Your text is saved as a draft.")
        return
    except DcqError as error:
        notice.toast(error, icon=":material/error:", duration="long")
        return
    drafts.drop(desk.store, desk.sample.id, record.instance.id, slot, desk.drafter)
    words = "saved and checked" if changed else "is unchanged"
    notice.toast(f"Variant {slot_letter(slot)} {words}.", icon=":material/check:")


def discard_button(
    desk: Desk, record: Record, slot: int, kind: Literal["secondary", "tertiary"] = "secondary"
) -> None:
    """The button that forgets the user's draft of a slot."""
    st.button(
        "Discard",
        type=kind,
        key=f"{box(record, slot)}_discard",
        on_click=_discard,
        args=(desk, record, slot),
    )


def box(record: Record, slot: int) -> str:
    """The key of the box in which a slot is edited; a new text has another."""
    present = record.variants.get(slot)
    return f"variants_text_{present.seq if present else f'{record.instance.id}_{slot}'}"


def _save_typed(desk: Desk, record: Record, slot: int) -> None:
    save(desk, record, slot, st.session_state[box(record, slot)])


def _keep_typed(desk: Desk, record: Record, slot: int) -> None:
    _keep(desk, record, slot, st.session_state[box(record, slot)])


def _keep(desk: Desk, record: Record, slot: int, text: str) -> None:
    """Save a draft, or drop it if it equals the variant."""
    if desk.refuses():
        return
    present = record.variants.get(slot)
    place = (desk.sample.id, record.instance.id, slot, desk.drafter)
    if text == (present.text if present else record.instance.text):
        drafts.drop(desk.store, *place)
    else:
        drafts.keep(desk.store, *place, text)


def _put(desk: Desk, record: Record, slot: int, text: str) -> None:
    st.session_state[box(record, slot)] = text
    _keep(desk, record, slot, text)


def _discard(desk: Desk, record: Record, slot: int) -> None:
    drafts.drop(desk.store, desk.sample.id, record.instance.id, slot, desk.drafter)
    present = record.variants.get(slot)
    st.session_state[box(record, slot)] = present.text if present else record.instance.text
