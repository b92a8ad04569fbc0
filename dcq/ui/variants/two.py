"""What a record shows of the two annotators who are assigned to it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.store.blind import Opinion, Stage
from dcq.store.variants import Decision, StoredVariant
from dcq.ui.text import plain
from dcq.ui.variants import annotators
from dcq.ui.variants.desk import Desk
from dcq.variants import agreement
from dcq.variants.curation import OF_TWO, Queue, Record

_LONGEST_REASON = 300  # characters


def explain(desk: Desk, record: Record) -> None:
    """A line that says who decides about a record, while the two have not both done so."""
    pairing = desk.pairing
    if pairing.active is None or not any(
        pairing.stage(variant) is Stage.BLIND for variant in record.variants.values()
    ):
        return
    first, second = pairing.active.names
    if pairing.own is None or pairing.was:
        st.caption(f":material/group: With {plain(first)} and {plain(second)}, who decide blind.")
        return
    other = second if pairing.own == first else first
    st.caption(
        f":material/visibility_off: You and {plain(other)} decide here without seeing each other's "
        "decisions."
    )


def show(desk: Desk, variant: StoredVariant) -> None:
    """Below the text of a variant: both opinions where the two differ, and a field for why the user
    thinks so, until a third person has decided."""
    pairing = desk.pairing
    mine = pairing.mine(variant)
    if mine is not None and mine.decision is Decision.ACCEPTED:
        return
    if pairing.stage(variant) is Stage.DIFFER and (both := pairing.both(variant)):
        waits = variant.decision is Decision.OPEN and not pairing.was
        mine = next((one for one in both if waits and one.annotator == pairing.own), None)
        older = "" if both[0].variant == variant.seq else " (about the text before)"
        st.markdown(f":small[{annotators.tell(both, but=mine)}{older}]")
    if mine is not None:
        key = f"variants_why_{mine.variant}"
        st.text_input(
            "Why",
            mine.reason,
            key=key,
            max_chars=_LONGEST_REASON,
            placeholder="Why? (optional; read once both have decided)",
            label_visibility="collapsed",
            on_change=_explain,
            args=(desk, mine, key),
        )


def show_agreement(desk: Desk, queue: Queue) -> None:
    """In the lists of the two: how far they agree, in one line."""
    found = desk.pairing.compared() if queue in OF_TWO else None
    if found is not None:
        st.caption(plain(agreement.tell(" and ".join(found.pair.names), found.agreement)))


def add_to_history(desk: Desk, record: Record, history: pd.DataFrame) -> pd.DataFrame:
    """The history of a record's variants, with both opinions where both have decided."""
    rows = [
        {
            "made_at": one.at,
            "slot": one.slot,
            "what": f"{one.decision}, blind" + (f": “{one.reason}”" if one.reason else ""),
            "who": one.annotator,
            "undone_by": "",
        }
        for variant in record.variants.values()
        for one in desk.pairing.both(variant) or ()
    ]
    if not rows:
        return history
    added = pd.concat([history, pd.DataFrame(rows)], ignore_index=True)
    return added.sort_values("made_at", ascending=False, kind="stable", ignore_index=True)


def _explain(desk: Desk, opinion: Opinion, key: str) -> None:
    desk.explain(opinion, st.session_state[key])
