"""The places at which the instances of a sample are cut, to be seen and moved before anything is
asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.replication.freeze import Cut, move_cut, preview
from dcq.replication.pieces import CutBy, PieceForm, Pieces, suggested_cuts
from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import action, links, notice, roles, walker
from dcq.ui.text import alignment, cut, plain

AT = "replication_cut_at"
_WORDS, _MOST = 3, 24  # words and characters beside the cut, at the slider


def of(store: Store, sample: StoredSample) -> tuple[Cut, ...]:
    """The present cuts of a sample."""
    with st.spinner("Cutting the instances…"):
        return preview(store, sample)


def show(store: Store, sample: StoredSample, cuts: Sequence[Cut], author: str) -> None:
    """How many instances can be cut, one of them with its pieces apart, and all in a table."""
    fit = [
        (number, cut, cut.outcome)
        for number, cut in enumerate(cuts, 1)
        if isinstance(cut.outcome, Pieces)
    ]
    st.markdown(f"#### {len(fit):,} of {len(cuts):,} instances can be cut in two")
    reasons = Counter(
        instance_cut.outcome.value
        for instance_cut in cuts
        if not isinstance(instance_cut.outcome, Pieces)
    )
    if reasons:
        counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        st.caption(f"Left out: {counts}.")
    if fit:
        with st.container(border=True):
            number, instance_cut, pieces = _navigate(fit, len(cuts))
            _pieces(store, sample, number, instance_cut, pieces, author)
    with st.expander("All instances", icon=":material/table:"):
        st.dataframe(
            _tabulate(cuts),
            hide_index=True,
            key="replication_cuts",
            alt="The two pieces of each instance, or why it is left out.",
            column_config={
                "number": st.column_config.NumberColumn("Instance", width="small"),
                "first": st.column_config.TextColumn("First piece, shown", width="large"),
                "second": st.column_config.TextColumn("Second piece, asked for", width="large"),
                "where": "Cut",
            },
        )


def _navigate(fit: Sequence[tuple[int, Cut, Pieces]], total: int) -> tuple[int, Cut, Pieces]:
    by_number = {entry[0]: entry for entry in fit}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Instance", width="content")
        number = walker.walk(
            list(by_number),
            total,
            what="Instance",
            key=AT,
            names="replication_cut",
            in_address=False,
        )
    links.remember(AT)
    return by_number[number]


def _pieces(
    store: Store, sample: StoredSample, number: int, cut: Cut, pieces: Pieces, author: str
) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        st.badge("first piece, shown to the model", icon=":material/visibility:", color="blue")
        st.markdown(plain(pieces.first), text_alignment=alignment(pieces.first))
    with right:
        st.badge("second piece, to be completed", icon=":material/edit:", color="gray")
        st.markdown(plain(pieces.second), text_alignment=alignment(pieces.second))
    if pieces.label:
        st.caption(f"Label: {plain(pieces.label)}")
    if pieces.form is PieceForm.NLI:
        st.caption("The sentences of a pair are its pieces, so there is no cut to move.")
        return
    options = suggested_cuts(pieces)
    reason = roles.why_not_decide(author)
    key = f"replication_place_{sample.id}_{number}_{len(pieces.first)}"
    if len(options) > 1:
        ranks = {place: rank for rank, place in enumerate(options, 1)}
        st.select_slider(
            "Cut here",
            options,
            value=len(pieces.first),
            format_func=lambda place: f"{ranks[place]}: {_around(pieces.text, place)}",
            key=key,
            disabled=bool(reason),
            help=reason or "Saved with your name. What was asked already stays as it was.",
            on_change=notice.told(_move),
            args=(store, sample, cut, key, author),
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(plain(_say_where(cut, pieces)), width="content")
        if cut.moved:
            st.button(
                "Back to where it was",
                icon=":material/undo:",
                type="tertiary",
                key=f"{key}_back",
                disabled=bool(reason),
                help=reason,
                on_click=notice.told(_move),
                args=(store, sample, cut, None, author),
            )


def _move(store: Store, sample: StoredSample, cut: Cut, key: str | None, author: str) -> None:
    """Save where the slider ``key`` is, None for where the cut was before people moved it."""
    offset = None if key is None else st.session_state[key]
    trouble = action.trouble(
        lambda: move_cut(store, sample.id, cut.instance.id, offset, author),
        roles.UserRole.ANNOTATOR,
    )
    if trouble:
        notice.toast(trouble, icon=":material/error:", duration="long")


def _around(text: str, place: int) -> str:
    """The last and the first words beside a cut, of a text without spaces its signs."""
    before, after = text[:place].split()[-_WORDS:], text[place:].split()[:_WORDS]
    return f"…{' '.join(before)[-_MOST:]} | {' '.join(after)[:_MOST]}…"


def _say_where(cut: Cut, pieces: Pieces) -> str:
    where = "Inside a sentence" if pieces.inside_sentence else "At the end of a sentence"
    by = {
        CutBy.PERSON: f"moved by {cut.author or 'a person'}",
        CutBy.FILE: "as in the file of the sample",
    }
    return f"{where}, {by.get(cut.by, 'drawn by the seed of the sample')}."


def _tabulate(cuts: Sequence[Cut]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "number": number,
                "first": instance_cut.outcome.first,
                "second": instance_cut.outcome.second,
                "where": _say_where(instance_cut, instance_cut.outcome)
                if instance_cut.outcome.form is not PieceForm.NLI
                else "A pair.",
            }
            if isinstance(instance_cut.outcome, Pieces)
            else {
                "number": number,
                "first": cut(instance_cut.instance.text, 200),
                "second": "",
                "where": f"Left out: {instance_cut.outcome}.",
            }
            for number, instance_cut in enumerate(cuts, 1)
        ]
    )
