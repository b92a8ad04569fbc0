"""What an investigation would find, beside its price: one line, and the figures one click away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from dcq.asking.options import Terms
from dcq.investigation import power, price
from dcq.investigation.planned import PowerPlan
from dcq.quiz import preview
from dcq.quiz.choice import QuizChoice
from dcq.store import Store, results, samples
from dcq.ui import notice, plan_view
from dcq.ui.investigate.price import StartConditions
from dcq.ui.judged_study import answers_of


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
    plan_view.show_line(plan)
    if costs := price.others_words(store, choice.sample, models, answers_of(store)):
        notice.caption(costs)
    plan_view.offer_details(plan, key="investigate_outlook")


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
