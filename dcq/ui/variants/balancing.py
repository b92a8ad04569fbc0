"""Choosing variants among candidates so that text alone finds no original."""

from __future__ import annotations

import streamlit as st

from dcq.store import Store, balancings, variants
from dcq.store.samples import StoredSample
from dcq.ui import action, roles
from dcq.ui.roles import UserRole
from dcq.ui.text import plain
from dcq.variants import choose_candidates
from dcq.variants.balance import Ranks
from dcq.variants.choose_candidates import describe, strategy_rows, tell_ranks
from dcq.variants.freeze import SLOTS

CANDIDATES = (SLOTS, 2 * SLOTS, 3 * SLOTS)
_BEFORE = "variants_ranks_before"  # sample and ranks before the newest choice of this session


def ask_candidates() -> int:
    """How many texts each instance is to have, four of which are its variants."""
    return st.segmented_control(
        "Texts for each instance",
        CANDIDATES,
        default=SLOTS,
        required=True,
        key="variants_candidates",
        bind="query-params",
        help="Four make a quiz. More are candidates: half of eight are rewordings of the "
        "original, the rest rewordings of these, and “Balance the variants” chooses the four by "
        "which the original does not stand out.",
    )


def show(store: Store, sample: StoredSample) -> None:
    """An expander: what strategies without memory find now, and the button for the choice."""
    panel = st.expander(
        "Balance the variants", icon=":material/balance:", key="variants_balance", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        spare = _count_spare(store, sample)
        ranks = _ranks(str(store.path), sample.id, variants.state(store, sample.id))
        of, earlier = st.session_state.get(_BEFORE, ("", None))
        before = earlier if of == sample.id else None
        st.markdown(plain(describe(before, ranks) if before else tell_ranks(ranks)))
        if ranks.n:
            st.dataframe(
                strategy_rows(before, ranks),
                hide_index=True,
                alt="How often strategies without memory find the original, by its slot.",
            )
            st.caption("By the slot of the original; guessing finds 25 %.")
        if not spare:
            st.caption(
                "There is nothing to choose from yet: have 8 texts written for each instance."
            )
        with st.container(horizontal=True):
            _offer_choice(store, sample, ranks, spare)
            _offer_undo(store, sample)


def _offer_choice(store: Store, sample: StoredSample, ranks: Ranks, spare: int) -> None:
    def choose_now() -> None:
        with st.spinner("Choosing…"):
            choose_candidates.choose(store, sample.id, author=roles.known_author())
        st.session_state[_BEFORE] = (sample.id, ranks)

    action.button(
        f"Choose among {spare:,} candidates" if spare else "Choose among candidates",
        choose_now,
        kind="primary",
        icon=":material/balance:",
        key="variants_choose",
        role=UserRole.ANNOTATOR,
        why_not=not spare,
        tip="Accepted variants and those that people wrote stay where they are.",
    )


def _offer_undo(store: Store, sample: StoredSample) -> None:
    newest = balancings.newest(store, sample.id)
    if newest is None:
        return
    by = f" by {newest.author}" if newest.author else ""

    def undo() -> None:
        choose_candidates.undo(store, sample.id)
        st.session_state.pop(_BEFORE, None)

    action.button(
        "Undo",
        undo,
        icon=":material/undo:",
        key="variants_choose_undo",
        role=UserRole.ANNOTATOR,
        tip=plain(f"Take back the choice of {newest.at:%d %b %Y, %H:%M} UTC{by}."),
    )


def _count_spare(store: Store, sample: StoredSample) -> int:
    """How many usable texts are in the slots after the fourth."""
    return sum(
        slot >= SLOTS and variant.usable
        for slots in variants.current(store, sample.id, candidates=True).values()
        for slot, variant in slots.items()
    )


@st.cache_data(max_entries=8, show_spinner="Comparing the texts…")
def _ranks(path: str, sample_id: str, state: tuple[int, int]) -> Ranks:
    """``state`` is only part of the cache key."""
    return choose_candidates.ranks(Store(path), sample_id)
