"""Several sets of variants of one sample: adding a set, and comparing one instance across sets."""

from __future__ import annotations

import streamlit as st

from dcq.asking.options import Options
from dcq.records import slot_letter
from dcq.store import Store, variants
from dcq.store import sets as stored
from dcq.store.samples import StoredSample
from dcq.store.sets import SetMember
from dcq.ui import action, roles
from dcq.ui.diff import mark_changes
from dcq.ui.text import alignment, plain
from dcq.variants import reword, sets
from dcq.variants.curation import Record
from dcq.variants.perturbations import Perturbation
from dcq.variants.reword import RewordingDesign

ACROSS = 3  # sets in a row; further ones follow below
_KINDS = {
    Perturbation.WORD: "words (written above)",
    Perturbation.CHARACTER: "letters, offline",
    Perturbation.ORDER: "word order, offline",
}


def show(store: Store, sample: StoredSample, record: Record) -> None:
    """An expander that reads the sets of a sample once it is opened: one instance side by side,
    and a form for a new set."""
    panel = st.expander(
        "Sets of variants", icon=":material/stacks:", key="variants_sets", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        members = stored.siblings(stored.members(store), sample.id)
        if members:
            _compare(store, sample, record, members)
        _offer_new(store, sample)


def _compare(store: Store, sample: StoredSample, record: Record, members: list[SetMember]) -> None:
    st.markdown(plain(record.instance.text), text_alignment=alignment(record.instance.text))
    for start in range(0, len(members), ACROSS):
        row = members[start : start + ACROSS]
        for column, member in zip(st.columns(ACROSS), row, strict=False):
            with column.container(border=True):
                here = " (open above)" if member.sample == sample.id else ""
                st.markdown(f"**{plain(member.name)}**{here}")
                st.caption(plain(sets.writer_line(stored.written_by(store, member.sample))))
                current_variants = variants.current(store, member.sample, [record.instance.id])
                for slot, variant in current_variants.get(record.instance.id, {}).items():
                    marked = mark_changes(record.instance.text, variant.text)
                    st.markdown(
                        f"**{slot_letter(slot)}** {marked}",
                        text_alignment=alignment(variant.text),
                    )
                if not current_variants:
                    st.caption("No variant of this instance yet.")
                if member.sample != sample.id and st.button(
                    "Open this set",
                    key=f"variants_set_{member.sample}",
                    icon=":material/open_in_new:",
                ):
                    _open(member.sample)
                    st.rerun()  # the whole page, with its picker


def _offer_new(store: Store, sample: StoredSample) -> None:
    st.caption(
        "A set is written, curated and asked like a sample of its own, over the same instances. "
        "Two or more show how far a result depends on who reworded, and how."
    )
    reason = roles.why_not(roles.UserRole.ANNOTATOR)
    with (
        st.form("variants_set_new", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input("Name of the set", max_chars=stored.LONGEST_NAME)
        kind = st.selectbox("What changes", list(_KINDS), format_func=_KINDS.__getitem__)
        submitted = st.form_submit_button(
            "New set of variants",
            icon=":material/add:",
            disabled=bool(reason),
            help=reason
            or "Misspelt texts and turned words are for studies: an original without errors can "
            "be found without any memory.",
        )
    if not submitted:
        return

    def make() -> None:
        set_id = sets.new_set(store, sample.id, name)
        if kind is not Perturbation.WORD:
            options = Options(author=roles.known_author())
            reword.start(store, set_id, None, RewordingDesign(kind=kind), options)
        _open(set_id)

    if action.attempt(make, roles.UserRole.ANNOTATOR):
        st.rerun()


def _open(sample_id: str) -> None:
    """The picker takes its sample from the address on the next run."""
    st.session_state.pop("variants_sample", None)
    st.query_params["variants_sample"] = sample_id
