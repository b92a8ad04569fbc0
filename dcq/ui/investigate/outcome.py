"""What the newest investigations of a sample came to: the verdict, or where they stopped."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.asking.options import Terms
from dcq.investigation.outcome import finding_of, others_of
from dcq.investigation.state import done, of_choice
from dcq.judging.study import by_strength
from dcq.quiz import placing
from dcq.quiz.choice import Choice
from dcq.store import Store
from dcq.store.investigations import Investigation
from dcq.ui.investigate import watching
from dcq.ui.investigate.form import same_choice
from dcq.ui.results import other_methods, verdict
from dcq.ui.results.study import findings_of


def show(store: Store, known: Sequence[Investigation]) -> None:
    """The finding of each model that was asked all of it, in the order of ``by_strength``; then the
    steps of each that was not."""
    every = findings_of(store, every_run=True) if known else ()
    found: dict[str, Investigation] = {}
    others = []
    for record in same_choice(known):
        finding = finding_of(record, every) if done(store, record) else None
        if finding is None:  # not done, or all of its calls failed
            others.append(record)
        else:
            found[finding.result.run] = record
    for finding in by_strength([one for one in every if one.result.run in found]):
        verdict.show_short(finding)
        for one in others_of(store, found[finding.result.run]):
            other_methods.show_short(one)
        with st.expander("What was asked"):
            watching.draw_steps(store, found[finding.result.run])
    watching.draw_cards(store, others)
    if known:
        st.subheader("Investigate further", anchor=False)


def is_done(
    store: Store,
    known: Sequence[Investigation],
    choice: Choice,
    models: Sequence[str],
    terms: Terms,
) -> bool:
    """Whether exactly this has been investigated, to its end."""
    found = {one.model: one for one in known}
    return all(
        (one := found.get(placing.stored_name(model))) is not None
        and of_choice(one, choice)
        and one.limit == terms.limit
        and done(store, one)
        for model in models
    )
