"""Protocol v2 in one go: the button on the quiz page, and the result so far."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.asking.options import Terms
from dcq.quiz import placing, preview, v2
from dcq.quiz.build import SLOTS
from dcq.records import Kind
from dcq.store import Store
from dcq.ui import action, ask
from dcq.ui.results import range_view
from dcq.ui.text import plain
from dcq.words import usd_words


def offer(store: Store, sample_id: str, models: Sequence[str], terms: Terms) -> None:
    """Its cost, its result so far, and the buttons to start and to continue it."""
    with st.container(border=True):
        st.markdown("**Protocol v2 in one go**: the BDQ, then a BCQ for each slot it leads to.")
        places = placing.place_originals(store, sample_id, [], Kind.BDQ, models)
        bdq = pd.DataFrame(preview.estimates(store, places, Kind.BDQ, terms))
        st.caption(plain(_takes(bdq, terms)))
        unready = preview.unready(bdq)
        ask.warn(unready)
        named = [placing.stored_name(model) for model in models]
        busy = [model for model in named if v2.EXCLUSIVE.under_way(store, sample_id, model)]
        begun = [model for model in named if v2.begun(store, sample_id, model)]
        found = [v2.so_far(store, sample_id, model) for model in named]
        range_view.show(store, [one for one in found if one], prefix="quiz_v2")
        lack = " ".join(unready)
        if busy:
            lack = lack or f"{', '.join(busy)}: in progress; see the runs on this page."
        with st.container(horizontal=True):
            action.button(
                "Run protocol v2: BDQ, then each BCQ",
                lambda: v2.begin(store, sample_id, named, terms),
                key="quiz_v2",
                icon=":material/play_arrow:",
                kind="primary",
                lack=lack,
            )
            if begun:
                action.button(
                    "Continue protocol v2",
                    lambda: v2.begin(store, sample_id, begun, terms, resume=True),
                    key="quiz_v2_resume",
                    icon=":material/play_arrow:",
                    lack=lack,
                )


def _takes(bdq: pd.DataFrame, terms: Terms) -> str:
    """Calls and cost of two to five quizzes."""
    calls, most = int(bdq["calls"].sum()), 1 + SLOTS
    words = f"2 to {most} quizzes per model, {2 * calls:,} to {most * calls:,} calls in total"
    known = bdq["usd"].dropna()
    if len(known) < len(bdq):
        words += ", of unknown cost"
    elif known.sum():
        low, high = (usd_words(count * float(known.sum())) for count in (2, most))
        words += f", {low}" if low == high else f", {low} to {high}"
    if terms.budget_usd is None:
        return f"{words}."
    return f"{words}. The budget of ${terms.budget_usd:g} covers all quizzes of a model together."
