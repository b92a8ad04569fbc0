"""Duplicates among the variants shown, and what mends them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.records import slot_letter
from dcq.store.variants import Decision
from dcq.ui.variants import bulk
from dcq.ui.variants.desk import Desk
from dcq.variants.curation import Record
from dcq.variants.duplicates import Duplicate, find_duplicates

PANEL = "variants_duplicates"


def show(desk: Desk, shown: Sequence[Record]) -> None:
    """An expander that looks for them once it is opened."""
    panel = st.expander("Duplicates", icon=":material/content_copy:", key=PANEL, on_change="rerun")
    if not panel.open:
        return
    with panel:
        found = find_duplicates(shown)
        if not found:
            st.caption("No variant shown here has the text of another option.")
            return
        st.dataframe(
            [_row(desk, one) for one in found],
            hide_index=True,
            key="variants_duplicates_list",
            alt="Variants with the text of another option, and which one.",
        )
        texts = [one.variant for one in found]
        decided = [one for one in texts if one.decision is not Decision.OPEN]
        with st.container(horizontal=True, vertical_alignment="center"):
            bulk.offer_writing(desk, texts, name="duplicates")
            st.button(
                f"Reopen {len(decided):,}",
                key="variants_duplicates_reopen",
                disabled=bool(desk.lack) or not decided,
                help=desk.lack,
                on_click=desk.decide,
                args=(decided, Decision.OPEN),
            )
            st.caption("The first variant with a text is kept; those listed repeat it.")


def _row(desk: Desk, one: Duplicate) -> dict[str, object]:
    where = "original" if one.slot is None else str(slot_letter(one.slot))
    return {
        "instance": one.record.number,
        "variant": str(slot_letter(one.variant.slot)),
        "state": (desk.pairing.state(one.variant) or (one.variant.decision.value,))[0],
        "same as": one.same.value,
        "which": f"{one.number:,} {where}",
        "text": one.variant.text,
    }
