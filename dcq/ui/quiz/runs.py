"""The runs of quizzes with their live progress; and protocol v2 in one go, with its button and its
result so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.asking import launch
from dcq.asking.options import Terms
from dcq.investigation import walk
from dcq.jobs.state import RunState
from dcq.quiz import placing, preview, v2
from dcq.quiz.build import SLOTS, WITHOUT_ORIGINAL
from dcq.quiz.method import QUIZ
from dcq.quiz.results import table
from dcq.records import QuizKind
from dcq.store import Store
from dcq.store.run_progress import RunProgress
from dcq.ui import action, range_view, roles, run_card, run_panel, start_button
from dcq.ui.run_card import MethodCard
from dcq.ui.run_panel import ListedRun, Panel
from dcq.ui.text import plain
from dcq.words import model_title, usd_words


def panel() -> Panel[ListedRun]:
    """The panel of quizzes, including those of protocol v2 and of investigations."""
    return Panel(
        page="quiz",
        what="questions asked",
        again=("quiz_another", "Ask another quiz"),
        listing=_list,
        card=lambda store, listed_run, is_new: _card(store, is_new=is_new),
        turns=(v2.EXCLUSIVE, walk.EXCLUSIVE),
        picture=_draw_bars,
    )


def any_live(store: Store) -> bool:
    """Whether a quiz may still change by itself, or another will follow it."""
    return run_panel.any_live(store, panel())


def _list(store: Store, only: Sequence[str]) -> list[ListedRun]:
    return [
        ListedRun(*run_and_state) for run_and_state in run_panel.states(store, [QUIZ.name], only)
    ]


def _card(store: Store, *, is_new: bool) -> MethodCard:
    """How a card tells of a quiz; the result of a run that ``is_new`` is the next thing to read."""
    return MethodCard(
        what=lambda run: str(run.kind),
        so_far=_say_chosen,
        unusable="without a single letter",
        reasons_title="Why some replies gave no letter",
        role=roles.UserRole.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, QUIZ, run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer_result(store, run, state, is_new=is_new),
    )


def _say_chosen(run: RunProgress) -> str:
    if run.kind in WITHOUT_ORIGINAL or not run.done:
        return ""
    times = "once" if run.correct == 1 else f"{run.correct:,} times"
    return f"original chosen {times}"


def _offer_result(store: Store, run: RunProgress, state: RunState, *, is_new: bool) -> None:
    if state is not RunState.FINISHED or run.done <= run.errors:
        return
    if run_card.offer_result(run, key="runs_result", is_next=is_new):
        choices = {"results_run": run.run}
        if run.run not in {result.run for result in table(store)}:
            choices["results_every"] = "true"  # a newer run stands for it otherwise
        st.switch_page("pages/results.py", query_params=choices)


def _draw_bars(live: Sequence[RunProgress], places: Mapping[str, str]) -> None:
    bars = _parts(live, places)
    st.plotly_chart(
        charts.progress_bars(bars),
        key="runs_progress",
        alt=charts.describe_progress_bars(bars),
    )


def _parts(live: Sequence[RunProgress], places: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "label": f"{model_title(run.model)} · {places[run.partition]} · {run.kind}",
                "correct": run.correct,
                "other": run.done - run.correct - run.refused - run.invalid - run.errors,
                "refused": run.refused,
                "invalid": run.invalid,
                "error": run.errors,
                "waiting": max(0, run.items - run.done),
            }
            for run in live
        ]
    )


def offer(store: Store, sample_id: str, models: Sequence[str], terms: Terms) -> None:
    """Protocol v2: its cost, its result so far, and the buttons to start and to continue it."""
    with st.container(border=True):
        st.markdown("**Protocol v2 in one go**: the BDQ, then a BCQ for each slot it leads to.")
        places = placing.place_originals(store, sample_id, [], QuizKind.BDQ, models)
        bdq = pd.DataFrame(preview.estimates(store, places, QuizKind.BDQ, terms))
        st.caption(plain(_takes(bdq, terms)))
        unready = preview.unready(bdq)
        start_button.warn(unready)
        named = [placing.stored_name(model) for model in models]
        busy = [model for model in named if v2.EXCLUSIVE.under_way(store, sample_id, model)]
        begun = [model for model in named if v2.begun(store, sample_id, model)]
        ranges = [v2.so_far(store, sample_id, model) for model in named]
        range_view.show(store, [bounds for bounds in ranges if bounds], prefix="quiz_v2")
        reason = " ".join(unready)
        if busy:
            reason = reason or f"{', '.join(busy)}: in progress; see the runs on this page."
        with st.container(horizontal=True):
            action.button(
                "Ask protocol v2: BDQ, then each BCQ",
                lambda: v2.begin(store, sample_id, named, terms),
                key="quiz_v2",
                icon=":material/play_arrow:",
                kind="primary",
                why_not=reason,
            )
            if begun:
                action.button(
                    "Continue protocol v2",
                    lambda: v2.begin(store, sample_id, begun, terms, resume=True),
                    key="quiz_v2_resume",
                    icon=":material/play_arrow:",
                    why_not=reason,
                )


def _takes(bdq: pd.DataFrame, terms: Terms) -> str:
    """Calls and cost of two to five quizzes."""
    calls, most = int(bdq["calls"].sum()), 1 + SLOTS
    words = f"2 to {most} quizzes per model, {2 * calls:,} to {most * calls:,} calls in total"
    costs = bdq["usd"].dropna()
    if len(costs) < len(bdq):
        words += ", of unknown cost"
    elif costs.sum():
        low, high = (usd_words(count * float(costs.sum())) for count in (2, most))
        words += f", {low}" if low == high else f", {low} to {high}"
    if terms.budget_usd is None:
        return f"{words}."
    return f"{words}. The budget of ${terms.budget_usd:g} covers all quizzes of a model together."
