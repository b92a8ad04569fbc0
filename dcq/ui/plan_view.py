"""What a plan would find: one line, and the figures one click away."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.investigation.planned import PowerPlan, change_words, outlook, problem_lines
from dcq.ui import glossary, notice
from dcq.ui.text import plain
from dcq.words import listed, model_titles, percent

_SHARES = {"fifth": "A fifth seen", "half": "Half seen", "whole": "All seen", "unseen": "Unseen"}


def show_line(plan: PowerPlan) -> None:
    """What the plan finds or, where that is next to nothing, the cheapest change that helps."""
    if plan.is_weak:
        first = [change_words(change) for change in plan.changes[:1]]
        notice.warning(
            " ".join([outlook(plan.pairs), *(f"Cheapest change: {words}" for words in first)]),
            icon=":material/visibility_off:",
        )
    else:
        st.markdown(f":material/query_stats: {plain(outlook(plan.pairs))}")


def offer_details(plan: PowerPlan, *, key: str) -> None:
    """A row for each pair, what would block a conclusion, what helps, and what is assumed."""
    with st.expander("How likely is a conclusion?", icon=":material/percent:"):
        _details(plan, key)


def _details(plan: PowerPlan, key: str) -> None:
    titles = model_titles(pair.model for pair in plan.pairs)
    several = len({pair.partition for pair in plan.pairs}) > 1
    rows = [
        {
            "model": titles[pair.model],
            **({"partition": pair.place} if several else {}),
            **{name: percent(getattr(pair.power, name)) for name in _SHARES},
            "possible": listed([ruling.word for ruling in pair.possible]),
        }
        for pair in plan.pairs
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key=key,
        alt="Partitions that would be called contaminated, by the share that the model has seen.",
        column_config=glossary.columns(
            {**dict.fromkeys(_SHARES, "Found if seen"), "possible": "Possible conclusions"},
            {"model": "Model", "partition": "Benchmark", "possible": "Possible", **_SHARES},
        ),
    )
    for problem in problem_lines(plan.pairs):
        notice.warning(problem, icon=":material/block:")
    if others := plan.changes[1:]:  # the first is said above
        st.markdown("Other changes that help, from the cheapest on:")
        st.markdown("\n".join(f"- {plain(change_words(change))}" for change in others))
    error = max(pair.power.error for pair in plan.pairs)
    if not error:  # no method can count, so nothing was simulated
        return
    notice.caption(
        f"By simulation from the rule, give or take {percent(2 * error)}, as if no other pair had "
        "been seen. A model whose replies about controls are stored is simulated by those; any "
        "other by seven invented models."
    )
