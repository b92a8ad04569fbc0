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


def show(curator: Curator) -> None:
    """An expander with the guidelines, which stays open from record to record; users with the role
    for it can edit them there."""
    panel = st.expander("Guidelines", icon=":material/menu_book:", key=PANEL, on_change="rerun")
    if not panel.open:
        return
    with panel:
        present = reviews.newest(curator.store, curator.sample.id)
        draft = reviews.of(curator.store, curator.sample.id, _DRAFT[0], curator.drafter).get(
            _DRAFT[1]
        )
        reason = _why_not(curator)
        if not reason and (draft is not None or st.session_state.get(_EDITING)):
            _edit(curator, present, draft)
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


def _why_not(curator: Curator) -> str | None:
    return roles.why_not(roles.UserRole.RUNNER, _CHANGING) or curator.why_not


def _say_source(present: Guidelines | None) -> str:
    if present is None:
        return "dcq's own, while nobody has written others for this sample."
    return f"By {present.author}, {present.at:%-d %B %Y, %H:%M} UTC."


def _edit(curator: Curator, present: Guidelines | None, draft: str | None) -> None:
    st.text_area(
        "Guidelines for this sample",
        draft if draft is not None else (present.text if present else DEFAULT),
        key=_TEXT,
        height=320,
        max_chars=MOST,
        on_change=notice.told(_keep),
        args=(curator,),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Save the guidelines",
            type="primary",
            key="variants_guidelines_save",
            on_click=notice.told(_save),
            args=(curator, present),
        )
        st.button(
            "Discard",
            key="variants_guidelines_discard",
            on_click=notice.told(_close),
            args=(curator,),
        )
        if draft is not None:
            st.caption(":material/cloud_done: Draft saved.")
    if present and draft is not None:
        st.markdown(f"**At present:**\\\n{plain(present.text)}")
        st.caption(plain(_say_source(present)))


def _keep(curator: Curator) -> None:
    if not _refuses(curator):
        place = (curator.sample.id, *_DRAFT, curator.drafter)
        reviews.keep(curator.store, *place, st.session_state[_TEXT])


def _save(curator: Curator, seen_guidelines: Guidelines | None) -> None:
    if _refuses(curator):
        return
    try:
        text = read_guidelines(st.session_state[_TEXT])
        reviews.write(curator.store, curator.sample.id, text, curator.author, seen_guidelines)
    except ChangedError as error:
        _keep(curator)
        curator.notify(f"{error} Your text is kept as a draft.")
        return
    except DcqError as error:
        notice.toast(error, icon=":material/error:", duration="long")
        return
    _close(curator)
    notice.toast("The guidelines are saved.", icon=":material/check:")


def _close(curator: Curator) -> None:
    reviews.drop(curator.store, curator.sample.id, *_DRAFT, curator.drafter)
    st.session_state[_EDITING] = False
    st.session_state.pop(_TEXT, None)


def _refuses(curator: Curator) -> bool:
    reason = roles.why_not(roles.UserRole.RUNNER, _CHANGING)
    if reason:
        notice.toast(reason, icon=":material/lock:", duration="long")
    return bool(reason) or curator.refuses()
