"""Importing the bundle of a study: the file, and whether its verdicts hold."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dcq.partitions import uploads
from dcq.store import Store
from dcq.ui import action, notice, page, upload

_PART = "bundles"  # of the uploads
_KINDS = ("zip",)
_DONE = "bundle_imported"


def show(store: Store) -> None:
    """The panel, from the upload to what came of the bundle."""
    path = _choose_file(store)
    if path is None:
        return
    if action.pressed(
        "Import and check", kind="primary", icon=":material/fact_check:", key="bundle_import"
    ) and not action.attempt(lambda: _import(store, path)):
        return
    imported, done = st.session_state.get(_DONE, (None, None))
    if imported != path or done is None:
        return
    (notice.warning if done.differences else notice.success)(done.sentence().split("\n")[0])
    for line in done.sentence().split("\n")[1:]:
        notice.caption(line)
    if done.stored:
        page.go("results", "See its results")


def _import(store: Store, path: Path) -> None:
    from dcq.files import bundle_import  # takes a while to import

    with st.spinner("Computing its verdicts again…"):
        st.session_state[_DONE] = (path, bundle_import.load(store, path))


def _choose_file(store: Store) -> Path | None:
    newest = upload.ask(
        store,
        "A bundle: the zip that *Download* on the Results page or `export bundle` makes",
        key="bundle_file",
        part=_PART,
        kinds=_KINDS,
    )
    if newest is not None:
        st.session_state["bundle_file"] = newest.name
    there = {path.name: path for path in uploads.listing(upload.folder(store), _PART, _KINDS)}
    if not there:
        st.caption(
            "Its results are computed again and compared with those it was made with. Nothing "
            "that is in this store is changed."
        )
        return None
    return there[st.selectbox("File", list(there), key="bundle_file", bind="query-params")]
