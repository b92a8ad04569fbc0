"""The guidelines for curating a sample, beside the record."""

from __future__ import annotations

import streamlit as st

from dcq.errors import ChangedError, DcqError
from dcq.store import reviews
from dcq.store.reviews import Guidelines
from dcq.ui import notice, roles
from dcq.ui.text import plain
from dcq.ui.variants.curator import Curator
from dcq.variants.guidelines import DEFAULT, MOST, read_guidelines

PANEL = "variants_guidelines"
_EDITING, _TEXT = "variants_guidelines_editing", "variants_guidelines_text"
_DRAFT = ("guidelines", 0)  # the place of its draft, where an instance and its slot would stand
_CHANGING = "Changing the guidelines"


def show(desk: Curator) -> None:
    """An expander with the guidelines, which stays open from record to record; whoever is in charge
    can edit them in it."""
    panel = st.expander("Guidelines", icon=":material/menu_book:", key=PANEL, on_change="rerun")
    if not panel.open:
        return
    with panel:
        present = reviews.newest(desk.store, desk.sample.id)
        draft = reviews.of(desk.store, desk.sample.id, _DRAFT[0], desk.drafter).get(_DRAFT[1])
        reason = _why_not(desk)
        if not reason and (draft is not None or st.session_state.get(_EDITING)):
            _edit(desk, present, draft)
            return
        st.markdown(f":small[{plain(present.text if present else DEFAULT)}]")
        st.caption(plain(_say_source(present)))
        st.button(
            "Edit the guidelines",
            icon=":material/edit:",
            key="variants_guidelines_edit",
            disabled=bool(reason),
            help=reason,
            on_click=st.session_state.__setitem__,
            args=(_EDITING, True),
        )


def _why_not(desk: Curator) -> str | None:
    return roles.why_not(roles.UserRole.RUNNER, _CHANGING) or desk.why_not


def _say_source(present: Guidelines | None) -> str:
    if present is None:
        return "dcq's own, while nobody has written others for this sample."
    return f"By {present.author}, {present.at:%-d %B %Y, %H:%M} UTC."


def _edit(desk: Curator, present: Guidelines | None, draft: str | None) -> None:
    st.text_area(
        "Guidelines for this sample",
        draft if draft is not None else (present.text if present else DEFAULT),
        key=_TEXT,
        height=320,
        max_chars=MOST,
        on_change=_keep,
        args=(desk,),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Save the guidelines",
            type="primary",
            key="variants_guidelines_save",
            on_click=_save,
            args=(desk, present),
        )
        st.button("Discard", key="variants_guidelines_discard", on_click=_close, args=(desk,))
        if draft is not None:
            st.caption(":material/cloud_done: Draft saved.")
    if present and draft is not None:
        st.markdown(f"**At present:**\\\n{plain(present.text)}")
        st.caption(plain(_say_source(present)))


def _keep(desk: Curator) -> None:
    if not _refuses(desk):
        place = (desk.sample.id, *_DRAFT, desk.drafter)
        reviews.keep(desk.store, *place, st.session_state[_TEXT])


def _save(desk: Curator, seen_guidelines: Guidelines | None) -> None:
    if _refuses(desk):
        return
    try:
        text = read_guidelines(st.session_state[_TEXT])
        reviews.write(desk.store, desk.sample.id, text, desk.author, seen_guidelines)
    except ChangedError as error:
        _keep(desk)
        desk.notify(f"{error} Your text is saved as a draft.")
        return
    except DcqError as error:
        notice.toast(error, icon=":material/error:", duration="long")
        return
    _close(desk)
    notice.toast("The guidelines are saved.", icon=":material/check:")


def _close(desk: Curator) -> None:
    reviews.drop(desk.store, desk.sample.id, *_DRAFT, desk.drafter)
    st.session_state[_EDITING] = False
    st.session_state.pop(_TEXT, None)


def _refuses(desk: Curator) -> bool:
    reason = roles.why_not(roles.UserRole.RUNNER, _CHANGING)
    if reason:
        notice.toast(reason, icon=":material/lock:", duration="long")
    return bool(reason) or desk.refuses()
