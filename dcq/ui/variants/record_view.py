"""One instance under review: its original beside its variants, with their bars, buttons and
history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from dcq.quiz import option_measures
from dcq.quiz.build import SLOTS
from dcq.quiz.option_measures import OptionMeasures
from dcq.records import slot_letter
from dcq.store import variants
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import browser, notice, pictures
from dcq.ui.diff import mark_changes, say_findings
from dcq.ui.pictures import Bar
from dcq.ui.text import alignment, cut, plain
from dcq.ui.variants import editor, flagging, guidelines, rewriting
from dcq.ui.variants.curator import Curator, add_to_history, explain_pairing, show_opinions
from dcq.variants.curation import Record

SMALL = 300  # characters, above which the texts are set in small type to be in sight together
LONG, LONG_HEIGHT = 700, 600  # characters, pixels: longer ones scroll, each in its own pane

_STATUS = {
    Decision.ACCEPTED: ("accepted", ":material/check:"),
    Decision.REJECTED: ("rejected", ":material/block:"),
    Decision.OPEN: ("open", ":material/radio_button_unchecked:"),
}
_SHORTCUTS = {
    Decision.ACCEPTED: "1234",
    Decision.REJECTED: ("Shift+1", "Shift+2", "Shift+3", "Shift+4"),
}
_EDIT_SHORTCUTS = "5678"
_REOPEN_SHORTCUTS = ("Shift+5", "Shift+6", "Shift+7", "Shift+8")


def show(curator: Curator, record: Record) -> None:
    """The original on the left, its variants on the right, their history below."""
    typed = curator.drafts.get(record.instance.id, {})
    longest = max(map(len, [record.instance.text, *record.other_texts(-1)]))
    left, right = st.columns([3, 7], gap="small")
    # A long original stays visible while its variants are scrolled.
    height: Literal["content"] | int = LONG_HEIGHT if longest > LONG else "content"
    small = longest > SMALL
    with left, st.container(height=height, border=False, gap="xsmall", key="variants_original"):
        _write_original(record, small=small)
        explain_pairing(curator, record)
        texts = {slot: variant.text for slot, variant in record.variants.items()}
        show_option_bars(option_measures.measure_options(record.instance.text, texts))
        guidelines.show(curator)
    with right, st.container(height=height, border=False, gap="xsmall", key="variants_options"):
        for slot in range(SLOTS):
            with st.container(gap="xxsmall", key=f"variants_block_{slot}"):
                _block(curator, record, slot, typed.get(slot), small=small)
    show_history(curator, record)


def _block(curator: Curator, record: Record, slot: int, typed: str | None, *, small: bool) -> None:
    variant = record.variants.get(slot)
    opened = _opened(record, slot)
    if typed is not None:
        st.session_state.setdefault(opened, True)
    # A draft opens its box by itself, once there is a name.
    editing = not curator.why_not_change(variant) and bool(st.session_state.get(opened))
    draft = "" if typed is None else " :orange-badge[:material/edit_note: draft, not saved]"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        words, icon = _STATUS[variant.decision] if variant else ("missing", ":material/pending:")
        if variant:
            words, icon = curator.pairing.state(variant) or (words, icon)
        suffix = f" :small[:gray[{_say_origin(variant)}]]" if variant else ""
        badge = f":gray-badge[{icon} {plain(words)}]"
        st.markdown(f"**{slot_letter(slot)}** {badge}{draft}{suffix}", width="stretch")
        if variant:
            _decision_buttons(curator, variant, slot)
        if draft and not curator.why_not_change(variant):
            editor.discard_button(curator, record, slot, "tertiary")
        st.button(
            ("Close" if editing else "Edit") if variant else "Write",
            type="tertiary",
            key=f"variants_edit_{slot}",
            shortcut=_EDIT_SHORTCUTS[slot],
            disabled=bool(curator.why_not_change(variant)),
            help=curator.why_not_change(variant),
            on_click=notice.told(_open),
            args=(opened, not editing, editor.box(record, slot)),
        )
    if variant:
        marked = mark_changes(
            record.instance.text,
            variant.text,
            variant.findings,
            protected=record.instance.protected,
            language=curator.sample.partition.language,
        )
        lines = [flagging.describe(variant), say_findings(variant.findings)]
        suffix = "".join(f"\\\n{line}" for line in lines if line)
        _write(marked, variant.text, small=small, after=suffix)
        show_opinions(curator, variant)
    if editing:
        editor.show(curator, record, slot, typed)
        name = str(variant.seq) if variant else f"{record.instance.id}_{slot}"
        rewriting.offer(curator, record, [slot], name=name)


def _write_original(record: Record, *, small: bool) -> None:
    st.markdown(":blue-badge[:material/bookmark: original]")
    text = record.instance.text
    suffix = ""
    if record.instance.protected:
        protected = ", ".join(f"“{cut(part)}”" for part in record.instance.protected)
        suffix = f"\\\n:small[:gray[Must not change: {plain(protected)}]]"
    _write(plain(text), text, small=small, after=suffix)


def _write(markdown: str, text: str, *, small: bool, after: str = "") -> None:
    """A text, and what is said of it, as one element: each costs the browser milliseconds."""
    body = f":small[{markdown}]" if small else markdown
    st.markdown(body + after, text_alignment=alignment(text))


def _opened(record: Record, slot: int) -> str:
    """Where the session notes whether the box of a slot is open; a new text closes it."""
    present = record.variants.get(slot)
    return f"variants_opened_{present.seq if present else f'{record.instance.id}_{slot}'}"


def _open(opened: str, is_open: bool, box: str) -> None:
    st.session_state[opened] = is_open
    if is_open:
        browser.ask_focus(box)


def _decision_buttons(curator: Curator, variant: StoredVariant, slot: int) -> None:
    reason = curator.why_not_change(variant)
    if variant.decision is not Decision.OPEN or curator.pairing.mine(variant):
        st.button(
            "Take back" if variant.decision is Decision.OPEN else "Reopen",
            type="tertiary",
            key=f"variants_reopen_{variant.seq}",
            shortcut=_REOPEN_SHORTCUTS[slot],
            disabled=bool(reason),
            help=reason,
            on_click=notice.told(curator.decide),
            args=([variant], Decision.OPEN),
        )
        return
    for words, decision in (("Accept", Decision.ACCEPTED), ("Reject", Decision.REJECTED)):
        st.button(
            words,
            type="tertiary",
            key=f"variants_{words}_{variant.seq}",
            shortcut=_SHORTCUTS[decision][slot],
            disabled=bool(reason),
            help=reason,
            on_click=notice.told(curator.decide),
            args=([variant], decision),
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
    if variant.instruction:
        asked += f" “{cut(variant.instruction, 60)}”"
    decided = f", {variant.decision} by {variant.reviewer}" if variant.reviewer else ""
    return plain(f"{words}{asked}{decided}")


def show_option_bars(standings: Sequence[OptionMeasures]) -> None:
    """A line of bars for each option, the original first, and how the original stands out in
    words."""
    longest = max(option.length for option in standings)
    descriptions = [
        f"{option.name}: {option.length:,} characters"
        + ("" if option.centrality is None else f", likeness {option.centrality:.2f}")
        for option in standings
    ]
    pictures.bar_columns(
        ("length", "likeness"),
        [
            Bar(
                option.name,
                option.name == option_measures.ORIGINAL,
                (
                    (option.length / longest, f"{option.length:,}"),
                    None
                    if option.centrality is None
                    else (option.centrality, f"{option.centrality:.2f}"),
                ),
            )
            for option in standings
        ],
        words=f"Length and likeness. {'; '.join(descriptions)}.",
        key="variants_bars",
    )
    apart = option_measures.what_stands_out(list(standings))
    difference = " and ".join(apart)
    st.caption(
        f":material/visibility: The original is {difference}: it can be told without memory."
        if apart
        else "By length and likeness the original does not stand out.",
    )


def show_history(curator: Curator, record: Record) -> None:
    """An expander that reads the history once it is opened; earlier texts can be restored in it."""
    panel = st.expander(
        "History", icon=":material/history:", key="variants_past", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        frame = variants.history(curator.store, curator.sample.id, record.instance.id)
        frame = add_to_history(curator, record, frame)
        if frame.empty:
            st.caption("No variant was written yet.")
            return
        _list(frame)
        with st.container(horizontal=True):
            for slot, variant in sorted(record.variants.items()):
                earlier = _earlier_text(frame, slot)
                if earlier is not None:
                    st.button(
                        f"{slot_letter(slot)}: back to the previous text",
                        icon=":material/undo:",
                        key=f"variants_back_{variant.seq}",
                        disabled=bool(curator.why_not_change(variant)),
                        help=curator.why_not_change(variant),
                        on_click=notice.told(editor.save),
                        args=(curator, record, slot, earlier),
                    )


def _earlier_text(frame: pd.DataFrame, slot: int) -> str | None:
    written = frame[(frame["slot"] == slot) & (frame["what"] == "written")]
    return str(written.iloc[1]["text"]) if len(written) > 1 else None


def _list(frame: pd.DataFrame) -> None:
    again = frame["undone_by"] != ""
    actions = frame["what"].replace({"open": "reopened"})
    history = frame.assign(
        variant=frame["slot"].map(slot_letter),
        what=actions.where(~again, actions + ", restored by " + frame["undone_by"]),
    )
    st.dataframe(
        history[["made_at", "variant", "what", "who", "origin", "prompt", "note", "text"]],
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
            "note": "Note or instruction",
            "text": st.column_config.TextColumn("Text", width="large"),
        },
    )
