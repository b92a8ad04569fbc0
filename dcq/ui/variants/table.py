"""All variants in rows."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.records import slot_letter
from dcq.report import export
from dcq.store.variants import Decision
from dcq.ui import downloads
from dcq.ui.variants.desk import Desk
from dcq.variants.curation import Record


def show(desk: Desk, shown: Sequence[Record]) -> None:
    """The table of the variants shown, and what is done to all of them."""
    st.dataframe(
        tabulate(shown),
        hide_index=True,
        height=560,
        key="variants_table",
        alt="All variants of the instances shown, with state, origin and findings.",
        column_config={
            "number": st.column_config.NumberColumn("Instance", width="small"),
            "variant": st.column_config.TextColumn("Variant", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "origin": "Written by",
            "who": "Who",
            "findings": st.column_config.TextColumn("Findings", width="medium"),
            "text": st.column_config.TextColumn("Text", width="large"),
            "original": st.column_config.TextColumn("Original", width="large"),
        },
    )
    with st.container(horizontal=True):
        if not desk.lack:
            _offer_bulk(desk, shown)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "All variants",
                f"dcq-variants-{desk.sample.id}",
                lambda: export.frame(desk.store, export.What.VARIANTS, desk.sample.id),
                key="variants_download",
            )


def tabulate(records: Sequence[Record]) -> pd.DataFrame:
    """One row per variant: number, variant, state, origin, who, findings, text, original."""
    return pd.DataFrame(
        [
            {
                "number": record.number,
                "variant": slot_letter(slot),
                "state": variant.decision.value,
                "origin": variant.origin,
                "who": variant.reviewer or variant.author,
                "findings": " ".join(finding.sentence for finding in variant.findings),
                "text": variant.text,
                "original": record.instance.text,
            }
            for record in records
            for slot, variant in sorted(record.variants.items())
        ]
    )


def _offer_bulk(desk: Desk, shown: Sequence[Record]) -> None:
    seen = [variant for record in shown for variant in record.acceptable]
    with st.popover(f"Accept all shown ({len(seen):,})", disabled=not seen):
        st.markdown(
            f"Accept {len(seen):,} open variants of {len(shown):,} instances. Those in which a "
            "check found an error are left open."
        )
        st.button(
            f"Accept {len(seen):,} variants",
            type="primary",
            key="variants_bulk",
            on_click=desk.decide,
            args=(seen, Decision.ACCEPTED),
        )
