"""Where the user has typed what they have not saved, whichever record is open."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.ui import notice
from dcq.ui.variants import desk as desks
from dcq.ui.variants import queue
from dcq.ui.variants.desk import Desk
from dcq.variants.curation import Queue, Record

MOST = 5  # records that are named


def show(desk: Desk, records: Sequence[Record], but: Record | None) -> None:
    """A line that leads to the records with drafts ``but`` the one that is open, which says so
    itself; nothing where there are none."""
    if not desk.drafts:
        return
    names = desk.drafts.keys() - ({but.instance.id} if but else set())
    held = [record for record in records if record.instance.id in names]
    if not held:
        return
    more = f" and {len(held) - MOST:,} more" if len(held) > MOST else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(":orange-badge[:material/edit_note: Your drafts, not saved]", width="content")
        for record in held[:MOST]:
            st.button(
                f"Instance {record.number:,}",
                type="tertiary",
                key=f"variants_draft_{record.instance.id}",
                on_click=_open,
                args=(record.instance.id,),
            )
        if more:
            notice.caption(more)


def _open(instance_id: str) -> None:
    queue.show_list(Queue.ALL)
    desks.return_to(instance_id)
