"""Taking a file: it is kept beside the store, so that a link and a reload find it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.errors import InputError
from dcq.partitions import uploads
from dcq.store import Store
from dcq.ui import notice, roles

MOST_MEGABYTES = 200


def folder(store: Store) -> Path:
    """Where uploads lie."""
    return store.path.parent / "uploads"


def ask(
    store: Store,
    label: str,
    *,
    key: str,
    part: str = "",
    kinds: Sequence[str] = uploads.SUFFIXES,
    where: DeltaGenerator | None = None,
) -> Path | None:
    """The field, and the file that was just given to it, kept in a ``part`` of the uploads; None
    where there is none, where it was taken before, or where it cannot be kept (which it says)."""
    lack = roles.lacks(roles.Role.ANNOTATOR)
    given = (where or st).file_uploader(
        label,
        type=list(kinds),
        key=f"{key}_upload",
        max_upload_size=MOST_MEGABYTES,
        disabled=bool(lack),
        help=lack,
    )
    if given is None or st.session_state.get(f"{key}_kept") == given.file_id:
        return None
    try:
        roles.require(roles.Role.ANNOTATOR)
        saved = uploads.keep(
            folder(store),
            given.name,
            given.getvalue(),
            part=part,
            owner=roles.uploader(),
            kinds=kinds,
        )
    except InputError as error:
        notice.error(error)
        return None
    st.session_state[f"{key}_kept"] = given.file_id
    return saved
