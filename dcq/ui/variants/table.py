"""All variants in rows: what is selected, or all that is shown, is decided at once."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.files import export
from dcq.records import fingerprint, slot_letter
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import downloads
from dcq.ui.variants import bulk, duplicates, sheet
from dcq.ui.variants import desk as desks
from dcq.ui.variants.annotators import Pairing
from dcq.ui.variants.desk import Desk
from dcq.variants.curation import Record

VIEW = "variants_view"
_ROUND = "variants_table_round"


def show(desk: Desk, shown: Sequence[Record], *, one: str) -> None:
    """The table of the variants shown, and what is done to them; ``one`` is the view in which a
    single record is opened."""
    listed = [(r, v) for r in shown for _, v in sorted(r.variants.items())]
    picked = st.dataframe(
        tabulate(shown, desk.pairing),
        hide_index=True,
        height=480,
        # Rows are selected by their place: others in their place are not.
        key=_key([v for _, v in listed]),
        on_select="rerun",
        selection_mode="multi-row",
        alt="All variants of the instances shown, with state, origin and findings.",
        column_config={
            "number": st.column_config.NumberColumn("Instance", width="small"),
            "variant": st.column_config.TextColumn("Variant", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "origin": "Written by",
            "who": "Who",
            "flag": st.column_config.TextColumn("Flag", width="small"),
            "findings": st.column_config.TextColumn("Failed checks", width="medium"),
            "text": st.column_config.TextColumn("Text", width="large"),
            "original": st.column_config.TextColumn("Original", width="large"),
        },
    )
    chosen = [listed[row] for row in picked.selection.rows if row < len(listed)]
    with st.container(horizontal=True, vertical_alignment="center"):
        if chosen:
            _offer_chosen(desk, chosen, one)
        else:
            bulk.offer_all(desk, [variant for _, variant in listed])
        bulk.undo_button(desk)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            sheet.offer(desk)
            downloads.offer_table(
                "All variants",
                f"dcq-variants-{desk.sample.id}",
                lambda: export.frame(desk.store, export.What.VARIANTS, desk.sample.id),
                key="variants_download",
                suffixes=(".parquet",),
            )
    duplicates.show(desk, shown)
    merging = st.expander(
        "Merge a sheet", icon=":material/upload:", key="variants_merging", on_change="rerun"
    )
    if merging.open:
        with merging:
            sheet.take(desk)


def tabulate(records: Sequence[Record], pairing: Pairing) -> pd.DataFrame:
    """One row per variant: number, variant, state, origin, who, flag, findings, text, original."""
    return pd.DataFrame(
        [
            {
                "number": record.number,
                "variant": slot_letter(slot),
                "state": (pairing.state(variant) or (variant.decision.value,))[0],
                "origin": variant.origin,
                "who": variant.reviewer or variant.author,
                "flag": _say_flag(variant),
                "findings": " ".join(finding.sentence for finding in variant.findings),
                "text": variant.text,
                "original": record.instance.text,
            }
            for record in records
            for slot, variant in sorted(record.variants.items())
        ]
    )


def _say_flag(variant: StoredVariant) -> str:
    flag = variant.flag
    return f"{flag.author}: {flag.note}".removesuffix(": ") if flag else ""


def _key(listed: Sequence[StoredVariant]) -> str:
    rows = fingerprint(*(str(variant.seq) for variant in listed))
    return f"variants_table_{st.session_state.get(_ROUND, 0)}_{rows}"


def _offer_chosen(desk: Desk, chosen: Sequence[tuple[Record, StoredVariant]], one: str) -> None:
    """What is done to the rows selected: whoever selects an error may accept it."""
    seen = [variant for _, variant in chosen]
    for decision, word in bulk.WORDS.items():
        st.button(
            f"{word} {len(seen):,} selected",
            key=f"variants_chosen_{decision}",
            disabled=bool(desk.lack),
            help=desk.lack,
            on_click=_decide,
            args=(desk, seen, decision),
        )
    bulk.offer_writing(desk, seen, name="chosen")
    first = chosen[0][0]
    st.button(
        f"Open instance {first.number:,}",
        icon=":material/open_in_full:",
        key="variants_open",
        on_click=_open,
        args=(first.instance.id, one),
    )


def _decide(desk: Desk, seen: Sequence[StoredVariant], decision: Decision) -> None:
    wanted = [variant for variant in seen if variant.decision is not decision]
    desk.decide(wanted, decision)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1  # nothing stays selected


def _open(instance_id: str, one: str) -> None:
    st.session_state[VIEW] = one
    desks.return_to(instance_id)
