"""One instance under review: its original beside its variants, with the actions on them."""

from __future__ import annotations

import asyncio
from typing import Literal

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.quiz.build import SLOTS
from dcq.records import Finding, Severity, slot_letter
from dcq.store import drafts, variants
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import notice, roles
from dcq.ui.text import alignment, cut, plain
from dcq.ui.variants import editor, writing
from dcq.ui.variants.diff import mark_changes
from dcq.ui.variants.queue import Desk
from dcq.variants import reword
from dcq.variants.curation import Record

LONG, LONG_HEIGHT = 600, 640  # characters, pixels

_STATUS = {
    Decision.ACCEPTED: ("accepted", ":material/check:"),
    Decision.REJECTED: ("rejected", ":material/block:"),
    Decision.OPEN: ("open", ":material/radio_button_unchecked:"),
}


def show(desk: Desk, record: Record) -> None:
    """The original on the left, its variants on the right, their history below."""
    history = variants.history(desk.store, desk.sample.id, record.instance.id)
    typed = drafts.of(desk.store, desk.sample.id, record.instance.id, desk.drafter)
    left, right = st.columns([2, 3], gap="medium")
    # A long original stays visible while its variants are scrolled.
    height: Literal["content"] | int = (
        LONG_HEIGHT if len(record.instance.text) > LONG else "content"
    )
    with left, st.container(border=True, height=height):
        st.badge("original", icon=":material/bookmark:", color="blue")
        st.markdown(plain(record.instance.text), text_alignment=alignment(record.instance.text))
        if record.instance.protected:
            protected = ", ".join(f"“{cut(part)}”" for part in record.instance.protected)
            st.caption(f"Must not change: {plain(protected)}")
    with right, st.container(height=height, border=False):
        for slot in range(SLOTS):
            with st.container(border=True):
                if slot in record.variants:
                    _card(desk, record, slot, history, typed.get(slot))
                else:
                    _gap(desk, record, slot, typed.get(slot))
    if not history.empty:
        with st.expander(f"History, {len(history)} entries", icon=":material/history:"):
            _show_history(history)


def _card(desk: Desk, record: Record, slot: int, history: pd.DataFrame, typed: str | None) -> None:
    variant = record.variants[slot]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{slot_letter(slot)}**", width="content")
        words, icon = _STATUS[variant.decision]
        st.badge(words, icon=icon, color="gray")
        st.space("stretch")
        _decision_buttons(desk, variant, slot)
    st.caption(_say_origin(variant))
    st.markdown(
        mark_changes(record.instance.text, variant.text), text_alignment=alignment(variant.text)
    )
    if variant.findings:
        st.caption("\\\n".join(map(_say_finding, variant.findings)))
    if desk.lack:
        return  # once there is a name, the box with a draft opens by itself
    with st.expander(
        "Edit", type="compact", key=f"variants_edit_{variant.seq}", expanded=typed is not None
    ):
        editor.show(desk, record, slot, typed)
        _offer_rewriting(desk, record, slot)
        earlier = _earlier_text(history, slot)
        if earlier is not None:
            st.button(
                "Back to the previous text",
                icon=":material/undo:",
                key=f"variants_back_{variant.seq}",
                on_click=editor.save,
                args=(desk, record, slot, earlier),
            )


def _gap(desk: Desk, record: Record, slot: int, typed: str | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{slot_letter(slot)}**")
        st.badge("missing", icon=":material/pending:", color="gray")
    if desk.lack:
        return
    with st.expander(
        "Write it",
        type="compact",
        key=f"variants_fill_{record.instance.id}_{slot}",
        expanded=typed is not None,
    ):
        editor.show(desk, record, slot, typed)
        _offer_rewriting(desk, record, slot)


def _decision_buttons(desk: Desk, variant: StoredVariant, slot: int) -> None:
    lack = desk.lack
    if variant.decision is not Decision.OPEN:
        st.button(
            "Reopen",
            icon=":material/undo:",
            key=f"variants_reopen_{variant.seq}",
            disabled=bool(lack),
            help=lack,
            on_click=desk.decide,
            args=([variant], Decision.OPEN),
        )
        return
    for words, decision, shortcut in (
        ("Accept", Decision.ACCEPTED, f"{slot + 1}"),
        ("Reject", Decision.REJECTED, f"Shift+{slot + 1}"),
    ):
        st.button(
            words,
            key=f"variants_{words}_{variant.seq}",
            shortcut=shortcut,
            disabled=bool(lack),
            help=lack,
            on_click=desk.decide,
            args=([variant], decision),
        )


def _offer_rewriting(desk: Desk, record: Record, slot: int) -> None:
    present = record.variants.get(slot)
    name = present.seq if present else f"{record.instance.id}_{slot}"
    lack = roles.lacks(writing.needed_role())
    if st.button(
        f"Have it written by {plain(writing.writer_name())}",
        icon=":material/autorenew:",
        key=f"variants_regenerate_{name}",
        disabled=bool(lack),
        help=lack
        or "The writer is chosen at the top of the page. The current text stays in the history.",
    ):
        with st.spinner("Writing…"):
            _rewrite(desk, record, slot)


def _rewrite(desk: Desk, record: Record, slot: int) -> None:
    try:
        roles.require(writing.needed_role())
        shortfall = asyncio.run(
            reword.reword_slot(
                desk.store,
                desk.sample.id,
                record.instance,
                slot,
                writing.writer(),
                seen=record.variants.get(slot),
                protocol=writing.protocol(),
                author=desk.author,
            )
        )
    except DcqError as error:
        shortfall = str(error)
    if shortfall:
        notice.error(shortfall)
    else:
        st.rerun()


def _earlier_text(history: pd.DataFrame, slot: int) -> str | None:
    written = history[(history["slot"] == slot) & (history["what"] == "written")]
    return str(written.iloc[1]["text"]) if len(written) > 1 else None


def _show_history(history: pd.DataFrame) -> None:
    again = history["undone_by"] != ""
    said = history["what"].replace("open", "reopened")
    listed = history.assign(
        variant=history["slot"].map(slot_letter),
        what=said.where(~again, said + ", restored by " + history["undone_by"]),
    )
    st.dataframe(
        listed[["made_at", "variant", "what", "who", "origin", "prompt", "text"]],
        hide_index=True,
        key="variants_history",
        alt="What happened to the variants of this instance, newest first.",
        column_config={
            "made_at": st.column_config.DatetimeColumn("When (UTC)", format="D MMM YYYY, HH:mm:ss"),
            "variant": "Variant",
            "what": "What",
            "who": "Who",
            "origin": "Written by",
            "prompt": "Prompt",
            "text": st.column_config.TextColumn("Text", width="large"),
        },
    )


def _say_origin(variant: StoredVariant) -> str:
    who = f" {variant.author}" if variant.author else ""
    words = {
        "offline": "offline generator (weaker)",
        "offline-character": "offline generator (letters)",
        "offline-order": "offline generator (word order)",
        "bundled": "came with the data",
        "person": f"edited by{who}" if who else "edited by hand",
    }.get(variant.origin)
    if words is None:
        kind, _, name = variant.origin.partition(":")
        words = f"imported from {name}" if kind == "imported" else f"{kind} {name}"
    asked = f", prompt {variant.prompt}" if variant.prompt else ""
    decided = f", {variant.decision} by {variant.reviewer}" if variant.reviewer else ""
    return plain(f"{words}{asked}{decided}")


def _say_finding(finding: Finding) -> str:
    if finding.severity is Severity.ERROR:
        return f":orange[:material/error:] **Error.** {plain(finding.sentence)}"
    return f":yellow[:material/warning:] Note. {plain(finding.sentence)}"
