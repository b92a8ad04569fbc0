"""Which file to audit: uploaded, or named by its path; and what such files look like."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dcq.audit.audit import Audit, audit
from dcq.partitions import uploads
from dcq.store import Store
from dcq.ui import roles, upload

_PART = "audit"  # of the uploads


def choose(store: Store, *, key: str) -> Path | None:
    """The file chosen, None until there is one. An upload is saved beside the store and its name
    written into the address, so that a link and a reload find it again. On a shared app only
    uploads can be chosen: a path would open any file that the server can read."""
    left, right = st.columns(2)
    saved = upload.ask(store, "Upload a result file", key=key, part=_PART, where=left)
    if saved is not None:
        st.session_state[key] = saved.name if roles.shared() else str(saved)
    if roles.shared():
        there = {path.name: path for path in uploads.listing(upload.folder(store), _PART)}
        name = right.selectbox(
            "Or one that was uploaded before",
            list(there),
            index=None,
            key=key,
            bind="query-params",
            placeholder="none chosen",
        )
        return there.get(name or "")
    typed = right.text_input(
        "Or its path on this machine", key=key, bind="query-params", placeholder="results.csv"
    )
    name = (typed or "").strip()
    try:
        return Path(name).expanduser() if name else None
    except RuntimeError:  # ~ with a user name that this machine does not have
        return Path(name)


def analyse(path: Path) -> Audit:
    """The audit of ``path``, made again when the file has changed. Raises ``DcqError``."""
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError):  # missing, or not a valid file name
        changed = 0  # reading it raises the error to show
    return _analyse(str(path), changed)


@st.cache_data(max_entries=4, show_spinner=False)
def _analyse(path: str, changed: int) -> Audit:
    """``changed`` is part of the cache's key."""
    return audit(Path(path))


def explain(*, expanded: bool) -> None:
    """The two kinds of file."""
    with st.expander("Files that can be read", expanded=expanded):
        st.markdown(
            """
**The authors' csv**, one instance per row: `instance`, `option_a` to `option_d`, `bdq_results` (the
answers without the original) and `bcq_results_for_position_a` to `…_d` (with the original in that
position; some may be absent).

**Answers**, one per row: `model`, `partition`, `role` (`target` may have been seen, `control`
cannot, `positive` surely was), `instance_id`, `correct` (the letter of the original), `answer` (a
letter or the whole reply) and, if there is more than one kind of quiz, `kind`. An instance that is
asked with the original at several letters counts once, with its share of right answers. Answers of
the kind `bcq` are compared with those of `bdq` to the same instances, if the file has them.

Other columns are ignored. csv, tsv, jsonl, json and parquet, in UTF-8, below 200 MB.
"""
        )
