"""From accepted wordings to the published files, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from dcq.incoming.plain_file import read_bytes
from dcq.protect import make
from dcq.protect import secret as private
from dcq.protect.secret import Beacon
from dcq.store import Store, samples
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import action, downloads, glossary, notice, page, roles
from dcq.ui.protect import folders
from dcq.ui.roles import UserRole
from dcq.ui.text import plain

_DRAWN = "protect_drawn"
_SHOWN = 200  # rows of wordings; all of them are on Variants


def show(store: Store, sample_id: str) -> None:
    """The steps for one sample, up to the present one."""
    sample = samples.load(store, sample_id)
    number = st.segmented_control(
        "Wordings of each item",
        [4, 8],
        default=8,
        required=True,
        key="protect_wordings",
        help="Four are enough for checks by letter, which find what a model has memorised. Eight "
        "make checks by likelihood stronger, which find what it read.",
    )
    wordings = make.of_instances(store, sample)
    accepted = make.accepted_texts(store, sample)
    ready = sum(len(texts) >= number for texts in accepted.values())
    _count(wordings, ready, number)
    if not any(len(of) >= number for of in wordings.values()):
        notice.info(
            f"No instance has {number} wordings yet. Have them written on Variants: "
            f"choose {number} texts for each instance.",
            icon=":material/edit_note:",
        )
        page.link("variants", "Write the variants")
        return
    _read(store, sample, wordings)
    _draw(store, sample, number, ready=ready > 0)


def _count(wordings: Mapping[str, Sequence[StoredVariant]], ready: int, number: int) -> None:
    written = sum(len(of) >= number for of in wordings.values())
    columns = st.columns(3)
    columns[0].metric("Instances", f"{len(wordings):,}", help=glossary.tip("Instances"))
    columns[1].metric("With enough wordings", f"{written:,}")
    columns[2].metric("Ready for the lot", f"{ready:,}")


def _read(
    store: Store, sample: StoredSample, wordings: Mapping[str, Sequence[StoredVariant]]
) -> None:
    """The wordings, and a person's word for them."""
    st.subheader("1 · Read and accept", anchor=False)
    rows: list[dict[str, Any]] = [
        {"Item": number, "Wording": wording.text, "Decision": wording.decision.value}
        for number, instance in enumerate(sample.instances, 1)
        for wording in wordings[instance.id]
    ]
    opened = sum(row["Decision"] == Decision.OPEN for row in rows)
    visible_rows = [row | {"Wording": plain(row["Wording"])} for row in rows[:_SHOWN]]
    st.table(  # which shows a whole text, for they are to be read
        pd.DataFrame(visible_rows),
        hide_index=True,
        height=360,
        alt=f"The first {min(len(rows), _SHOWN):,} of {len(rows):,} wordings.",
    )
    if not opened:
        st.caption("All wordings are decided about.")
        return
    read = st.checkbox(
        "I have read the wordings: within an item the answer and the difficulty are the same.",
        key="protect_read",
    )
    action.button(
        f"Accept {opened:,} wordings that no check faults",
        lambda: make.accept_open(store, sample.id, roles.known_author()),
        key="protect_accept",
        icon=":material/done_all:",
        role=UserRole.ANNOTATOR,
        why_not=None if read else "Read them first, and tick the box.",
    )


def _draw(store: Store, sample: StoredSample, number: int, *, ready: bool) -> None:
    st.subheader("2 · Draw the lots", anchor=False)
    st.markdown(
        "One wording of each item is drawn at random and published; the others stay with you. "
        "After this nothing changes the wordings, and **an item that was published before its lot "
        "does not count**. Whoever judges quality has done so by now, without knowing a lot."
    )
    with st.expander("To convince people who do not trust you", icon=":material/gavel:"):
        st.caption(
            "You could try keys until the published wordings are what models like best. Name a "
            "round of a public beacon that is still to come, such as drand's: the lots wait for it."
        )
        left, right = st.columns(2)
        source = left.text_input("Beacon", placeholder="drand quicknet", key="protect_beacon")
        number_of_round = right.text_input("Round", placeholder="5412345", key="protect_round")
    passphrase = st.text_input(
        "Passphrase for the secret" + (" (needed where people share the app)" * roles.shared()),
        type="password",
        key="protect_passphrase",
        help="Without one the secret can be read by whoever has the file.",
    )
    source, number_of_round = source.strip(), number_of_round.strip()
    beacon = Beacon(source, number_of_round) if source and number_of_round else None
    why_not = None if ready else f"Accept {number} wordings of an item first."
    if beacon is None and (source or number_of_round):  # drawn now, they could not be drawn again
        why_not = "Give both a beacon and its round, or neither."
    if roles.shared() and not passphrase:
        why_not = "Give a passphrase first."

    def draw() -> None:
        benchmark = make.propose(store, sample.id, number, beacon)
        folder = folders.place(store, benchmark.secret)
        make.keep_private(store, benchmark.secret)
        make.write(benchmark.secret, folder, passphrase)
        st.session_state[_DRAWN] = " ".join(
            [*benchmark.notes, make.whom_it_convinces(benchmark.secret)]
        )

    action.button(
        "Draw the lots",
        draw,
        key="protect_draw",
        icon=":material/casino:",
        kind="primary",
        role=UserRole.ANNOTATOR,
        why_not=why_not,
    )


def show_files(store: Store) -> None:
    """The files of every protected benchmark of this machine."""
    benchmark_folders = folders.every(store)
    if not benchmark_folders:
        return
    st.subheader("3 · Take the files", anchor=False)
    if message := st.session_state.get(_DRAWN):
        notice.success(message, icon=":material/casino:")
    for folder in benchmark_folders:
        with st.container(border=True):
            _offer(store, folder)


_FILES = (
    (make.COMMITMENT, "First have this dated", "primary"),
    (make.PUBLISHED, "Then publish this", "primary"),
    (make.TABLE, "The same as csv", "secondary"),
    (make.CROISSANT, "For its web page", "secondary"),
    (make.SECRET, "Keep this to yourself", "primary"),
)


def _offer(store: Store, folder: Path) -> None:
    st.markdown(f"**{plain(folder.name)}**")
    with st.container(horizontal=True):
        for name, label, kind in _FILES:
            path = folder / name
            if path.is_file():
                role = UserRole.ANNOTATOR if name == make.SECRET else UserRole.VIEWER
                downloads.offer_file(
                    f"{label} · {name}",
                    partial(read_bytes, path),
                    name,
                    key=f"protect_{folder.name}_{name}",
                    needed=role,
                    type="primary" if kind == "primary" else "secondary",
                    icon=":material/lock:" if name == make.SECRET else ":material/download:",
                    disabled=bool(role > UserRole.VIEWER and roles.why_not(role)),
                )
    if not (folder / make.PUBLISHED).is_file():
        _await_round(store, folder)
    st.caption(
        "If the secret is lost, nothing can be proved any more. If it leaks, whoever trains on all "
        "wordings hides that, and whoever has it can be accused of it; false calls stay as rare."
    )


def _await_round(store: Store, folder: Path) -> None:
    """The field for the round of a beacon that lots wait for."""
    st.info(
        "The lots wait for the round of the beacon. Have the commitment dated now.",
        icon=":material/hourglass:",
    )
    value = st.text_input("What the round brought", key=f"protect_value_{folder.name}")
    passphrase = st.text_input(
        "Passphrase, if it has one", type="password", key=f"protect_open_{folder.name}"
    )

    def reveal() -> None:
        opened = private.read(folder / make.SECRET, passphrase)
        secret = make.reveal(opened, value)
        make.keep_private(store, secret)
        make.write_revealed(secret, folder, passphrase)

    action.button(
        "Draw the lots of this round",
        reveal,
        key=f"protect_reveal_{folder.name}",
        role=UserRole.ANNOTATOR,
        why_not=None if value.strip() else "Give the value first.",
    )
