"""What an investigation would find, beside its price: one line, and the figures one click away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from dcq.asking.options import Terms
from dcq.investigation import power, price
from dcq.investigation.planned import PowerPlan, change_words, outlook, problem_lines
from dcq.quiz import preview
from dcq.quiz.choice import QuizChoice
from dcq.store import Store, results, samples
from dcq.ui import glossary, notice
from dcq.ui.investigate.price import StartConditions
from dcq.ui.judged_study import answers_of
from dcq.ui.text import plain
from dcq.words import listed, model_titles, percent

_SHARES = {"fifth": "A fifth seen", "half": "Half seen", "whole": "All seen", "unseen": "Unseen"}


def show(
    store: Store,
    choice: QuizChoice,
    models: Sequence[str],
    terms: Terms,
    start_conditions: StartConditions,
) -> None:
    """The line and its details; nothing where samples lack rewordings, which is said already, or
    where nothing is left to ask."""
    if start_conditions.obstacles or not any(need.calls for need in start_conditions.needs):
        return
    state = (*results.state(store), *samples.state(store))
    usable = tuple(preview.readiness(model, 0.0, terms) == preview.READY for model in models)
    plan = _plan(str(store.path), state, usable, choice, tuple(models), terms)
    if plan.is_weak:
        first = [change_words(change) for change in plan.changes[:1]]
        notice.warning(
            " ".join([outlook(plan.pairs), *(f"Cheapest change: {words}" for words in first)]),
            icon=":material/visibility_off:",
        )
    else:
        st.markdown(f":material/query_stats: {plain(outlook(plan.pairs))}")
    if costs := price.others_words(store, choice.sample, models, answers_of(store)):
        notice.caption(costs)
    with st.expander("How likely is a conclusion?", icon=":material/percent:"):
        _details(plan)


@st.cache_data(max_entries=16, show_spinner="Working out what this would find…")
def _plan(
    path: str,
    state: tuple[int, ...],
    usable: tuple[bool, ...],
    choice: QuizChoice,
    models: tuple[str, ...],
    terms: Terms,
) -> PowerPlan:
    """``state`` and ``usable`` are only part of the cache key."""
    return power.plan(Store(Path(path)), [(choice, models)], terms)


def _details(plan: PowerPlan) -> None:
    """A row for each model, what would block a conclusion, what helps, and what is assumed."""
    titles = model_titles(pair.model for pair in plan.pairs)
    rows = [
        {
            "model": titles[pair.model],
            **{name: percent(getattr(pair.power, name)) for name in _SHARES},
            "possible": listed([ruling.word for ruling in pair.possible]),
        }
        for pair in plan.pairs
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="investigate_outlook",
        alt="Partitions that would be called contaminated, by the share that the model has seen.",
        column_config=glossary.columns(
            {**dict.fromkeys(_SHARES, "Found if seen"), "possible": "Possible conclusions"},
            {"model": "Model", "possible": "Possible", **_SHARES},
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
