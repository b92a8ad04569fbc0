"""Reviewing a sample: which instances to show, the current one, and the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dcq.records import slot_letter
from dcq.store import Store, reviews
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import links, notice, people, roles
from dcq.ui.variants import records
from dcq.variants import curation
from dcq.variants.curation import Queue, Record

AT = "variants_at"
_UNDO, _TROUBLE = "variants_undo", "variants_trouble"
WORDS = {
    Queue.ALL: "All",
    Queue.OPEN: "Open",
    Queue.FLAGGED: "Findings",
    Queue.LEAKY: "Given away",
    Queue.REJECTED: "Rejected",
    Queue.MISSING: "Missing",
    Queue.ACCEPTED: "Accepted",
}


@dataclass(frozen=True)
class Desk:
    """A user reviewing a sample. Their last decision can be undone from any instance."""

    store: Store
    sample: StoredSample
    author: str

    @property
    def drafter(self) -> str:
        """Whose drafts are shown: the signed-in identity where there is one, because a name may
        change or be shared."""
        return roles.identity() or self.author

    @property
    def lack(self) -> str | None:
        """Why the user cannot decide or edit, None if they can."""
        return roles.lacks(roles.Role.ANNOTATOR) or (None if self.author else people.NEEDED)

    def refuses(self) -> bool:
        """For callbacks: shows why and returns True if the user may not do this."""
        lack = self.lack
        if lack:
            notice.toast(lack, icon=":material/lock:", duration="long")
        return bool(lack)

    def decide(self, seen: Sequence[StoredVariant], decision: Decision) -> None:
        """Save a decision about the variants as they were ``seen``, and remember it for undo."""
        if self.refuses():
            return
        done = reviews.decide(self.store, self.sample.id, seen, decision, self.author)
        if done.reviews:
            st.session_state[_UNDO] = (
                self.sample.id,
                seen,
                done.reviews,
                st.session_state.get(AT, 1),
            )
        self.tell_changes(seen, done.changed)

    def undo(self) -> None:
        """Undo the last decision and return to where it was made."""
        if self.refuses():
            return
        sample_id, before, noted, at = st.session_state.pop(_UNDO)
        done = reviews.undo(self.store, sample_id, before, noted, self.author)
        st.session_state[AT] = at
        self.tell_changes(before, done.changed)

    def tell_changes(self, seen: Sequence[StoredVariant], changed: Sequence[StoredVariant]) -> None:
        """Show, on the next page draw, which variants others changed first, so that the decision
        about them was not saved."""
        by_slot = {(v.instance_id, v.slot): v for v in seen}
        numbers = {instance.id: at for at, instance in enumerate(self.sample.instances, start=1)}
        messages = [
            f"Instance {numbers[now.instance_id]}: "
            f"{curation.tell_change(now, by_slot[now.instance_id, now.slot])}"
            for now in changed
        ]
        if messages:
            more = f" And {len(messages) - 5:,} more." if len(messages) > 5 else ""
            shown = " ".join(messages[:5])
            self.tell(f"{shown}{more} Your decision was not saved there; see below.")

    def tell(self, sentence: str) -> None:
        """Show a sentence above the record until the next action."""
        st.session_state[_TROUBLE] = sentence

    @property
    def can_undo(self) -> bool:
        """True once a decision was made on this sample in this tab."""
        return bool(st.session_state.get(_UNDO, ("",))[0] == self.sample.id)

    def accept_and_go_on(self, record: Record, queue: Queue, search: str) -> None:
        """Accept the undecided variants without errors, then go to the next instance."""
        self.decide(record.acceptable, Decision.ACCEPTED)
        if _TROUBLE in st.session_state:
            return
        left = curation.select(records.of(self.store, self.sample).every, queue, search)
        if any(other.number == record.number for other in left):
            move(1, len(left))  # otherwise the record has left the list and the next one moved up


def show_trouble() -> None:
    """Show what could not be done at the last click, if anything."""
    sentence = st.session_state.pop(_TROUBLE, None)
    if sentence:
        notice.warning(sentence, icon=":material/group:")


def choose(every: Sequence[Record]) -> tuple[Queue, str]:
    """The queue, with its counts, and the text to search for."""
    counts = {queue: len(curation.select(every, queue)) for queue in Queue}
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    links.take("variants_show", Queue)
    queue = (
        left.segmented_control(
            "Instances",
            list(Queue),
            required=True,
            format_func=lambda queue: f"{WORDS[queue]} {counts[queue]:,}",
            key="variants_show",
            help="Instances with at least one variant in that state. Given away: text alone finds "
            "the original, in enough instances to make the quiz leaky.",
            on_change=_to_first,
        )
        or Queue.ALL
    )
    links.put("variants_show", queue)
    search = right.text_input(
        "Find",
        type="search",
        placeholder="in any text",
        key="variants_find",
        bind="query-params",
        on_change=_to_first,
    )
    return queue, search or ""


def navigate(desk: Desk, shown: Sequence[Record], queue: Queue, search: str) -> Record:
    """Buttons to navigate and to decide; returns the record shown."""
    total = len(shown)
    at = st.session_state.get(AT, 1)
    if not 1 <= at <= total:
        st.session_state[AT] = min(max(1, at), total)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            f"Instance, of {total:,}",
            min_value=1,
            max_value=total,
            key=AT,
            bind="query-params",
            width=130,
        )
        st.button(
            "Previous",
            key="variants_previous",
            shortcut="K",  # an arrow would turn the tab that was just clicked
            disabled=number <= 1,
            on_click=move,
            args=(-1, total),
        )
        st.button(
            "Next",
            key="variants_next",
            shortcut="J",
            disabled=number >= total,
            on_click=move,
            args=(1, total),
        )
        record = shown[number - 1]
        lack = desk.lack
        st.button(
            "Accept the rest, next",
            type="primary",
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
            key="variants_undo_last",
            shortcut="Z",
            disabled=bool(lack) or not desk.can_undo,
            on_click=desk.undo,
            help=lack or "Undoes the last decision and restores the earlier one.",
        )
        if not lack:
            _offer_bulk(desk, shown)
    return record


def tabulate(shown: Sequence[Record]) -> pd.DataFrame:
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
            for record in shown
            for slot, variant in sorted(record.variants.items())
        ]
    )


def move(by: int, total: int) -> None:
    """Move ``by`` instances, within the ``total`` that are shown."""
    st.session_state[AT] = min(max(1, st.session_state.get(AT, 1) + by), total)


def _to_first() -> None:
    st.session_state[AT] = 1


def _offer_bulk(desk: Desk, shown: Sequence[Record]) -> None:
    seen = [variant for record in shown for variant in record.acceptable]
    with st.popover(
        f"Accept all shown ({len(seen):,})",
        disabled=not seen,
    ):
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
