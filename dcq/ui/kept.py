"""The samples in the store: how far each is, its role, and the way on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dcq.records import Role
from dcq.store import Store, samples
from dcq.ui import page, roles
from dcq.ui.source import ROLE_HELP
from dcq.ui.text import plain

SHOWN = 10


def show(store: Store) -> None:
    """One row a sample, newest first."""
    listed = samples.listing(store).to_dict("records")
    if not listed:
        return
    st.subheader("Samples kept", anchor=False)
    every = len(listed) <= SHOWN or st.toggle(
        f"All {len(listed)}", key="dataset_all", bind="query-params"
    )
    for row in listed if every else listed[:SHOWN]:
        with st.container(border=True):
            _row(store, row)


def _row(store: Store, row: Mapping[Any, Any]) -> None:
    name, progress, role, links = st.columns([4, 3, 2, 2], vertical_alignment="center")
    n, filled, reviewed = row["n"], row["with_variants"], row["reviewed"]
    with name:
        st.markdown(f"**{plain(row['title'])}** · {plain(row['split_title'])}")
        drawn = "stratified, " if row["stratified"] else ""
        st.caption(
            f"{n:,} instances · {drawn}seed {row['seed']} · {row['made_at']:%d %b %Y, %H:%M} UTC"
        )
    progress.progress(filled / n, f"{filled:,} of {n:,} with variants, {reviewed:,} reviewed")
    key = f"dataset_role_{row['sample']}"
    role.selectbox(
        "Role",
        list(Role),
        index=list(Role).index(Role(row["role"])),
        format_func=str,
        key=key,
        label_visibility="collapsed",
        help=ROLE_HELP,
        disabled=bool(roles.lacks(roles.Role.ANNOTATOR)),
        on_change=_set_role,
        args=(store, row["partition"], key),
    )
    with links:
        page.go("variants", "Variants", icon=":material/edit_note:", variants_sample=row["sample"])
        if filled:
            page.go("quiz", "Quiz", icon=":material/quiz:", quiz_sample=row["sample"])


def _set_role(store: Store, partition: str, key: str) -> None:
    if roles.refuses(roles.Role.ANNOTATOR):
        return
    samples.set_role(store, partition, Role(st.session_state[key]))
    for other in [name for name in st.session_state if str(name).startswith("dataset_role_")]:
        del st.session_state[other]  # samples of one partition share its role
