"""One instance under review: its original beside its variants, and what can be done to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.quiz.build import SLOTS, slot_letter
from dcq.records import Finding, Severity
from dcq.runs import curation, reword
from dcq.runs.curation import Record
from dcq.store import Store, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import roles, writing
from dcq.ui.diff import mark_changes
from dcq.ui.text import cut, plain

LONG, LONG_HEIGHT = 600, 640  # characters, pixels

Decide = Callable[[list[int], Decision], None]

_STATUS = {
    Decision.ACCEPTED: ("accepted", ":material/check:"),
    Decision.REJECTED: ("rejected", ":material/block:"),
    Decision.OPEN: ("open", ":material/radio_button_unchecked:"),
}


def show(store: Store, sample: StoredSample, record: Record, author: str, decide: Decide) -> None:
    """The original on the left, its variants on the right, their history below."""
    history = variants.history(store, sample.id, record.instance.id)
    left, right = st.columns([2, 3], gap="medium")
    # A long original stays in sight while its variants are scrolled.
    height: Literal["content"] | int = (
        LONG_HEIGHT if len(record.instance.text) > LONG else "content"
    )
    with left, st.container(border=True, height=height):
        st.badge("original", icon=":material/bookmark:", color="blue")
        st.markdown(plain(record.instance.text))
        if record.instance.protected:
            kept = ", ".join(f"“{cut(part)}”" for part in record.instance.protected)
            st.caption(f"Must stay as it is: {plain(kept)}")
    with right, st.container(height=height, border=False):
        for slot in range(SLOTS):
            with st.container(border=True):
                if slot in record.variants:
                    _card(store, sample, record, slot, author, decide, history)
                else:
                    _gap(store, sample, record, slot, author)
    if not history.empty:
        with st.expander(f"History, {len(history)} entries", icon=":material/history:"):
            _show_history(history)


def _card(
    store: Store,
    sample: StoredSample,
    record: Record,
    slot: int,
    author: str,
    decide: Decide,
    history: pd.DataFrame,
) -> None:
    variant = record.variants[slot]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{slot_letter(slot)}**", width="content")
        words, icon = _STATUS[variant.decision]
        st.badge(words, icon=icon, color="gray")
        st.caption(_say_origin(variant), width="stretch")
        _decision_buttons(variant, slot, decide)
    st.markdown(mark_changes(record.instance.text, variant.text))
    if variant.findings:
        st.caption("\\\n".join(map(_say_finding, variant.findings)))
    with st.expander("Edit", type="compact", key=f"variants_edit_{variant.seq}"):
        _editor(store, sample, record, slot, author)
        earlier = _earlier_text(history, slot)
        if earlier is not None:
            st.button(
                "Back to the text before",
                icon=":material/undo:",
                key=f"variants_back_{variant.seq}",
                disabled=bool(roles.lacks(roles.Role.ANNOTATOR)),
                on_click=_save,
                args=(store, sample, record, slot, earlier, author),
            )


def _gap(store: Store, sample: StoredSample, record: Record, slot: int, author: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{slot_letter(slot)}**")
        st.badge("missing", icon=":material/pending:", color="gray")
    with st.expander("Write it", type="compact", key=f"variants_fill_{record.instance.id}_{slot}"):
        _editor(store, sample, record, slot, author)


def _decision_buttons(variant: StoredVariant, slot: int, decide: Decide) -> None:
    lack = roles.lacks(roles.Role.ANNOTATOR)
    if variant.decision is not Decision.OPEN:
        st.button(
            "Reopen",
            icon=":material/undo:",
            key=f"variants_reopen_{variant.seq}",
            disabled=bool(lack),
            help=lack,
            on_click=decide,
            args=([variant.seq], Decision.OPEN),
        )
        return
    for words, icon, decision, shortcut in (
        ("Accept", ":material/check:", Decision.ACCEPTED, f"{slot + 1}"),
        ("Reject", ":material/block:", Decision.REJECTED, f"Shift+{slot + 1}"),
    ):
        st.button(
            words,
            icon=icon,
            key=f"variants_{words}_{variant.seq}",
            shortcut=shortcut,
            disabled=bool(lack),
            help=lack,
            on_click=decide,
            args=([variant.seq], decision),
        )


def _editor(store: Store, sample: StoredSample, record: Record, slot: int, author: str) -> None:
    """A text that is saved when the box is left, so that nothing typed can be lost."""
    present = record.variants.get(slot)
    name = present.seq if present else f"{record.instance.id}_{slot}"
    key = f"variants_text_{name}"
    lack = roles.lacks(roles.Role.ANNOTATOR)
    st.text_area(
        f"Text of variant {slot_letter(slot)}, saved when you leave the box",
        present.text if present else record.instance.text,
        key=key,
        height="content",
        disabled=bool(lack),
        help=lack,
        on_change=lambda: _save(store, sample, record, slot, st.session_state[key], author),
    )
    cannot_write = roles.lacks(writing.needed_role())
    if st.button(
        f"Have it written by {writing.writer_name()}",
        icon=":material/autorenew:",
        key=f"variants_regenerate_{name}",
        disabled=bool(cannot_write),
        help=cannot_write
        or "Who writes is chosen at the top of the page. The present text stays in the history.",
    ):
        with st.spinner("Writing…"):
            _regenerate(store, sample, record, slot, author)


def _save(
    store: Store, sample: StoredSample, record: Record, slot: int, text: str, author: str
) -> None:
    try:
        roles.require(roles.Role.ANNOTATOR)
        if curation.edit(store, sample, record, slot, text, author):
            st.toast(f"Variant {slot_letter(slot)} saved and checked.", icon=":material/check:")
    except DcqError as error:
        st.toast(str(error), icon=":material/error:", duration="long")


def _regenerate(store: Store, sample: StoredSample, record: Record, slot: int, author: str) -> None:
    try:
        roles.require(writing.needed_role())
        shortfall = asyncio.run(
            reword.reword_slot(
                store, sample.id, record.instance, slot, writing.writer(), author=author
            )
        )
    except DcqError as error:
        shortfall = str(error)
    if shortfall:
        st.error(shortfall, icon=":material/error:")
    else:
        st.rerun()


def _earlier_text(history: pd.DataFrame, slot: int) -> str | None:
    written = history[(history["slot"] == slot) & (history["what"] == "written")]
    return str(written.iloc[1]["text"]) if len(written) > 1 else None


def _show_history(history: pd.DataFrame) -> None:
    told = history.assign(
        variant=history["slot"].map(slot_letter),
        what=history["what"].replace("open", "reopened"),
    )
    st.dataframe(
        told[["made_at", "variant", "what", "who", "origin", "text"]],
        hide_index=True,
        key="variants_history",
        alt="What happened to the variants of this instance, newest first.",
        column_config={
            "made_at": st.column_config.DatetimeColumn("When (UTC)", format="D MMM YYYY, HH:mm:ss"),
            "variant": "Variant",
            "what": "What",
            "who": "Who",
            "origin": "Written by",
            "text": st.column_config.TextColumn("Text", width="large"),
        },
    )


def _say_origin(variant: StoredVariant) -> str:
    who = f" {variant.author}" if variant.author else ""
    words = {
        "offline": "offline generator (weaker)",
        "bundled": "came with the data",
        "person": f"edited by{who}" if who else "edited by hand",
    }.get(variant.origin, variant.origin.replace("model:", "model ", 1))
    said = f", {variant.decision} by {variant.reviewer}" if variant.reviewer else ""
    return plain(f"{words}{said}")


def _say_finding(finding: Finding) -> str:
    if finding.severity is Severity.ERROR:
        return f":orange[:material/error:] **Error.** {plain(finding.sentence)}"
    return f":yellow[:material/warning:] Note. {plain(finding.sentence)}"
