"""Going through a sample: which instances to look at, which one now, and deciding as one goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dcq.quiz.build import slot_letter
from dcq.runs import curation
from dcq.runs.curation import Queue, Record
from dcq.store import Store, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision
from dcq.ui import links, roles

_AT, _UNDO = "variants_at", "variants_undo"
WORDS = {
    Queue.ALL: "All",
    Queue.OPEN: "Open",
    Queue.FLAGGED: "With findings",
    Queue.REJECTED: "Rejected",
    Queue.MISSING: "Missing",
    Queue.ACCEPTED: "Accepted",
}


@dataclass(frozen=True)
class Desk:
    """A person at work on a sample. Their last decision can be taken back from any instance."""

    store: Store
    sample: StoredSample
    author: str

    def decide(self, seqs: list[int], decision: Decision) -> None:
        """Keep a decision, and remember it for undo."""
        if roles.refuses(roles.Role.ANNOTATOR):
            return
        variants.decide(self.store, self.sample.id, seqs, decision, self.author)
        st.session_state[_UNDO] = (self.sample.id, seqs, st.session_state.get(_AT, 1))

    def undo(self) -> None:
        """Take the last decision back and return to where it was made."""
        if roles.refuses(roles.Role.ANNOTATOR):
            return
        sample_id, seqs, at = st.session_state.pop(_UNDO)
        variants.decide(self.store, sample_id, seqs, Decision.OPEN, self.author)
        st.session_state[_AT] = at

    @property
    def can_undo(self) -> bool:
        """True once a decision was made on this sample in this tab."""
        return bool(st.session_state.get(_UNDO, ("",))[0] == self.sample.id)

    def accept_and_go_on(self, record: Record, queue: Queue, search: str) -> None:
        """Accept what nobody has decided and no check found an error in; then the next instance."""
        self.decide(record.acceptable, Decision.ACCEPTED)
        left = curation.select(curation.gather(self.store, self.sample), queue, search)
        if any(other.number == record.number for other in left):
            move(1, len(left))  # otherwise the next one has taken its place


def choose(records: Sequence[Record]) -> tuple[Queue, str]:
    """The queue, with its counts, and the text to look for."""
    counts = {queue: len(curation.select(records, queue)) for queue in Queue}
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    links.take("variants_show", Queue)
    queue = (
        left.segmented_control(
            "Instances",
            list(Queue),
            required=True,
            format_func=lambda queue: f"{WORDS[queue]} {counts[queue]:,}",
            key="variants_show",
            help="Instances with at least one variant of that state.",
            on_change=_to_first,
        )
        or Queue.ALL
    )
    links.put("variants_show", queue)
    search = right.text_input(
        "Find",
        type="search",
        placeholder="in original or variants",
        key="variants_find",
        bind="query-params",
        on_change=_to_first,
    )
    return queue, search or ""


def navigate(desk: Desk, shown: Sequence[Record], queue: Queue, search: str) -> Record:
    """Buttons to go and to decide; returns the record that is looked at."""
    total = len(shown)
    at = st.session_state.get(_AT, 1)
    if not 1 <= at <= total:
        st.session_state[_AT] = min(max(1, at), total)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            f"Instance, of {total:,}",
            min_value=1,
            max_value=total,
            key=_AT,
            bind="query-params",
            width=150,
        )
        st.button(
            "Previous",
            icon=":material/arrow_back:",
            key="variants_previous",
            shortcut="Left",
            disabled=number <= 1,
            on_click=move,
            args=(-1, total),
        )
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            key="variants_next",
            shortcut="Right",
            disabled=number >= total,
            on_click=move,
            args=(1, total),
        )
        record = shown[number - 1]
        lack = roles.lacks(roles.Role.ANNOTATOR)
        st.button(
            "Accept the rest, next",
            type="primary",
            icon=":material/done_all:",
            key="variants_accept",
            shortcut="A",
            disabled=bool(lack) or not record.acceptable,
            on_click=desk.accept_and_go_on,
            args=(record, queue, search),
            help=lack
            or "Accepts the open variants of this instance in which no check found an error.",
        )
        st.button(
            "Undo",
            icon=":material/undo:",
            key="variants_undo_last",
            shortcut="Z",
            disabled=not desk.can_undo,
            on_click=desk.undo,
            help="Takes the last decision back.",
        )
        if not lack:
            _offer_bulk(desk, shown)
    return record


def tabulate(records: Sequence[Record]) -> pd.DataFrame:
    """One row a variant: number, variant, state, origin, findings, text, original."""
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


def move(by: int, total: int) -> None:
    """Go ``by`` instances on, within the ``total`` that are shown."""
    st.session_state[_AT] = min(max(1, st.session_state.get(_AT, 1) + by), total)


def _to_first() -> None:
    st.session_state[_AT] = 1


def _offer_bulk(desk: Desk, shown: Sequence[Record]) -> None:
    seqs = [seq for record in shown for seq in record.acceptable]
    with st.popover(
        f"Accept all shown ({len(seqs):,})",
        icon=":material/playlist_add_check:",
        disabled=not seqs,
    ):
        st.markdown(
            f"Accept {len(seqs):,} open variants of {len(shown):,} instances. Those in which a "
            "check found an error are left open."
        )
        st.button(
            f"Accept {len(seqs):,} variants",
            type="primary",
            key="variants_bulk",
            on_click=desk.decide,
            args=(seqs, Decision.ACCEPTED),
        )
