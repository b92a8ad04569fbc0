"""Flagging a variant: a person's doubt, with a note for whoever decides."""

from __future__ import annotations

import streamlit as st

from dcq.errors import DcqError
from dcq.records import slot_letter
from dcq.store import reviews
from dcq.store.opinions import Stage
from dcq.store.variants import StoredVariant
from dcq.ui import browser, notice
from dcq.ui.text import plain
from dcq.ui.variants.curator import Curator
from dcq.variants.curation import Record

OPEN = "variants_flagging"


def button(curator: Curator, record: Record) -> None:
    """The button that opens the form, and closes it."""
    st.button(
        "Flag",
        key="variants_flag",
        shortcut="F",
        disabled=bool(curator.why_not),
        help=curator.why_not or "A note for whoever decides. It keeps a variant out of nothing.",
        on_click=notice.told(_toggle),
        args=(record,),
    )


def show(curator: Curator, record: Record) -> None:
    """If it is open, the form that flags one of the variants, and buttons that remove flags."""
    if curator.why_not or not st.session_state.get(OPEN):
        return
    slots = [slot for slot, variant in sorted(record.variants.items()) if _may(curator, variant)]
    if not slots:
        st.caption("While two annotators decide blind, nobody flags: a note would tell.")
        return
    name = record.instance.id
    with (
        st.form(f"variants_flag_{name}", border=True),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        slot = st.pills(
            "Variant",
            slots,
            default=slots[0],
            required=True,
            format_func=lambda slot: str(slot_letter(slot)),
            key=f"variants_flag_slot_{name}",
        )
        note = st.text_input(
            "Note",
            max_chars=reviews.MOST_NOTE,
            placeholder="What somebody else should look at",
            key=_note(record),
        )
        if st.form_submit_button("Flag it", type="primary", key=f"variants_flag_it_{name}"):
            _raise(curator, record.variants[slot], note)
    browser.take_focus(_note(record))
    flagged = [record.variants[slot] for slot in slots if record.variants[slot].flag]
    if flagged:
        with st.container(horizontal=True, gap="xsmall"):
            for variant in flagged:
                st.button(
                    f"Unflag {slot_letter(variant.slot)}",
                    key=f"variants_unflag_{variant.seq}",
                    on_click=notice.told(_lower),
                    args=(curator, variant),
                )


def describe(variant: StoredVariant) -> str:
    """The flag of a variant as Markdown, empty where there is none."""
    if variant.flag is None:
        return ""
    note = f": {variant.flag.note}" if variant.flag.note else ""
    return f":material/flag: **Flagged** {plain(f'by {variant.flag.author}{note}')}"


def _toggle(record: Record) -> None:
    st.session_state[OPEN] = not st.session_state.get(OPEN)
    if st.session_state[OPEN]:
        browser.ask_focus(_note(record))


def _note(record: Record) -> str:
    return f"variants_flag_note_{record.instance.id}"


def _may(curator: Curator, variant: StoredVariant) -> bool:
    """Whether the user may flag: what one of two who decide blind notes, the other would read."""
    return (
        curator.why_not_change(variant) is None
        and curator.pairing.stage(variant) is not Stage.BLIND
    )


def _raise(curator: Curator, variant: StoredVariant, note: str) -> None:
    if curator.refuses() or not _may(curator, variant):
        return
    try:
        reviews.raise_flag(curator.store, curator.sample.id, variant, note, curator.author)
    except DcqError as error:
        notice.error(error)
        return
    st.session_state[OPEN] = False
    st.rerun()


def _lower(curator: Curator, variant: StoredVariant) -> None:
    if not curator.refuses() and _may(curator, variant):
        reviews.lower_flag(curator.store, curator.sample.id, variant, curator.author)
