"""What is done to many variants at once: decided, or written anew in the background."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.store.blind import Stage
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import action, notice
from dcq.ui.text import plain
from dcq.ui.variants import anew, writing
from dcq.ui.variants.desk import Desk
from dcq.variants import rewording

WORDS = {Decision.ACCEPTED: "Accept", Decision.REJECTED: "Reject", Decision.OPEN: "Reopen"}


def offer_all(desk: Desk, seen: Sequence[StoredVariant]) -> None:
    """A popover that decides about all that is shown."""
    panel = st.popover(
        f"All shown ({len(seen):,})",
        key="variants_all",
        on_change="rerun",
        disabled=bool(desk.lack) or not seen,
        help=desk.lack,
    )
    if not panel.open or desk.lack:
        return
    with panel:
        st.markdown(
            "This is about all variants that the list and the filters leave. Those in which a "
            "check found an error are not accepted. “Undo” takes it back as one action."
        )
        for decision, word in WORDS.items():
            wanted = _open_to(desk, seen, decision)
            st.button(
                f"{word} {len(wanted):,} variants",
                type="primary" if decision is Decision.ACCEPTED else "secondary",
                key=f"variants_all_{decision}",
                disabled=not wanted,
                width="stretch",
                on_click=desk.decide,
                args=(wanted, decision),
            )


def offer_writing(desk: Desk, seen: Sequence[StoredVariant], *, name: str) -> None:
    """A popover that has these variants, but for those that are with others, written anew; what it
    costs is shown in it."""
    seen = [variant for variant in seen if desk.pairing.lack(variant) is None]
    panel = st.popover(
        f"Write {len(seen):,} anew",
        key=f"variants_write_{name}",
        on_change="rerun",
        disabled=bool(desk.lack) or not seen,
        help=desk.lack,
    )
    if not panel.open or desk.lack:
        return
    chosen: dict[str, dict[int, StoredVariant | None]] = {}
    for variant in seen:
        chosen.setdefault(variant.instance_id, {})[variant.slot] = variant
    with panel:
        slots = {instance_id: sorted(texts) for instance_id, texts in chosen.items()}
        instruction, cost = anew.ask_instruction(desk, slots, name=name)
        notice.caption(cost)
        action.button(
            f"Have {len(seen):,} variants written by {plain(writing.writer_name())}",
            lambda: _start(desk, chosen, instruction),
            icon=":material/autorenew:",
            key=f"variants_write_now_{name}",
            role=writing.needed_role(),
            tip="The present texts stay until others are there, and in the history.",
        )


def undo_button(desk: Desk) -> None:
    """The button that undoes what was done here, as on the record."""
    st.button(
        "Undo",
        key="variants_undo_table",
        shortcut="Z",
        disabled=bool(desk.lack) or not desk.can_undo,
        help=desk.lack,
        on_click=desk.undo,
    )


def _open_to(desk: Desk, seen: Sequence[StoredVariant], decision: Decision) -> list[StoredVariant]:
    """Those that the user may decide about and whose word it would change; of open ones only those
    without errors are accepted. Where two annotators differ, a third person looks at each."""
    found = []
    for variant in seen:
        if desk.pairing.lack(variant) or desk.pairing.stage(variant) is Stage.DIFFER:
            continue
        mine = desk.pairing.mine(variant)
        word = mine.decision if mine else variant.decision
        if decision is Decision.ACCEPTED and not (word is Decision.OPEN and variant.usable):
            continue
        if word is not decision:
            found.append(variant)
    return found


def _start(
    desk: Desk, chosen: dict[str, dict[int, StoredVariant | None]], instruction: str
) -> None:
    writing.check(desk.store)
    rewording.start_some(
        desk.store,
        desk.sample.id,
        chosen,
        writing.model(),
        protocol=writing.protocol(),
        author=desk.author,
        instruction=instruction,
    )
