"""Backup and restore of the whole store, on the page Settings."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from dcq.jobs.restore import restore, say_whose
from dcq.store import Store, copies
from dcq.ui import action, downloads, notice, roles
from dcq.ui.downloads import MOST_MEGABYTES

_DONE = "settings_restored"  # where the store lies that was there before, once one was restored
_NEEDED = "Copying and restoring the whole store"


def show(store: Store) -> None:
    """The section: a copy to download, and a copy to put in the store's place."""
    st.subheader("Backup", anchor=False)
    st.caption(
        "A copy of everything in the store, drafts and names of people included; it can be taken "
        "while runs go on. Keys, uploads and own prices are not in it."
    )
    reason = roles.why_not(roles.UserRole.RUNNER, _NEEDED)
    _offer(store, reason)
    with st.expander("Restore a copy"):
        _restore(store, reason)


def _offer(store: Store, reason: str | None) -> None:
    icon, label = ":material/save:", "Download a copy"
    if store.path.exists() and store.path.stat().st_size > MOST_MEGABYTES * 1_000_000:
        st.markdown(
            f"The store has more than {MOST_MEGABYTES} MB; copy it on its own machine with "
            "`python -m dcq backup FILE`."
        )
    elif reason:  # without the file behind it, so that nobody can fetch it all the same
        st.button(label, icon=icon, key="settings_no_copy", disabled=True, help=reason)
    else:
        downloads.offer_file(
            label,
            lambda: _content(store),
            "dcq-backup.duckdb",
            "application/octet-stream",
            key="settings_copy",
            needed=roles.UserRole.RUNNER,
            icon=icon,
        )


def _content(store: Store) -> bytes:
    with tempfile.TemporaryDirectory(prefix="dcq-copy-") as folder:
        path = Path(folder) / "dcq-backup.duckdb"
        copies.take(store, path)
        return path.read_bytes()


def _restore(store: Store, reason: str | None) -> None:
    if (backup_name := st.session_state.pop(_DONE, None)) is not None:
        notice.success(
            f"Restored.{backup_name and f' The store from before lies beside it as {backup_name}.'}"
        )
        if whose := say_whose(store):
            notice.caption(whose)
    upload = st.file_uploader(
        "A file that *Download a copy* or `backup` made",
        type=["duckdb"],
        key="settings_restore_upload",
        max_upload_size=MOST_MEGABYTES,
        disabled=bool(reason),
        help=reason,
    )
    st.caption(
        "It takes the place of the store for everyone who uses this app; the one that is here is "
        "kept beside it. Not while a run is in progress. A file with values that no store has is "
        "refused. Runs that were not asked from this store stand beside your own, and count "
        "only once you take them in. What people said is taken as it is, so restore only what you "
        "or people you trust have made."
    )

    mine = st.checkbox(
        "It is a copy of my own store, made on another machine",
        key="settings_restore_mine",
        disabled=bool(reason),
    )

    def replace() -> None:
        if upload is None:
            return
        with (
            st.spinner("Reading the copy…"),
            tempfile.TemporaryDirectory(prefix="dcq-upload-") as folder,
        ):
            file = Path(folder) / "upload.duckdb"  # no name of a stranger's becomes a path
            file.write_bytes(upload.getvalue())
            done = restore(store, file, mine=mine)
        st.session_state[_DONE] = done.name if done else ""
        st.cache_resource.clear()  # verdicts of the store that was there
        st.cache_data.clear()

    if st.button(
        "Replace the store by this copy",
        icon=":material/settings_backup_restore:",
        key="settings_restore",
        disabled=bool(reason) or upload is None,
        help=reason or (None if upload else "Choose the file first."),
    ) and action.attempt(replace):
        st.rerun()
