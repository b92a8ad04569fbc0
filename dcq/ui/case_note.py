"""The note on a case: what people want to remember of it, with who wrote it and when."""

from __future__ import annotations

import streamlit as st

from dcq.errors import ChangedError, DcqError
from dcq.judging.answer import Answer
from dcq.store import Store, notes, reviews
from dcq.store.notes import LONGEST, CaseNote
from dcq.ui import notice, roles
from dcq.ui.text import plain

_EDITING, _TROUBLE = "case_note_editing", "case_note_trouble"
_DRAFT = 0  # the place of its draft, where the slot of a rewording would stand


def show(store: Store, answer: Answer) -> None:
    """The note with its history, or the way to write one. What is typed is kept as a draft."""
    past = notes.history(store, answer.pair)
    newest = next(iter(past), None)
    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.warning(sentence, icon=":material/group:")
    reason = roles.why_not(roles.UserRole.ANNOTATOR)
    draft = None if reason else _draft(store, answer)
    if not reason and (draft is not None or st.session_state.get(_EDITING) == answer.id):
        _edit(store, answer, newest, draft)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if newest is not None and newest.text:
            st.markdown(f":material/sticky_note_2: {plain(newest.text)}", width="stretch")
        st.button(
            "Edit the note" if newest is not None and newest.text else "Write a note",
            icon=":material/edit_note:",
            type="tertiary",
            key="case_note_edit",
            disabled=bool(reason),
            help=reason,
            on_click=st.session_state.__setitem__,
            args=(_EDITING, answer.id),
        )
        if newest is not None:
            missing = reason or (None if roles.known_author() else roles.NEEDED)
            st.button(
                "Undo",
                icon=":material/undo:",
                type="tertiary",
                key="case_note_undo",
                disabled=bool(missing),
                help=missing or "Put back what stood there before.",
                on_click=notice.told(_undo),
                args=(store, answer, past),
            )
    if newest is not None:
        _show_history(past)


def _show_history(past: list[CaseNote]) -> None:
    notice.caption(_who(past[0]))
    if past[1:]:
        with st.expander(f"{len(past) - 1:,} earlier"):
            for note in past[1:]:
                st.markdown(plain(note.text) or ":gray[removed]")
                notice.caption(_who(note))


def _who(note: CaseNote) -> str:
    removed = "" if note.text else "Removed. "
    return f"{removed}{note.author or 'Somebody'}, {note.at:%-d %b %Y, %H:%M} UTC"


def _edit(store: Store, answer: Answer, newest: CaseNote | None, draft: str | None) -> None:
    st.text_area(
        "Note on this case",
        draft if draft is not None else (newest.text if newest else ""),
        key=_box(answer),
        max_chars=LONGEST,
        on_change=notice.told(_keep),
        args=(store, answer),
        help="It stays in this store. Bundles and reports leave it out.",
    )
    author = roles.ask_author()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Save the note",
            type="primary",
            key="case_note_save",
            disabled=not author,
            help=None if author else roles.NEEDED,
            on_click=notice.told(_save),
            args=(store, answer, newest),
        )
        st.button(
            "Discard", key="case_note_discard", on_click=notice.told(_close), args=(store, answer)
        )
        if draft is not None:
            st.caption(":material/cloud_done: Draft kept.")
    if newest is not None and newest.text and draft is not None:
        notice.caption(f"At present: {newest.text} ({_who(newest)})")


def _box(answer: Answer) -> str:
    """The key of the box: what is typed about one case is never another's."""
    return f"case_note_text_{answer.id}"


def _place(answer: Answer) -> tuple[str, str, int, str]:
    """Where the user's draft is; the last part is empty while nobody knows who they are."""
    who = roles.identity() or roles.known_author()
    return answer.sample, f"note {answer.id}", _DRAFT, who


def _draft(store: Store, answer: Answer) -> str | None:
    sample, name, slot, who = _place(answer)
    return reviews.of(store, sample, name, who).get(slot) if who else None


def _keep(store: Store, answer: Answer) -> None:
    """Keep what is typed. Without a name it stays in the tab, or it would be everybody's draft."""
    roles.require(roles.UserRole.ANNOTATOR)
    place = _place(answer)
    if place[-1]:
        reviews.keep(store, *place, st.session_state[_box(answer)])


def _save(store: Store, answer: Answer, seen: CaseNote | None) -> None:
    roles.require(roles.UserRole.ANNOTATOR)
    try:
        notes.write(store, answer.pair, st.session_state[_box(answer)], roles.known_author(), seen)
    except ChangedError as error:
        _keep(store, answer)
        st.session_state[_TROUBLE] = f"{error} Your text is kept as a draft."
        return
    except DcqError as error:
        notice.toast(error, icon=":material/error:", duration="long")
        return
    _close(store, answer)
    notice.toast("The note is saved.", icon=":material/check:")


def _close(store: Store, answer: Answer) -> None:
    reviews.drop(store, *_place(answer))
    st.session_state[_EDITING] = ""
    st.session_state.pop(_box(answer), None)


def _undo(store: Store, answer: Answer, past: list[CaseNote]) -> None:
    roles.require(roles.UserRole.ANNOTATOR)
    before = past[1].text if len(past) > 1 else ""
    notes.write(store, answer.pair, before, roles.known_author(), past[0])
