"""Editing a variant: typed text is saved as the user's own draft until they save it for good; a
line names records with drafts, and synonyms are offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from dcq.errors import ChangedError, DcqError, InputError
from dcq.records import fingerprint, slot_letter
from dcq.store import reviews
from dcq.ui import browser, notice, page, roles
from dcq.ui.text import alignment, plain
from dcq.ui.variants import queue
from dcq.ui.variants.curator import Curator, return_to
from dcq.variants import curation
from dcq.variants.curation import Queue, Record
from dcq.variants.word_choice import Word, substitute, words_with_synonyms


@page.fragment
def show(curator: Curator, record: Record, slot: int, typed: str | None) -> None:
    """A box to edit the text of a slot; it shows ``typed`` instead if there is a draft."""
    roles.leave_if_gone()
    present = record.variants.get(slot)
    text = present.text if present else record.instance.text
    key = box(record, slot)
    if st.session_state.setdefault(f"{key}_by", curator.drafter) != curator.drafter:
        st.session_state.pop(key, None)  # what another user typed in this tab is theirs
        st.session_state.pop(f"{key}_other", None)
        st.session_state[f"{key}_by"] = curator.drafter
    if key not in st.session_state:
        st.session_state[f"{key}_draft"] = typed
    with st.container(gap=None):
        st.text_area(
            f"Text of variant {slot_letter(slot)}",
            text if typed is None else typed,
            key=key,
            height="content",
            on_change=notice.told(_keep_typed),
            args=(curator, record, slot),
        )
        right = alignment(st.session_state[key]) == "right"
        heard = browser.hear_typing(key, commit="s", direction="rtl" if right else "ltr")
        browser.take_focus(key)
    if heard is not None:
        _keep(curator, record, slot, heard)
    waiting = slot in reviews.of(
        curator.store, curator.sample.id, record.instance.id, curator.drafter
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Save and check",
            type="primary" if waiting else "secondary",
            icon=":material/save:",
            key=f"{key}_save",
            shortcut="Ctrl+S",
            on_click=notice.told(_save_typed),
            args=(curator, record, slot),
        ):
            st.rerun()  # the whole page: its counts may have changed
        show_synonyms(
            st.session_state[key],
            protected=record.instance.protected,
            language=curator.sample.partition.language,
            key=key,
            on_choice=lambda chosen: _put(curator, record, slot, chosen),
        )
        if waiting:
            if typed is None:  # else the button is beside the mark of the draft
                discard_button(curator, record, slot)
            st.caption(
                ":material/cloud_done: Draft saved. It becomes the variant when you save it."
            )
        else:
            st.caption("Esc leaves the box.")
    _show_other(curator, record, slot)


def _show_other(curator: Curator, record: Record, slot: int) -> None:
    """The draft of another tab that this tab's replaced, until the user decides."""
    key = box(record, slot)
    other = st.session_state.get(f"{key}_other")
    if other is None:
        return
    notice.warning(
        "You typed another draft of this rewording in another tab. The newer one is kept. "
        f"The other was: “{other}”",
        icon=":material/tab_group:",
    )

    def decide(*, use: bool) -> None:
        st.session_state.pop(f"{key}_other", None)
        if use:
            _put(curator, record, slot, other)

    with st.container(horizontal=True):
        st.button(
            "Use the other draft",
            key=f"{key}_use_other",
            on_click=notice.told(decide),
            kwargs={"use": True},
        )
        st.button(
            "Keep this one",
            key=f"{key}_keep_this",
            on_click=notice.told(decide),
            kwargs={"use": False},
        )


def save(curator: Curator, record: Record, slot: int, text: str) -> None:
    """Make ``text`` the variant of a slot and drop the draft, unless another user changed it."""
    if curator.refuses():
        return
    if reason := curator.pairing.why_not(record.variants.get(slot)):
        notice.toast(reason, icon=":material/lock:", duration="long")
        return
    try:
        changed = curation.edit(curator.store, curator.sample, record, slot, text, curator.author)
    except ChangedError as error:
        _keep(curator, record, slot, text)
        curator.notify(f"Instance {record.number}: {error} Your text is kept as a draft.")
        return
    except DcqError as error:
        notice.toast(error, icon=":material/error:", duration="long")
        return
    reviews.drop(curator.store, curator.sample.id, record.instance.id, slot, curator.drafter)
    words = "saved and checked" if changed else "is unchanged"
    notice.toast(f"Variant {slot_letter(slot)} {words}.", icon=":material/check:")


def discard_button(
    curator: Curator,
    record: Record,
    slot: int,
    kind: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """The button that deletes the user's draft of a slot."""
    st.button(
        "Discard",
        type=kind,
        key=f"{box(record, slot)}_discard",
        on_click=notice.told(_discard),
        args=(curator, record, slot),
    )


def box(record: Record, slot: int) -> str:
    """The key of the box in which a slot is edited; a new text has another."""
    present = record.variants.get(slot)
    return f"variants_text_{present.seq if present else f'{record.instance.id}_{slot}'}"


def _save_typed(curator: Curator, record: Record, slot: int) -> None:
    save(curator, record, slot, st.session_state[box(record, slot)])


def _keep_typed(curator: Curator, record: Record, slot: int) -> None:
    _keep(curator, record, slot, st.session_state[box(record, slot)])


def _keep(curator: Curator, record: Record, slot: int, text: str) -> None:
    """Save a draft, or delete it if its text equals the variant's. Of a draft that another tab has
    saved since this one was drawn, the text stays in sight."""
    if curator.refuses():
        return
    present = record.variants.get(slot)
    place = (curator.sample.id, record.instance.id, slot, curator.drafter)
    key = box(record, slot)
    if text == (present.text if present else record.instance.text):
        reviews.drop(curator.store, *place)
        st.session_state[f"{key}_draft"] = None
        return
    replaced = reviews.keep(curator.store, *place, text)
    if replaced not in {None, text, st.session_state.get(f"{key}_draft")}:
        st.session_state[f"{key}_other"] = replaced
    st.session_state[f"{key}_draft"] = text


def _put(curator: Curator, record: Record, slot: int, text: str) -> None:
    st.session_state[box(record, slot)] = text
    _keep(curator, record, slot, text)


def _discard(curator: Curator, record: Record, slot: int) -> None:
    reviews.drop(curator.store, curator.sample.id, record.instance.id, slot, curator.drafter)
    present = record.variants.get(slot)
    st.session_state[box(record, slot)] = present.text if present else record.instance.text


MOST = 5  # records that are named


def show_unsaved(curator: Curator, records: Sequence[Record], but: Record | None) -> None:
    """A line that leads to the records with drafts, except the open record ``but``; nothing where
    there are none."""
    if not curator.drafts:
        return
    names = curator.drafts.keys() - ({but.instance.id} if but else set())
    held = [record for record in records if record.instance.id in names]
    if not held:
        return
    more = f" and {len(held) - MOST:,} more" if len(held) > MOST else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(":orange-badge[:material/edit_note: Your drafts, not saved]", width="content")
        for record in held[:MOST]:
            st.button(
                f"Instance {record.number:,}",
                type="tertiary",
                key=f"variants_draft_{record.instance.id}",
                on_click=notice.told(_open),
                args=(record.instance.id,),
            )
        if more:
            notice.caption(more)


def _open(instance_id: str) -> None:
    queue.show_list(Queue.ALL)
    return_to(instance_id)


def show_synonyms(
    text: str,
    *,
    protected: Sequence[str],
    language: str,
    key: str,
    on_choice: Callable[[str], None],
) -> None:
    """A popover that looks for synonyms once it is opened. ``on_choice`` is called with the text in
    which the chosen synonym replaces its word everywhere."""
    panel = st.popover(
        "Synonyms", icon=":material/dictionary:", key=f"{key}_synonyms", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        try:
            with st.spinner("Looking for synonyms…"):
                words = _find(text, tuple(protected), language)
        except InputError as error:
            notice.caption(error)
            return
        if not words:
            st.caption("No word of this text has a synonym that fits here.")
            return
        at = st.selectbox(
            "Word",
            range(len(words)),
            format_func=lambda at: _name(words[at]),
            key=f"{key}_word",
        )
        # Another text is another choice: a synonym chosen does not stay chosen.
        pills = f"{key}_{fingerprint(text, str(at))}"

        def replace_it() -> None:
            _choose(text, words[at], st.session_state[pills], on_choice)

        st.pills(
            "Replace it by",
            range(len(words[at].synonyms)),
            format_func=lambda number: plain(words[at].synonyms[number]),
            key=pills,
            on_change=notice.told(replace_it),
        )
        st.caption(
            "From WordNet and dcq's own list, where the sentence keeps its meaning. The text "
            "becomes your draft; save it to have it checked."
        )


@st.cache_data(max_entries=64, show_spinner=False)
def _find(text: str, protected: tuple[str, ...], language: str) -> list[Word]:
    return words_with_synonyms(text, protected=protected, language=language)


def _name(word: Word) -> str:
    return word.word if word.places == 1 else f"{word.word} ({word.places} times)"


def _choose(text: str, word: Word, number: int | None, on_choice: Callable[[str], None]) -> None:
    if number is not None:
        on_choice(substitute(text, word, number))
