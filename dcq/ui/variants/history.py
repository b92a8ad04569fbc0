"""All that happened to the variants of an instance, shown on demand."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.records import slot_letter
from dcq.store import variants
from dcq.ui.variants import editor, two
from dcq.ui.variants.desk import Desk
from dcq.variants.curation import Record


def show(desk: Desk, record: Record) -> None:
    """An expander that reads the history once it is opened; earlier texts can be restored in it."""
    panel = st.expander(
        "History", icon=":material/history:", key="variants_past", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        found = variants.history(desk.store, desk.sample.id, record.instance.id)
        found = two.add_to_history(desk, record, found)
        if found.empty:
            st.caption("No variant was written yet.")
            return
        _list(found)
        with st.container(horizontal=True):
            for slot, variant in sorted(record.variants.items()):
                earlier = _earlier_text(found, slot)
                if earlier is not None:
                    st.button(
                        f"{slot_letter(slot)}: back to the previous text",
                        icon=":material/undo:",
                        key=f"variants_back_{variant.seq}",
                        disabled=bool(desk.lacks(variant)),
                        help=desk.lacks(variant),
                        on_click=editor.save,
                        args=(desk, record, slot, earlier),
                    )


def _earlier_text(found: pd.DataFrame, slot: int) -> str | None:
    written = found[(found["slot"] == slot) & (found["what"] == "written")]
    return str(written.iloc[1]["text"]) if len(written) > 1 else None


def _list(found: pd.DataFrame) -> None:
    again = found["undone_by"] != ""
    said = found["what"].replace({"open": "reopened"})
    listed = found.assign(
        variant=found["slot"].map(slot_letter),
        what=said.where(~again, said + ", restored by " + found["undone_by"]),
    )
    st.dataframe(
        listed[["made_at", "variant", "what", "who", "origin", "prompt", "note", "text"]],
        hide_index=True,
        key="variants_history",
        alt="What happened to the variants of this instance, newest first.",
        column_config={
            "made_at": st.column_config.DatetimeColumn("When (UTC)", format="D MMM YYYY, HH:mm:ss"),
            "variant": "Variant",
            "what": "What",
            "who": "Who",
            "origin": "Written by",
            "prompt": "Prompt",
            "note": "Note or instruction",
            "text": st.column_config.TextColumn("Text", width="large"),
        },
    )
