"""The samples in the store: the progress of each, its role, and links to the next step."""

from __future__ import annotations

import streamlit as st

from dcq.records import PartitionRole, TextLayout
from dcq.store import Store, partitions, samples
from dcq.store.samples import ListedSample
from dcq.ui import notice, page, roles
from dcq.ui.dataset.source import ROLE_HELP
from dcq.ui.result_names import listed_partitions
from dcq.ui.text import plain

SHOWN = 10
_PENDING = "saved_role_pending"  # the widget and the partition whose role awaits confirmation


def show(store: Store) -> None:
    """One row a sample, newest first; further sets of variants below their first sample."""
    listed_samples = samples.listing(store)
    if not listed_samples:
        return
    names = listed_partitions(listed_samples)
    st.subheader("Saved samples", anchor=False)
    show_all = len(listed_samples) <= SHOWN or st.toggle(
        f"All {len(listed_samples)}", key="dataset_all", bind="query-params"
    )
    for sample in listed_samples if show_all else listed_samples[:SHOWN]:
        with st.container(border=True):
            set_words = f" · set “{sample.set_name}”" if sample.set_of else ""
            _row(store, sample, f"{names[sample.partition]}{set_words}")


def _row(store: Store, sample: ListedSample, called: str) -> None:
    name, progress, role, links = st.columns([9, 7, 4, 3], vertical_alignment="center")
    n, filled = sample.n, sample.with_variants
    with name:
        st.markdown(f"**{plain(called)}**")
        drawn = "stratified, " if sample.stratified else ""
        drawn += "layout of the release, " if sample.layout is TextLayout.RELEASE else ""
        st.caption(
            f"{plain(sample.partition)} · {n:,} instances · {drawn}seed {sample.seed}  \n"
            f"{sample.made_at:%d %b %Y, %H:%M} UTC"
        )
    progress.progress(
        filled / n, f"{filled:,} of {n:,} with variants, {sample.reviewed:,} reviewed"
    )
    key = f"dataset_role_{sample.id}"
    role.selectbox(
        "Role",
        list(PartitionRole),
        index=list(PartitionRole).index(sample.role),
        format_func=str,
        key=key,
        label_visibility="collapsed",
        help=ROLE_HELP,
        disabled=bool(roles.why_not(roles.UserRole.ANNOTATOR)),
        on_change=notice.told(_ask_for_role),
        args=(store, sample.partition, key),
    )
    with links:
        page.link("variants", "Variants", icon=":material/edit_note:", variants_sample=sample.id)
        if filled:
            page.link("quiz", "Quiz", icon=":material/quiz:", quiz_sample=sample.id)
    if st.session_state.get(_PENDING, ("", ""))[0] == key:
        _confirm(store, sample.partition, called, PartitionRole(st.session_state[key]))
    _show_history(store, sample.partition)


def _ask_for_role(store: Store, partition: str, key: str) -> None:
    """Set the role at once if no run depends on it and the author is known, else ask."""
    author = roles.known_author()
    if roles.refuses(roles.UserRole.ANNOTATOR):
        _forget()
    elif partitions.count_runs(store, partition) or not author:
        st.session_state[_PENDING] = (key, partition)
    else:
        _set_role(store, partition, PartitionRole(st.session_state[key]), author)


def _confirm(store: Store, partition: str, name: str, role: PartitionRole) -> None:
    runs = partitions.count_runs(store, partition)
    if runs:
        asked = "1 run asked" if runs == 1 else f"{runs:,} runs asked"
        notice.warning(
            f"{asked} about {name}. With the role {role}, verdicts change: on this partition, and "
            "on those that are compared with it.",
            icon=":material/swap_horiz:",
        )
    author = roles.ask_author()
    with st.container(horizontal=True):
        st.button(
            f"Make it a {role}",
            type="primary",
            key="dataset_role_yes",
            disabled=not author,
            help=None if author else "Enter your name first: it is saved with the change.",
            on_click=notice.told(_set_role),
            args=(store, partition, role, author),
        )
        st.button("Cancel", key="dataset_role_no", on_click=notice.told(_forget))


def _set_role(store: Store, partition: str, role: PartitionRole, author: str) -> None:
    if not roles.refuses(roles.UserRole.ANNOTATOR):
        partitions.set_role(store, partition, role, author)
    _forget()


def _forget() -> None:
    """Make the widgets show the stored roles again: samples of one partition share its role."""
    st.session_state.pop(_PENDING, None)
    for name in [name for name in st.session_state if str(name).startswith("dataset_role_")]:
        del st.session_state[name]


def _show_history(store: Store, partition: str) -> None:
    """The history of the partition's roles, if its role ever changed."""
    history = partitions.role_history(store, partition)
    if len(history) < 2:
        return
    steps = [
        f"{entry.role}{f' by {entry.author}' if entry.author else ''}, {entry.at:%d %b %Y}"
        for entry in reversed(history)
    ]
    st.caption(f"Role: {plain(' → '.join(steps))}")
