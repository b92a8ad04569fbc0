"""Protocol v2 in one go: the button on the quiz page, and the result so far."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.asking.options import Terms
from dcq.errors import DcqError
from dcq.quiz import placing, preview, v2
from dcq.quiz.build import SLOTS
from dcq.records import Kind
from dcq.store import Store
from dcq.ui import notice, roles
from dcq.ui.results import range_view
from dcq.ui.text import plain
from dcq.words import usd_words


def offer(store: Store, sample_id: str, models: Sequence[str], terms: Terms) -> bool:
    """Its cost, its result so far, and the buttons to start and to continue it; True when it has
    just been started."""
    with st.container(border=True):
        st.markdown("**Protocol v2 in one go**: the BDQ, then a BCQ for each slot it leads to.")
        places = placing.place_originals(store, sample_id, [], Kind.BDQ, models)
        bdq = pd.DataFrame(preview.estimates(store, places, Kind.BDQ, terms))
        st.caption(plain(_takes(bdq, terms)))
        unready = preview.unready(bdq)
        for sentence in unready:
            notice.warning(sentence, icon=":material/block:")
        named = [placing.stored_name(model) for model in models]
        busy = [model for model in named if v2.EXCLUSIVE.under_way(store, sample_id, model)]
        begun = [model for model in named if v2.begun(store, sample_id, model)]
        found = [v2.so_far(store, sample_id, model) for model in named]
        range_view.show(store, [one for one in found if one], prefix="quiz_v2")
        lack = roles.lacks(roles.Role.RUNNER) or " ".join(unready) or None
        if busy:
            lack = lack or f"{', '.join(busy)}: in progress; see the runs on this page."
        with st.container(horizontal=True):
            start = _button("Run protocol v2: BDQ, then each BCQ", "quiz_v2", lack)
            go_on = bool(begun) and _button("Continue protocol v2", "quiz_v2_resume", lack)
        if not (start or go_on):
            return False
        try:
            roles.require(roles.Role.RUNNER)
            v2.begin(store, sample_id, begun if go_on else named, terms, resume=go_on)
        except DcqError as error:
            notice.error(error)
            return False
        return True


def _button(label: str, key: str, lack: str | None) -> bool:
    return st.button(
        label,
        type="primary" if key == "quiz_v2" else "secondary",
        icon=":material/play_arrow:",
        key=key,
        disabled=bool(lack),
        help=lack and plain(lack),
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
