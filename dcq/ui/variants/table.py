"""All variants in rows: decisions about several at once, duplicates, and new texts written in the
background."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.files import export
from dcq.records import fingerprint, slot_letter
from dcq.store.opinions import Stage
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import action, downloads, notice
from dcq.ui.text import plain
from dcq.ui.variants import rewriting, sheet, writing
from dcq.ui.variants.annotators import Pairing
from dcq.ui.variants.curator import Curator, return_to
from dcq.variants import reword
from dcq.variants.curation import Record
from dcq.variants.duplicates import Duplicate, find_duplicates

VIEW = "variants_view"
_ROUND = "variants_table_round"


def show(curator: Curator, records: Sequence[Record], *, record_view: str) -> None:
    """The table of the variants shown, and the actions on them; ``record_view`` is the name of the
    view that opens a single record."""
    rows = [(r, v) for r in records for _, v in sorted(r.variants.items())]
    picked = st.dataframe(
        tabulate(records, curator.pairing),
        hide_index=True,
        height=480,
        # Rows are selected by their place: others in their place are not.
        key=_key([v for _, v in rows]),
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
    chosen = [rows[row] for row in picked.selection.rows if row < len(rows)]
    with st.container(horizontal=True, vertical_alignment="center"):
        if chosen:
            _offer_chosen(curator, chosen, record_view)
        else:
            offer_all(curator, [variant for _, variant in rows])
        undo_button(curator)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            sheet.offer(curator)
            downloads.offer_table(
                "All variants",
                f"dcq-variants-{curator.sample.id}",
                lambda: export.frame(curator.store, export.ExportTable.VARIANTS, curator.sample.id),
                key="variants_download",
                suffixes=(".parquet",),
            )
    show_duplicates(curator, records)
    merging = st.expander(
        "Merge a sheet", icon=":material/upload:", key="variants_merging", on_change="rerun"
    )
    if merging.open:
        with merging:
            sheet.take(curator)


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


def _key(listed_variants: Sequence[StoredVariant]) -> str:
    rows = fingerprint(*(str(variant.seq) for variant in listed_variants))
    return f"variants_table_{st.session_state.get(_ROUND, 0)}_{rows}"


def _offer_chosen(
    curator: Curator, chosen: Sequence[tuple[Record, StoredVariant]], record_view: str
) -> None:
    """What is done to the rows selected: whoever selects an error may accept it."""
    seen_variants = [variant for _, variant in chosen]
    for decision, word in WORDS.items():
        st.button(
            f"{word} {len(seen_variants):,} selected",
            key=f"variants_chosen_{decision}",
            disabled=bool(curator.why_not),
            help=curator.why_not,
            on_click=notice.told(_decide),
            args=(curator, seen_variants, decision),
        )
    offer_writing(curator, seen_variants, name="chosen")
    first = chosen[0][0]
    st.button(
        f"Open instance {first.number:,}",
        icon=":material/open_in_full:",
        key="variants_open",
        on_click=notice.told(_open),
        args=(first.instance.id, record_view),
    )


def _decide(curator: Curator, seen_variants: Sequence[StoredVariant], decision: Decision) -> None:
    variants = [variant for variant in seen_variants if variant.decision is not decision]
    curator.decide(variants, decision)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1  # nothing stays selected


def _open(instance_id: str, record_view: str) -> None:
    st.session_state[VIEW] = record_view
    return_to(instance_id)


PANEL = "variants_duplicates"


def show_duplicates(curator: Curator, records: Sequence[Record]) -> None:
    """An expander that searches for duplicates when it is opened."""
    panel = st.expander("Duplicates", icon=":material/content_copy:", key=PANEL, on_change="rerun")
    if not panel.open:
        return
    with panel:
        duplicates = find_duplicates(records)
        if not duplicates:
            st.caption("No variant shown here has the text of another option.")
            return
        st.dataframe(
            [_row(curator, duplicate) for duplicate in duplicates],
            hide_index=True,
            key="variants_duplicates_list",
            alt="Variants with the text of another option, and which one.",
        )
        texts = [entry.variant for entry in duplicates]
        decided = [variant for variant in texts if variant.decision is not Decision.OPEN]
        with st.container(horizontal=True, vertical_alignment="center"):
            offer_writing(curator, texts, name="duplicates")
            st.button(
                f"Reopen {len(decided):,}",
                key="variants_duplicates_reopen",
                disabled=bool(curator.why_not) or not decided,
                help=curator.why_not,
                on_click=notice.told(curator.decide),
                args=(decided, Decision.OPEN),
            )
            st.caption("The first variant with a text is kept; those listed repeat it.")


def _row(curator: Curator, duplicate: Duplicate) -> dict[str, object]:
    where = "original" if duplicate.slot is None else str(slot_letter(duplicate.slot))
    return {
        "instance": duplicate.record.number,
        "variant": str(slot_letter(duplicate.variant.slot)),
        "state": (curator.pairing.state(duplicate.variant) or (duplicate.variant.decision.value,))[
            0
        ],
        "same as": duplicate.same_as.value,
        "which": f"{duplicate.number:,} {where}",
        "text": duplicate.variant.text,
    }


WORDS = {Decision.ACCEPTED: "Accept", Decision.REJECTED: "Reject", Decision.OPEN: "Reopen"}


def offer_all(curator: Curator, seen_variants: Sequence[StoredVariant]) -> None:
    """A popover with decisions about all variants shown."""
    panel = st.popover(
        f"All shown ({len(seen_variants):,})",
        key="variants_all",
        on_change="rerun",
        disabled=bool(curator.why_not) or not seen_variants,
        help=curator.why_not,
    )
    if not panel.open or curator.why_not:
        return
    with panel:
        st.markdown(
            "This is about all variants that the list and the filters leave. Those in which a "
            "check found an error are not accepted. “Undo” takes it back as one action."
        )
        for decision, word in WORDS.items():
            variants = _open_to(curator, seen_variants, decision)
            st.button(
                f"{word} {len(variants):,} variants",
                type="primary" if decision is Decision.ACCEPTED else "secondary",
                key=f"variants_all_{decision}",
                disabled=not variants,
                width="stretch",
                on_click=notice.told(curator.decide),
                args=(variants, decision),
            )


def offer_writing(curator: Curator, seen_variants: Sequence[StoredVariant], *, name: str) -> None:
    """A popover that requests new texts for the selected variants, except those that other
    annotators are deciding about. It shows the cost."""
    seen_variants = [
        variant for variant in seen_variants if curator.pairing.why_not(variant) is None
    ]
    panel = st.popover(
        f"Write {len(seen_variants):,} again",
        key=f"variants_write_{name}",
        on_change="rerun",
        disabled=bool(curator.why_not) or not seen_variants,
        help=curator.why_not,
    )
    if not panel.open or curator.why_not:
        return
    chosen: dict[str, dict[int, StoredVariant | None]] = {}
    for variant in seen_variants:
        chosen.setdefault(variant.instance_id, {})[variant.slot] = variant
    with panel:
        slots = {instance_id: sorted(texts) for instance_id, texts in chosen.items()}
        instruction, cost = rewriting.ask_instruction(curator, slots, name=name)
        notice.caption(cost)
        action.button(
            f"Have {len(seen_variants):,} variants written by {plain(writing.writer_name())}",
            lambda: _start(curator, chosen, instruction),
            icon=":material/autorenew:",
            key=f"variants_write_now_{name}",
            role=writing.needed_role(),
            tip="The present texts stay until others are there, and in the history.",
        )


def undo_button(curator: Curator) -> None:
    """The button that undoes what was done here, as on the record."""
    st.button(
        "Undo",
        key="variants_undo_table",
        shortcut="Z",
        disabled=bool(curator.why_not) or not curator.can_undo,
        help=curator.why_not,
        on_click=notice.told(curator.undo),
    )


def _open_to(
    curator: Curator, seen_variants: Sequence[StoredVariant], decision: Decision
) -> list[StoredVariant]:
    """Those that the user may decide about and whose word it would change; of open ones only those
    without errors are accepted. Where two annotators differ, a third person looks at each."""
    eligible_variants = []
    for variant in seen_variants:
        if curator.pairing.why_not(variant) or curator.pairing.stage(variant) is Stage.DIFFER:
            continue
        own_opinion = curator.pairing.mine(variant)
        word = own_opinion.decision if own_opinion else variant.decision
        if decision is Decision.ACCEPTED and not (word is Decision.OPEN and variant.usable):
            continue
        if word is not decision:
            eligible_variants.append(variant)
    return eligible_variants


def _start(
    curator: Curator, chosen: dict[str, dict[int, StoredVariant | None]], instruction: str
) -> None:
    writing.check(curator.store)
    reword.start_some(
        curator.store,
        curator.sample.id,
        chosen,
        writing.model(),
        protocol=writing.protocol(),
        author=curator.author,
        instruction=instruction,
    )
